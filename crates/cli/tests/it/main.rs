//! Runs the built programs: against themselves, against faults, and against wrong settings.

mod config;
mod failures;
mod help;
mod output;
mod place;
mod servers;
mod transcripts;
mod waits;
