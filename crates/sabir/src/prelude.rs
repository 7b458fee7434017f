//! What most agents and clients need: `use sabir::prelude::*`.

pub use crate::server::{Server, ServerError};
pub use sabir_client::Client;
pub use sabir_engine::{Executor, ExecutorError, Turn, async_trait};
pub use sabir_types::{
    AgentCapabilities, AgentCard, AgentSkill, Artifact, Message, Part, SendMessageResponse, Task,
    TaskState,
};
