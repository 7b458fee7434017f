//! The built program under load, cuts, cancellations and crashes, over real sockets.
//!
//! Most scenarios have two forms: a short one for every day, which goes by events and counts, and
//! a long one with the full numbers, ignored as `long`, which also measures and prints.

#![allow(clippy::unwrap_used, reason = "a test has nothing better to do with an error")]

mod agent;
mod burst;
mod caller;
mod cancel;
mod cancel_race;
mod command;
mod crash;
mod deadline;
mod dice;
mod events;
mod failure;
mod http;
mod linear;
mod parallel;
mod repeat;
mod send;
mod streams;
mod sync;
mod task;
