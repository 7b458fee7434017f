//! Tasks, and what happens to them.

use super::message::{Message, Part};
use crate::file::FileBytes;
use crate::value::{AnyTime, ProtoState};
use crate::{context_of, is_final};
use sabir_types as v1;
use sabir_types::wire::ProtoMessage;
use sabir_types::{ArtifactId, ContextId, JsonObject, TaskId};

/// The unit of work.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Task {
    /// Made by the server.
    #[field(1, required)]
    pub id: TaskId,
    /// The conversation.
    #[field(2, required)]
    pub context_id: ContextId,
    /// Where the task is.
    #[field(3, required)]
    pub status: TaskStatus,
    /// What it has produced.
    #[field(4)]
    pub artifacts: Vec<Artifact>,
    /// What was said.
    #[field(5)]
    pub history: Vec<Message>,
    /// Anything else.
    #[field(6)]
    pub metadata: Option<JsonObject>,
}

/// A task's state, when it was reached, and what the agent said about it.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct TaskStatus {
    /// The state.
    #[field(1, required)]
    pub state: ProtoState,
    /// What the agent says about it.
    #[field(2, name = "update", json_name = "message")]
    pub update: Option<Message>,
    /// When it was reached.
    #[field(3)]
    pub timestamp: Option<AnyTime>,
}

/// Something a task produced.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Artifact {
    /// Unique within the task.
    #[field(1, required)]
    pub artifact_id: ArtifactId,
    /// For people.
    #[field(3)]
    pub name: Option<String>,
    /// For people.
    #[field(4)]
    pub description: Option<String>,
    /// The content.
    #[field(5, required)]
    pub parts: Vec<Part>,
    /// Anything else.
    #[field(6)]
    pub metadata: Option<JsonObject>,
    /// Extensions, by URI.
    #[field(7)]
    pub extensions: Vec<String>,
}

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
    /// Whether the stream ends with it.
    #[field(4, name = "final")]
    pub ends: bool,
    /// Anything else.
    #[field(5)]
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
    /// The artifact, or what is new of it.
    #[field(3, required)]
    pub artifact: Artifact,
    /// Whether the parts follow those before.
    #[field(4)]
    pub append: bool,
    /// Whether the artifact is complete.
    #[field(5)]
    pub last_chunk: bool,
    /// Anything else.
    #[field(6)]
    pub metadata: Option<JsonObject>,
}

/// The answer to a message.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "payload")]
pub enum SendMessageResponse {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// The task.
    #[field(1)]
    Task(Task),
    /// The reply.
    #[field(2, name = "msg", json_name = "message")]
    Msg(Message),
}

/// One item of a stream.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "payload")]
pub enum StreamResponse {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// The task as it is.
    #[field(1)]
    Task(Task),
    /// A reply.
    #[field(2, name = "msg", json_name = "message")]
    Msg(Message),
    /// The task moved to a new status.
    #[field(3)]
    StatusUpdate(TaskStatusUpdateEvent),
    /// The task produced an artifact, or more of one.
    #[field(4)]
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

/// A page of tasks. The package `a2a.v1` has none; the table of HTTP+JSON in 0.3 does.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTasksResponse {
    /// The tasks.
    #[field(1, required, may_be_empty)]
    pub tasks: Vec<Task>,
    /// What to ask the next page with.
    #[field(2, required, may_be_empty)]
    pub next_page_token: String,
    /// The page size that was used.
    #[field(3, required, may_be_empty)]
    pub page_size: i32,
    /// How many tasks match.
    #[field(4, required, may_be_empty)]
    pub total_size: i32,
}

