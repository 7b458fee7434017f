//! The bindings over real sockets, with an agent that answers fixed things.

#![cfg(test)]

mod auth;
mod card;
mod engine;
mod golden;
mod golden_v0_3;
mod grpc;
mod grpc_standard;
mod grpc_wire;
mod hosts;
mod http_json;
mod jsonrpc;
mod limits;
mod mounting;
mod openapi;
mod parameters;
mod server;
mod streams;
mod stub;
mod v0_3;
mod wire;
