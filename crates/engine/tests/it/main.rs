//! The engine, driven as callers and authors drive it.

#![cfg(test)]

mod support;

mod cancel;
mod crash;
mod failure;
mod history;
mod idempotency;
mod listing;
mod push;
mod queue;
mod scope;
mod send;
mod stream;
