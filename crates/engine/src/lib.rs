//! What an A2A task is and how it moves.
//!
//! An [`Engine`] runs an [`Executor`], the author's code, as an [`Agent`], which bindings serve.
//! Whatever happens to a task is an entry of its [log](LogEntry); appending is the only way to
//! change a task, and the [store] decides under which conditions. Blocking calls, streams and
//! webhooks are readers of that log.
//!
//! ```
//! use sabir_engine::{Agent, Call, Engine, Executor, ExecutorError, Turn, async_trait};
//! use sabir_types::{AgentCard, Message, SendMessageRequest, SendMessageResponse};
//!
//! struct Hello;
//!
//! #[async_trait]
//! impl Executor for Hello {
//!     async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
//!         turn.completed(format!("Hello! You said: {}", turn.text())).await?;
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let card = AgentCard::new("Hello Agent", "Says hello");
//! let engine = Engine::builder(card, Hello).start().await?;
//! let message = Message::user("hi").with_id("1");
//! let request = SendMessageRequest { message, ..SendMessageRequest::default() };
//! let answer = engine.send_message(&Call::default(), request).await?;
//! let SendMessageResponse::Task(task) = answer.value else { panic!("a task was expected") };
//! assert_eq!(task.status.message.unwrap().text(), "Hello! You said: hi");
//! # Ok(())
//! # }
//! ```

mod accept;
mod agent;
mod cancel;
mod config;
mod cursor;
mod delivery;
mod engine;
mod executor;
mod fold;
mod id;
mod live;
mod log;
mod modes;
mod operations;
mod page;
mod push;
mod read;
mod recover;
mod ring;
mod run;
mod signal;
pub mod store;
mod stream;
mod sweep;
mod turn;

pub use agent::{Agent, Answer, Call, Event, EventStream, encode};
pub use async_trait::async_trait;
pub use config::{EngineConfig, Idempotency, InputModes};
pub use delivery::{Delivery, DeliveryError, Parcel};
pub use engine::{Engine, EngineBuilder};
pub use executor::{Executor, ExecutorError};
pub use id::new_id;
pub use log::{EntryKind, LogEntry};
pub use store::memory::MemoryStore;
pub use store::{Retention, Store, StoreError};
pub use turn::{EmitError, Say, Turn};
