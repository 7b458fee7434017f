//! Tasks, and what happens to them.

use super::message::{Message, Part};
use crate::value::{AnyTime, Kind, KindState};
use crate::{context_of, is_final};
use sabir_types as v1;
use sabir_types::wire::ProtoMessage;
use sabir_types::{ArtifactId, ContextId, JsonObject, TaskId};

/// The unit of work.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct Task {
    #[field(1, required, may_be_empty)]
    kind: Kind,
    #[field(2, required)]
    id: TaskId,
    #[field(3, required)]
    context_id: ContextId,
    #[field(4, required)]
    status: Status,
    #[field(5)]
    artifacts: Vec<Artifact>,
    #[field(6)]
    history: Vec<Message>,
    #[field(7)]
    metadata: Option<JsonObject>,
}

/// A task's state, when it was reached, and what the agent said about it.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct Status {
    #[field(1, required)]
    state: KindState,
    #[field(2)]
    message: Option<Message>,
    #[field(3)]
    timestamp: Option<AnyTime>,
}

/// Something a task produced.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct Artifact {
    #[field(1, required)]
    artifact_id: ArtifactId,
    #[field(2)]
    name: Option<String>,
    #[field(3)]
    description: Option<String>,
    #[field(4, required)]
    parts: Vec<Part>,
    #[field(5)]
    metadata: Option<JsonObject>,
    #[field(6)]
    extensions: Vec<String>,
}

/// A task moved to a new status.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct StatusUpdate {
    #[field(1, required, may_be_empty)]
    kind: Kind,
    #[field(2, required)]
    task_id: TaskId,
    #[field(3, required)]
    context_id: ContextId,
    #[field(4, required)]
    status: Status,
    #[field(5, required, may_be_empty, name = "final")]
    ends: bool,
    #[field(6)]
    metadata: Option<JsonObject>,
}

/// A task produced an artifact, or more of one.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct ArtifactUpdate {
    #[field(1, required, may_be_empty)]
    kind: Kind,
    #[field(2, required)]
    task_id: TaskId,
    #[field(3, required)]
    context_id: ContextId,
    #[field(4, required)]
    artifact: Artifact,
    #[field(5)]
    append: bool,
    #[field(6)]
    last_chunk: bool,
    #[field(7)]
    metadata: Option<JsonObject>,
}

/// A page of tasks.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct ListTasks {
    #[field(1, required, may_be_empty)]
    tasks: Vec<Task>,
    #[field(2, required, may_be_empty)]
    next_page_token: String,
    #[field(3, required, may_be_empty)]
    page_size: i32,
    #[field(4, required, may_be_empty)]
    total_size: i32,
}

impl ListTasks {
    pub(crate) fn from_v1(page: v1::ListTasksResponse) -> Self {
        Self {
            tasks: page.tasks.into_iter().map(Task::from_v1).collect(),
            next_page_token: page.next_page_token,
            page_size: page.page_size,
            total_size: page.total_size,
        }
    }

    pub(crate) fn into_v1(self) -> v1::ListTasksResponse {
        v1::ListTasksResponse {
            tasks: self.tasks.into_iter().map(Task::into_v1).collect(),
            next_page_token: self.next_page_token,
            page_size: self.page_size,
            total_size: self.total_size,
        }
    }
}

impl Task {
    pub(crate) fn from_v1(task: v1::Task) -> Self {
        Self {
            kind: Kind("task"),
            context_id: context_of(task.context_id, &task.id),
            id: task.id,
            status: Status::from_v1(task.status),
            artifacts: task.artifacts.into_iter().map(Artifact::from_v1).collect(),
            history: task.history.into_iter().map(Message::from_v1).collect(),
            metadata: task.metadata,
        }
    }

    pub(crate) fn into_v1(self) -> v1::Task {
        v1::Task {
            id: self.id,
            context_id: self.context_id,
            status: self.status.into_v1(),
            artifacts: self.artifacts.into_iter().map(Artifact::into_v1).collect(),
            history: self.history.into_iter().map(Message::into_v1).collect(),
            metadata: self.metadata,
        }
    }
}

impl Status {
    fn from_v1(status: v1::TaskStatus) -> Self {
        Self {
            state: KindState(status.state),
            message: status.message.map(Message::from_v1),
            timestamp: status.timestamp.map(AnyTime),
        }
    }

    fn into_v1(self) -> v1::TaskStatus {
        v1::TaskStatus {
            state: self.state.0,
            message: self.message.map(Message::into_v1),
            timestamp: self.timestamp.map(|time| time.0),
        }
    }
}

impl Artifact {
    fn from_v1(artifact: v1::Artifact) -> Self {
        Self {
            artifact_id: artifact.artifact_id,
            name: artifact.name,
            description: artifact.description,
            parts: artifact.parts.into_iter().map(Part::from_v1).collect(),
            metadata: artifact.metadata,
            extensions: artifact.extensions,
        }
    }

    fn into_v1(self) -> v1::Artifact {
        v1::Artifact {
            artifact_id: self.artifact_id,
            name: self.name,
            description: self.description,
            parts: self.parts.into_iter().map(Part::into_v1).collect(),
            metadata: self.metadata,
            extensions: self.extensions,
        }
    }
}

impl StatusUpdate {
    pub(crate) fn from_v1(event: v1::TaskStatusUpdateEvent) -> Self {
        Self {
            kind: Kind("status-update"),
            context_id: context_of(event.context_id, &event.task_id),
            task_id: event.task_id,
            ends: is_final(event.status.state),
            status: Status::from_v1(event.status),
            metadata: event.metadata,
        }
    }

    pub(crate) fn into_v1(self) -> v1::TaskStatusUpdateEvent {
        v1::TaskStatusUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            status: self.status.into_v1(),
            metadata: self.metadata,
        }
    }
}

impl ArtifactUpdate {
    pub(crate) fn from_v1(event: v1::TaskArtifactUpdateEvent) -> Self {
        Self {
            kind: Kind("artifact-update"),
            context_id: context_of(event.context_id, &event.task_id),
            task_id: event.task_id,
            artifact: Artifact::from_v1(event.artifact),
            append: event.append,
            last_chunk: event.last_chunk,
            metadata: event.metadata,
        }
    }

    pub(crate) fn into_v1(self) -> v1::TaskArtifactUpdateEvent {
        v1::TaskArtifactUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            artifact: self.artifact.into_v1(),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: self.metadata,
        }
    }
}
