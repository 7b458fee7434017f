//! Runs the built programs: against themselves, against faults, and against wrong settings.

#![allow(clippy::unwrap_used, reason = "a test has nothing better to do with an error")]

mod config;
mod failures;
mod help;
mod output;
mod place;
mod servers;
mod transcripts;
mod waits;
