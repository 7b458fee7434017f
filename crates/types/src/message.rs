//! Messages: what a client and an agent say to each other.

use crate::part::texts;
use crate::{ContextId, JsonObject, MessageId, Part, Parts, TaskId};
use sabir_wire_derive::{ProtoEnum, ProtoMessage};

/// One turn of the conversation.
///
/// ```
/// use sabir_types::{Message, Part};
///
/// let message = Message::user("What is on this picture?").with_id("m1");
/// assert_eq!(message.text(), "What is on this picture?");
///
/// let with_file = Message::user(vec![Part::text("And this?"), Part::url("https://x.example/1.png")]);
/// assert_eq!(with_file.parts.len(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Message {
    /// Made by the sender.
    #[field(1, required)]
    pub message_id: MessageId,
    /// The conversation it belongs to.
    #[field(2)]
    pub context_id: Option<ContextId>,
    /// The task it is about.
    #[field(3)]
    pub task_id: Option<TaskId>,
    /// Who says it.
    #[field(4, required)]
    pub role: Role,
    /// What is said; at least one part.
    #[field(5, required)]
    pub parts: Vec<Part>,
    /// Anything else, by key.
    #[field(6)]
    pub metadata: Option<JsonObject>,
    /// The extensions that had a part in it, by URI.
    #[field(7)]
    pub extensions: Vec<String>,
    /// Other tasks to take into account.
    #[field(8)]
    pub reference_task_ids: Vec<TaskId>,
}

/// Who is speaking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ProtoEnum)]
#[non_exhaustive]
pub enum Role {
    /// Not said, or not known to this version.
    #[default]
    Unspecified = 0,
    /// The client.
    User = 1,
    /// The agent.
    Agent = 2,
}

impl Message {
    /// A message from the client; its id is still empty.
    pub fn user(parts: impl Into<Parts>) -> Self {
        Self { role: Role::User, parts: parts.into().0, ..Self::default() }
    }

    /// A message from the agent; its id is still empty.
    pub fn agent(parts: impl Into<Parts>) -> Self {
        Self { role: Role::Agent, parts: parts.into().0, ..Self::default() }
    }

    /// The same with an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<MessageId>) -> Self {
        self.message_id = id.into();
        self
    }

    /// The same as a message about a task.
    #[must_use]
    pub fn with_task(mut self, id: impl Into<TaskId>) -> Self {
        self.task_id = Some(id.into());
        self
    }

    /// The same in a conversation.
    #[must_use]
    pub fn with_context(mut self, id: impl Into<ContextId>) -> Self {
        self.context_id = Some(id.into());
        self
    }

    /// The same with metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The texts among the parts, one below the other.
    pub fn text(&self) -> String {
        texts(&self.parts)
    }
}

/// Text alone is what an agent says: `turn.working("thinking")`.
impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self::agent(text)
    }
}

/// Text alone is what an agent says.
impl From<String> for Message {
    fn from(text: String) -> Self {
        Self::agent(text)
    }
}
