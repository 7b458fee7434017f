//! Serves any [`Agent`](sabir_engine::Agent) over JSON-RPC and HTTP+JSON, on one port.

mod auth;
mod body;
mod call;
mod card;
mod config;
mod dispatch;
mod host;
mod jsonrpc;
mod media;
mod payload;
mod reply;
mod rest;
mod routes;
mod served;
mod server;
mod sse;

pub use auth::{Anonymous, Authenticator, Security, StaticTokens};
pub use config::{Binding, ServerConfig};
pub use host::{BaseUrl, BaseUrlError};
pub use routes::Routes;
pub use server::{Drained, Server, ServerHandle};
