//! Serves any [`Agent`](sabir_engine::Agent) over JSON-RPC, HTTP+JSON and gRPC, on one port.
//!
//! An agent has a base URL, such as `http://127.0.0.1:7420/agents/hello`. There it serves
//!
//! | what | where |
//! |--|--|
//! | its card | `GET {base}/.well-known/agent-card.json`, and `GET {base}` |
//! | JSON-RPC | `POST {base}`, with or without a slash at its end |
//! | HTTP+JSON | the routes below, such as `GET {base}/tasks/{id}`, also `{base}/{tenant}/tasks/{id}` |
//! | gRPC | `{base}/lf.a2a.v1.A2AService/{method}`, over HTTP/2 |
//! | its OpenAPI document | `GET {base}/openapi.json`, where HTTP+JSON is served |
//!
//! Most gRPC clients know no path before that of the method. So it is the agent without a path
//! whose card lists gRPC, or else the one whose card stands at the origin
//! ([`Server::origin_card`]), which gRPC finds there as well. A [`Server`] also answers to
//! `grpc.health.v1` and `grpc.reflection.v1`.
//!
//! With [`ServerConfig::v0_3`] it serves A2A 0.3 as well: JSON-RPC by the methods of 0.3, HTTP+JSON
//! below `{base}/v1`, gRPC by the service `a2a.v1.A2AService`, and the card, which is one of both
//! versions for those who do not say `A2A-Version: 1.0`, also at `{base}/.well-known/agent.json`.
//! Which version a request is of, its method, path or service says, and `A2A-Version` must agree.
//!
//! ```no_run
//! use sabir_bindings::{Routes, Server, StaticTokens};
//! use sabir_types::{AgentCard, Principal};
//! use std::sync::Arc;
//!
//! # async fn serve(agent: Arc<dyn sabir_engine::Agent>, card: AgentCard) -> std::io::Result<()> {
//! let users = StaticTokens::new().bearer("a-long-random-token", Principal::new("alice"));
//! let hello = Routes::new(agent, card).authenticator(Arc::new(users));
//! let server = Server::new().agent("/agents/hello", hello).listen("127.0.0.1:7420").await?;
//! # Ok(())
//! # }
//! ```
//!
//! # The way of a request
//!
//! [`Server`] accepts it and finds its agent by the path (in a router of your own, [`Routes`] is
//! mounted instead). Then, the same for all bindings: `Host` and `Origin` are checked, the
//! [`Authenticator`] says who is asking, the protocol version and the content type are checked,
//! the body is read up to its limit, the request message is decoded and checked to be complete,
//! and the agent answers. What is wrong first is said first. A binding is only the form: where
//! the request message stands, and what an answer or an error looks like.
//!
//! Streams are pulled: a reader that does not read slows only itself. Each event carries its
//! sequence as its `id`, with which a broken stream goes on (`Last-Event-ID`). In gRPC, whose
//! events have no place for it, the trailers of a stream tell the sequence of its last event
//! (`last-event-id`), which the same metadata of a request takes.

mod auth;
mod body;
mod call;
mod card;
mod config;
mod dialect;
mod dispatch;
mod grpc;
mod host;
mod jsonrpc;
mod media;
mod older;
mod openapi;
mod payload;
mod reply;
mod rest;
mod routes;
mod served;
mod server;
mod sse;
mod tls;

pub use auth::{Anonymous, Authenticator, Security, StaticTokens};
pub use config::{Binding, ServerConfig};
pub use host::{BaseUrl, BaseUrlError};
pub use routes::Routes;
pub use sabir_compat::FileBytes;
pub use server::{Drained, Server, ServerHandle};
pub use tls::{Tls, TlsError};
