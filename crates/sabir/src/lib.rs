//! Build A2A agents that others can hire, and clients that hire them.
//!
//! # An agent
//!
//! ```no_run
#![doc = include_str!("../examples/hello.rs")]
//! ```
//!
//! # A client
//!
//! ```no_run
#![doc = include_str!("../examples/ask.rs")]
//! ```
//!
//! # Where things are
//!
//! The [`prelude`] has what most programs need. [`Server`] puts an engine, a store and the bindings
//! together; each part can be used alone: [`types`] is the protocol's data model, [`engine`] runs
//! executors, [`bindings`] serves any [`Agent`](engine::Agent), [`client`] calls agents, and
//! [`stores`] keeps tasks. Defaults with a name are [`presets`].

#[doc(no_inline)]
pub use sabir_bindings as bindings;
#[doc(no_inline)]
pub use sabir_client as client;
#[doc(no_inline)]
pub use sabir_engine as engine;
#[cfg(feature = "sqlite")]
#[doc(no_inline)]
pub use sabir_stores as stores;
#[doc(no_inline)]
pub use sabir_types as types;

pub mod prelude;
pub mod presets;
mod server;

pub use presets::Preset;
pub use sabir_client::Client;
pub use server::{Running, Server, ServerError};
