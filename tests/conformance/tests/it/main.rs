//! The list of scenarios: each is written once and played over every binding, by the wire itself
//! and by our client, in A2A 1.0 and, where it can be said there, in 0.3. Whatever is answered must
//! be the same everywhere.
//!
//! The list holds what the official kits assert, so that nobody needs the kits to know: `kits.rs`
//! names their assertions, and fails when one stands at no scenario.

#![cfg(test)]

mod by_client;
mod fault;
mod kits;
mod raw;
mod same;
mod scenarios;
mod way;
mod world;
