//! The dialects of 0.3, by their bytes and by properties.

#![cfg(test)]

mod card;
mod errors;
mod kind;
mod losses;
mod odd_values;
mod proto;
mod roundtrip;
#[path = "../../../types/tests/it/strategy.rs"]
#[expect(dead_code, reason = "the tests of the types use all of it")]
mod strategy;
