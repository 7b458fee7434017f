//! Requests, and the answers that are lists.

use crate::{
    ContextId, JsonObject, Message, Task, TaskId, TaskPushNotificationConfig, TaskState, Timestamp,
};
use sabir_wire_derive::ProtoMessage;

/// Sends a message to the agent.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SendMessageRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The message.
    #[field(2, required)]
    pub message: Message,
    /// How the client wants it handled.
    #[field(3)]
    pub configuration: Option<SendMessageConfiguration>,
    /// Anything else, by key.
    #[field(4)]
    pub metadata: Option<JsonObject>,
}

impl SendMessageRequest {
    /// A request that sends this message.
    pub fn new(message: Message) -> Self {
        Self { message, ..Self::default() }
    }
}

impl From<Message> for SendMessageRequest {
    fn from(message: Message) -> Self {
        Self::new(message)
    }
}

/// How the client wants a message handled.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SendMessageConfiguration {
    /// The media types that the client takes.
    #[field(1)]
    pub accepted_output_modes: Vec<String>,
    /// Where to send what happens to the task.
    #[field(2)]
    pub task_push_notification_config: Option<TaskPushNotificationConfig>,
    /// How many of the newest messages the answer may hold; `None` leaves it to the server.
    #[field(3, optional)]
    pub history_length: Option<i32>,
    /// Whether to answer as soon as the task exists, rather than when it ends or waits.
    #[field(4)]
    pub return_immediately: bool,
}

/// Asks for a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct GetTaskRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The task.
    #[field(2, required)]
    pub id: TaskId,
    /// How many of the newest messages the answer may hold; `None` leaves it to the server.
    #[field(3, optional)]
    pub history_length: Option<i32>,
}

/// Asks for the tasks that match all filters.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTasksRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// Only tasks of this conversation.
    #[field(2)]
    pub context_id: Option<ContextId>,
    /// Only tasks in this state; `Unspecified` for all.
    #[field(3)]
    pub status: TaskState,
    /// How many tasks a page may hold, from 1 to 100; 50 when unset.
    #[field(4, optional)]
    pub page_size: Option<i32>,
    /// The `next_page_token` of the page before.
    #[field(5)]
    pub page_token: Option<String>,
    /// How many of the newest messages each task may hold; `None` leaves it to the server.
    #[field(6, optional)]
    pub history_length: Option<i32>,
    /// Only tasks whose status is of this time or later.
    #[field(7)]
    pub status_timestamp_after: Option<Timestamp>,
    /// Whether the tasks come with their artifacts.
    #[field(8, optional)]
    pub include_artifacts: Option<bool>,
}

/// A page of tasks.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTasksResponse {
    /// The tasks, the one with the newest status first.
    #[field(1, required, may_be_empty)]
    pub tasks: Vec<Task>,
    /// What to ask the next page with; empty on the last one.
    #[field(2, required, may_be_empty)]
    pub next_page_token: String,
    /// The page size that was used.
    #[field(3, required, may_be_empty)]
    pub page_size: i32,
    /// How many tasks match, on all pages.
    #[field(4, required, may_be_empty)]
    pub total_size: i32,
}

/// Cancels a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct CancelTaskRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The task.
    #[field(2, required)]
    pub id: TaskId,
    /// Anything else, by key.
    #[field(3)]
    pub metadata: Option<JsonObject>,
}

/// Follows a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SubscribeToTaskRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The task.
    #[field(2, required)]
    pub id: TaskId,
}

/// Asks for a push configuration.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct GetTaskPushNotificationConfigRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The task.
    #[field(2, required)]
    pub task_id: TaskId,
    /// The configuration.
    #[field(3, required)]
    pub id: String,
}

/// Deletes a push configuration.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct DeleteTaskPushNotificationConfigRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// The task.
    #[field(2, required)]
    pub task_id: TaskId,
    /// The configuration.
    #[field(3, required)]
    pub id: String,
}

/// Asks for the push configurations of a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTaskPushNotificationConfigsRequest {
    /// The tenant, as in the card's interface.
    #[field(4)]
    pub tenant: Option<String>,
    /// The task.
    #[field(1, required)]
    pub task_id: TaskId,
    /// How many configurations a page may hold; 0 leaves it to the server.
    #[field(2)]
    pub page_size: i32,
    /// The `next_page_token` of the page before.
    #[field(3)]
    pub page_token: Option<String>,
}

/// A page of push configurations.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTaskPushNotificationConfigsResponse {
    /// The configurations.
    #[field(1)]
    pub configs: Vec<TaskPushNotificationConfig>,
    /// What to ask the next page with; empty on the last one.
    #[field(2)]
    pub next_page_token: String,
}

/// Asks for the card that only authenticated callers get.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct GetExtendedAgentCardRequest {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
}
