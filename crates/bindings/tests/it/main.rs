//! The bindings over real sockets, with an agent that answers fixed things.

#![cfg(test)]

mod auth;
mod card;
mod engine;
mod golden;
mod hosts;
mod http_json;
mod jsonrpc;
mod limits;
mod mounting;
mod parameters;
mod server;
mod streams;
mod stub;
mod wire;
