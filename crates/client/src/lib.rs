//! Finds and calls A2A agents, and delivers to webhooks.
//!
//! ```no_run
//! use sabir_client::Client;
//! use sabir_types::SendMessageResponse;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let agent = Client::connect("http://127.0.0.1:9000").await?;
//! match agent.send("What can I cook from three eggs?").await? {
//!     SendMessageResponse::Message(message) => println!("{}", message.text()),
//!     SendMessageResponse::Task(task) => println!("{}: {}", task.state(), task.text()),
//!     _ => {}
//! }
//! # Ok(())
//! # }
//! ```
//!
//! [`Client`] resolves the agent's card, picks the first interface that it speaks, and calls the
//! agent over JSON-RPC, HTTP+JSON or gRPC. It implements [`Agent`](sabir_engine::Agent). Calls that
//! may be repeated are, when the way fails; messages never are. Streams go on after their
//! connection broke: with the next event, or over gRPC, whose events have no number, with the task
//! as it is. What goes wrong on the way is a [`Failure`], found in any error by [`Failure::of`].
//!
//! [`Guard`] is the way out to addresses that somebody else named, and [`Webhooks`] delivers
//! through it.

mod ask;
mod builder;
mod card;
mod client;
mod credential;
mod failure;
mod follow;
mod guard;
mod http;
mod interface;
mod link;
mod redact;
mod reference;
mod resolver;
mod retry;
mod select;
pub mod sse;
mod task;
mod transport;
mod webhook;
mod wire_log;

pub use ask::Ask;
pub use builder::ClientBuilder;
pub use card::FoundCard;
pub use client::Client;
pub use credential::ApiKeyPlace;
pub use failure::Failure;
pub use guard::{Guard, GuardConfig, GuardError, Lookup};
pub use reference::{CardReference, WELL_KNOWN};
pub use resolver::Resolver;
pub use retry::RetryPolicy;
pub use sabir_compat::FileBytes;
pub use task::TaskHandle;
pub use transport::Transport;
pub use webhook::Webhooks;
pub use wire_log::WireEvent;
