//! The SQLite store against the suite of all stores, and against what only it promises.

#![allow(clippy::unwrap_used, reason = "a test has nothing better to do with an error")]

mod actors;
mod failure;
mod file;
mod group;
mod kill;
mod model;
mod suite;
