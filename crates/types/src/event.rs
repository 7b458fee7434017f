//! What a call answers and what a stream carries.

use crate::{Artifact, ContextId, JsonObject, Message, Task, TaskId, TaskState, TaskStatus};
use sabir_wire_derive::ProtoMessage;

/// A task moved to a new status.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct TaskStatusUpdateEvent {
    /// The task.
    #[field(1, required)]
    pub task_id: TaskId,
    /// Its conversation.
    #[field(2, required)]
    pub context_id: ContextId,
    /// The new status.
    #[field(3, required)]
    pub status: TaskStatus,
    /// Anything else, by key.
    #[field(4)]
    pub metadata: Option<JsonObject>,
}

/// A task produced an artifact, or more of one.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct TaskArtifactUpdateEvent {
    /// The task.
    #[field(1, required)]
    pub task_id: TaskId,
    /// Its conversation.
    #[field(2, required)]
    pub context_id: ContextId,
    /// The artifact, or the parts that are new.
    #[field(3, required)]
    pub artifact: Artifact,
    /// Whether the parts follow those of the artifact with the same id, rather than replace it.
    #[field(4)]
    pub append: bool,
    /// Whether the artifact is complete.
    #[field(5)]
    pub last_chunk: bool,
    /// Anything else, by key.
    #[field(6)]
    pub metadata: Option<JsonObject>,
}

/// The answer to a message: the task it started or joined, or a direct reply.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "payload")]
#[non_exhaustive]
pub enum SendMessageResponse {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// The task.
    #[field(1)]
    Task(Task),
    /// The reply, without a task.
    #[field(2)]
    Message(Message),
}

impl From<Task> for SendMessageResponse {
    fn from(task: Task) -> Self {
        Self::Task(task)
    }
}

impl From<Message> for SendMessageResponse {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

/// One item of a stream.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "payload")]
#[non_exhaustive]
pub enum StreamResponse {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// The task as it is.
    #[field(1)]
    Task(Task),
    /// A reply, without a task.
    #[field(2)]
    Message(Message),
    /// The task moved to a new status.
    #[field(3)]
    StatusUpdate(TaskStatusUpdateEvent),
    /// The task produced an artifact, or more of one.
    #[field(4)]
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

impl StreamResponse {
    /// The task it is about, if it is about one.
    pub fn task_id(&self) -> Option<&TaskId> {
        match self {
            Self::Unset => None,
            Self::Task(task) => Some(&task.id),
            Self::Message(message) => message.task_id.as_ref(),
            Self::StatusUpdate(event) => Some(&event.task_id),
            Self::ArtifactUpdate(event) => Some(&event.task_id),
        }
    }

    /// The conversation it belongs to, if it says so.
    pub fn context_id(&self) -> Option<&ContextId> {
        match self {
            Self::Unset => None,
            Self::Task(task) => Some(&task.context_id),
            Self::Message(message) => message.context_id.as_ref(),
            Self::StatusUpdate(event) => Some(&event.context_id),
            Self::ArtifactUpdate(event) => Some(&event.context_id),
        }
    }

    /// The state it says the task is in, if it says one.
    pub fn state(&self) -> Option<TaskState> {
        match self {
            Self::Task(task) => Some(task.status.state),
            Self::StatusUpdate(event) => Some(event.status.state),
            Self::Unset | Self::Message(_) | Self::ArtifactUpdate(_) => None,
        }
    }
}

impl From<Task> for StreamResponse {
    fn from(task: Task) -> Self {
        Self::Task(task)
    }
}

impl From<Message> for StreamResponse {
    fn from(message: Message) -> Self {
        Self::Message(message)
    }
}

impl From<TaskStatusUpdateEvent> for StreamResponse {
    fn from(event: TaskStatusUpdateEvent) -> Self {
        Self::StatusUpdate(event)
    }
}

impl From<TaskArtifactUpdateEvent> for StreamResponse {
    fn from(event: TaskArtifactUpdateEvent) -> Self {
        Self::ArtifactUpdate(event)
    }
}

impl From<SendMessageResponse> for StreamResponse {
    fn from(response: SendMessageResponse) -> Self {
        match response {
            SendMessageResponse::Unset => Self::Unset,
            SendMessageResponse::Task(task) => Self::Task(task),
            SendMessageResponse::Message(message) => Self::Message(message),
        }
    }
}
