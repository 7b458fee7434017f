//! Sample agents, short enough to read, and the puppet for practising and testing clients.
//!
//! Each module is one agent: `card()` says what it is, an [`Executor`](sabir::prelude::Executor)
//! does the work, and what it decides is a plain function that its tests call without an engine.
//!
//! | module | shows |
//! |--|--|
//! | [`hello`] | the least an agent needs |
//! | [`contract_review`] | a question, progress, an artifact, and a task that builds on an earlier one |
//! | [`lamp_shop`] | a conversation with state that survives a restart, and a configuration |
//! | [`echo`] | artifacts in any media type |
//! | [`exec`] | a command-line program as an agent: processes, cancellation, streaming |
//! | [`puppet`] | everything else that can happen to a task, on command |

mod cards;
pub mod contract_review;
pub mod echo;
#[cfg(unix)]
pub mod exec;
pub mod hello;
pub mod lamp_shop;
pub mod puppet;
