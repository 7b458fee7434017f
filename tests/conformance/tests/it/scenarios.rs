//! The scenarios, by what they are about. Above each stand the assertions of the kits that it holds.

mod access;
mod bindings;
mod data;
mod discovery;
mod history;
mod listing;
mod parse;
mod push;
mod refusals;
mod sending;
mod streams;
mod turns;
mod values;