impl Task {
    pub(super) fn from_v1(task: v1::Task, bytes: FileBytes) -> Self {
        let history = task.history.into_iter();
        Self {
            context_id: context_of(task.context_id, &task.id),
            id: task.id,
            status: TaskStatus::from_v1(task.status, bytes),
            artifacts: task.artifacts.into_iter().map(|a| Artifact::from_v1(a, bytes)).collect(),
            history: history.map(|message| Message::from_v1(message, bytes)).collect(),
            metadata: task.metadata,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::Task {
        v1::Task {
            id: self.id,
            context_id: self.context_id,
            status: self.status.into_v1(bytes),
            artifacts: self.artifacts.into_iter().map(|a| a.into_v1(bytes)).collect(),
            history: self.history.into_iter().map(|message| message.into_v1(bytes)).collect(),
            metadata: self.metadata,
        }
    }
}

impl TaskStatus {
    fn from_v1(status: v1::TaskStatus, bytes: FileBytes) -> Self {
        Self {
            state: ProtoState(status.state),
            update: status.message.map(|message| Message::from_v1(message, bytes)),
            timestamp: status.timestamp.map(AnyTime),
        }
    }

    fn into_v1(self, bytes: FileBytes) -> v1::TaskStatus {
        v1::TaskStatus {
            state: self.state.0,
            message: self.update.map(|message| message.into_v1(bytes)),
            timestamp: self.timestamp.map(|time| time.0),
        }
    }
}

impl Artifact {
    fn from_v1(artifact: v1::Artifact, bytes: FileBytes) -> Self {
        Self {
            artifact_id: artifact.artifact_id,
            name: artifact.name,
            description: artifact.description,
            parts: Part::all_from_v1(artifact.parts, bytes),
            metadata: artifact.metadata,
            extensions: artifact.extensions,
        }
    }

    fn into_v1(self, bytes: FileBytes) -> v1::Artifact {
        v1::Artifact {
            artifact_id: self.artifact_id,
            name: self.name,
            description: self.description,
            parts: Part::all_into_v1(self.parts, bytes),
            metadata: self.metadata,
            extensions: self.extensions,
        }
    }
}

impl TaskStatusUpdateEvent {
    fn from_v1(event: v1::TaskStatusUpdateEvent, bytes: FileBytes) -> Self {
        Self {
            context_id: context_of(event.context_id, &event.task_id),
            task_id: event.task_id,
            ends: is_final(event.status.state),
            status: TaskStatus::from_v1(event.status, bytes),
            metadata: event.metadata,
        }
    }

    fn into_v1(self, bytes: FileBytes) -> v1::TaskStatusUpdateEvent {
        v1::TaskStatusUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            status: self.status.into_v1(bytes),
            metadata: self.metadata,
        }
    }
}

impl TaskArtifactUpdateEvent {
    fn from_v1(event: v1::TaskArtifactUpdateEvent, bytes: FileBytes) -> Self {
        Self {
            context_id: context_of(event.context_id, &event.task_id),
            task_id: event.task_id,
            artifact: Artifact::from_v1(event.artifact, bytes),
            append: event.append,
            last_chunk: event.last_chunk,
            metadata: event.metadata,
        }
    }

    fn into_v1(self, bytes: FileBytes) -> v1::TaskArtifactUpdateEvent {
        v1::TaskArtifactUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            artifact: self.artifact.into_v1(bytes),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: self.metadata,
        }
    }
}

impl SendMessageResponse {
    pub(super) fn from_v1(response: v1::SendMessageResponse, bytes: FileBytes) -> Self {
        match response {
            v1::SendMessageResponse::Task(task) => Self::Task(Task::from_v1(task, bytes)),
            v1::SendMessageResponse::Message(message) => {
                Self::Msg(Message::from_v1(message, bytes))
            }
            _ => Self::Unset,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::SendMessageResponse {
        match self {
            Self::Unset => v1::SendMessageResponse::Unset,
            Self::Task(task) => task.into_v1(bytes).into(),
            Self::Msg(message) => message.into_v1(bytes).into(),
        }
    }
}

impl StreamResponse {
    pub(super) fn from_v1(response: v1::StreamResponse, bytes: FileBytes) -> Self {
        use v1::StreamResponse as V1;
        match response {
            V1::Task(task) => Self::Task(Task::from_v1(task, bytes)),
            V1::Message(message) => Self::Msg(Message::from_v1(message, bytes)),
            V1::StatusUpdate(event) => {
                Self::StatusUpdate(TaskStatusUpdateEvent::from_v1(event, bytes))
            }
            V1::ArtifactUpdate(event) => {
                Self::ArtifactUpdate(TaskArtifactUpdateEvent::from_v1(event, bytes))
            }
            _ => Self::Unset,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::StreamResponse {
        match self {
            Self::Unset => v1::StreamResponse::Unset,
            Self::Task(task) => task.into_v1(bytes).into(),
            Self::Msg(message) => message.into_v1(bytes).into(),
            Self::StatusUpdate(event) => event.into_v1(bytes).into(),
            Self::ArtifactUpdate(event) => event.into_v1(bytes).into(),
        }
    }
}

impl ListTasksResponse {
    pub(super) fn from_v1(page: v1::ListTasksResponse, bytes: FileBytes) -> Self {
        Self {
            tasks: page.tasks.into_iter().map(|task| Task::from_v1(task, bytes)).collect(),
            next_page_token: page.next_page_token,
            page_size: page.page_size,
            total_size: page.total_size,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::ListTasksResponse {
        v1::ListTasksResponse {
            tasks: self.tasks.into_iter().map(|task| task.into_v1(bytes)).collect(),
            next_page_token: self.next_page_token,
            page_size: self.page_size,
            total_size: self.total_size,
        }
    }
}
