//! The client over real sockets, against agents that do as they are told.

mod card;
mod credential;
mod end_to_end;
mod errors;
mod fixture;
mod grpc;
mod guard;
mod retry;
mod stream;
mod tls;
mod v0_3;
mod webhook;
mod wire;
