//! The samples behind a real engine with its memory store.

#![allow(clippy::unwrap_used, reason = "in tests an unwrap is an assertion")]

mod support;

mod cards;
mod contract_review;
mod delegate;
mod echo;
#[cfg(unix)]
mod exec;
mod hello;
mod lamp_shop;
mod puppet;
