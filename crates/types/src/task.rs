//! Tasks: the unit of work, its status and its states.

use crate::{Artifact, ContextId, JsonObject, Message, TaskId, Timestamp};
use sabir_wire_derive::{ProtoEnum, ProtoMessage};
use std::fmt;

/// The unit of work: a status, the artifacts produced, and the messages exchanged.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Task {
    /// Made by the server.
    #[field(1, required)]
    pub id: TaskId,
    /// The conversation the task belongs to.
    #[field(2)]
    pub context_id: ContextId,
    /// Where the task is.
    #[field(3, required)]
    pub status: TaskStatus,
    /// What the task has produced.
    #[field(4)]
    pub artifacts: Vec<Artifact>,
    /// The messages exchanged, oldest first.
    #[field(5)]
    pub history: Vec<Message>,
    /// Anything else, by key.
    #[field(6)]
    pub metadata: Option<JsonObject>,
}

impl Task {
    /// A task of that context in that status, with nothing produced and nothing said.
    pub fn new(id: impl Into<TaskId>, context: impl Into<ContextId>, status: TaskStatus) -> Self {
        Self { id: id.into(), context_id: context.into(), status, ..Self::default() }
    }

    /// The state within the status.
    pub fn state(&self) -> TaskState {
        self.status.state
    }

    /// The artifact with that id.
    pub fn artifact(&self, id: &str) -> Option<&Artifact> {
        self.artifacts.iter().find(|artifact| artifact.artifact_id.as_str() == id)
    }

    /// What the agent said last: the text of the status's message, empty for none.
    pub fn said(&self) -> String {
        self.status.message.as_ref().map(Message::text).unwrap_or_default()
    }

    /// All text the task produced: the texts of its artifacts, one below the other.
    pub fn text(&self) -> String {
        let texts: Vec<_> =
            self.artifacts.iter().map(Artifact::to_text).filter(|t| !t.is_empty()).collect();
        texts.join("\n")
    }
}

/// A task's state, when it was reached, and what the agent said about it.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct TaskStatus {
    /// The state.
    #[field(1, required)]
    pub state: TaskState,
    /// What the agent says about it, such as a question or a reason.
    #[field(2)]
    pub message: Option<Message>,
    /// When the state was reached.
    #[field(3)]
    pub timestamp: Option<Timestamp>,
}

impl TaskStatus {
    /// That state, without a message and without a time.
    pub fn new(state: TaskState) -> Self {
        Self { state, ..Self::default() }
    }

    /// The same with what the agent says about it.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Message>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// The same with the time it was reached.
    #[must_use]
    pub fn with_timestamp(mut self, at: Timestamp) -> Self {
        self.timestamp = Some(at);
        self
    }
}

impl From<TaskState> for TaskStatus {
    fn from(state: TaskState) -> Self {
        Self::new(state)
    }
}

/// Where a task is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ProtoEnum)]
#[non_exhaustive]
pub enum TaskState {
    /// Not said; in a filter: any.
    #[default]
    Unspecified = 0,
    /// Accepted, not begun.
    Submitted = 1,
    /// Under way.
    Working = 2,
    /// Done; terminal.
    Completed = 3,
    /// Ended with an error; terminal.
    Failed = 4,
    /// Canceled before it was done; terminal.
    Canceled = 5,
    /// Waits for an answer; interrupted.
    InputRequired = 6,
    /// The agent will not do it; terminal.
    Rejected = 7,
    /// Waits for authentication; interrupted.
    AuthRequired = 8,
    /// A state that this version does not know. It is only ever read: it is reported by `missing()`
    /// and written as [`Unspecified`](Self::Unspecified).
    #[field(unrecognized)]
    Unrecognized = -1,
}

impl TaskState {
    /// Whether the task has ended: nothing follows.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// Whether the task waits for its caller.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// The name without its prefix, as people write it: `input-required`.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Unspecified => "unspecified",
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::InputRequired => "input-required",
            Self::Rejected => "rejected",
            Self::AuthRequired => "auth-required",
            Self::Unrecognized => "unrecognized",
        }
    }

    /// The state of a [short name](Self::short_name), if there is one.
    pub fn from_short_name(name: &str) -> Option<Self> {
        use crate::ProtoEnum;
        Self::ALL.iter().copied().find(|state| state.short_name() == name)
    }
}

/// The [short name](TaskState::short_name).
impl fmt::Display for TaskState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.short_name())
    }
}
