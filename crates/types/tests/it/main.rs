//! The data model against the official definition, and against whatever else may come in.

#![cfg(test)]

mod definition;
mod encoding;
mod errors;
mod jsonrpc;
mod model;
mod mutation;
mod operations;
mod oracle;
mod roundtrip;
mod strategy;
