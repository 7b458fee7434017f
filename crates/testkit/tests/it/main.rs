//! The fixtures, used as the tests of other crates use them.

#![cfg(test)]

mod program;
mod raw;
mod webhook;
