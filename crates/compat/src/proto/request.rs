//! Requests, which name tasks and push configs by resource names, and the push configs.

use super::message::Message;
use crate::file::FileBytes;
use crate::name;
use crate::push::PushNotificationConfig;
use sabir_types as v1;
use sabir_types::wire::ProtoMessage;
use sabir_types::{JsonObject, TaskId};

/// Sends a message.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SendMessageRequest {
    /// The message.
    #[field(1, required, name = "request", json_name = "message")]
    pub request: Message,
    /// How the client wants it handled.
    #[field(2)]
    pub configuration: Option<SendMessageConfiguration>,
    /// Anything else.
    #[field(3)]
    pub metadata: Option<JsonObject>,
}

/// How the client wants a message handled.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SendMessageConfiguration {
    /// The media types that the client takes.
    #[field(1)]
    pub accepted_output_modes: Vec<String>,
    /// Where to send what happens to the task.
    #[field(2)]
    pub push_notification: Option<PushNotificationConfig>,
    /// How many messages the answer may hold; 0 for all.
    #[field(3)]
    pub history_length: i32,
    /// Whether to wait. Without presence in protobuf: a configuration that does not say it means
    /// no, no configuration at all means yes.
    #[field(4, required, may_be_empty)]
    pub blocking: bool,
}

/// Asks for a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct GetTaskRequest {
    /// `tasks/{id}`.
    #[field(1)]
    pub name: String,
    /// How many messages the answer may hold; 0 for all.
    #[field(2)]
    pub history_length: i32,
}

/// Names a task or a push config: what most requests are.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Named {
    /// `tasks/{id}` or `tasks/{id}/pushNotificationConfigs/{config}`.
    #[field(1)]
    pub name: String,
}

/// Asks for the push configs of a task.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTaskPushNotificationConfigRequest {
    /// `tasks/{id}`.
    #[field(1)]
    pub parent: String,
    /// How many a page may hold.
    #[field(2)]
    pub page_size: i32,
    /// The page.
    #[field(3)]
    pub page_token: Option<String>,
}

/// Sets a push config.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct CreateTaskPushNotificationConfigRequest {
    /// `tasks/{id}`.
    #[field(1)]
    pub parent: String,
    /// The id of the config.
    #[field(2)]
    pub config_id: Option<String>,
    /// The config.
    #[field(3)]
    pub config: Option<TaskPushNotificationConfig>,
    /// The name of the config where it stands in place of the request, as some send it. Only read.
    #[field(40)]
    pub name: String,
    /// The config where it stands in place of the request, as some send it. Only read.
    #[field(41)]
    pub push_notification_config: Option<PushNotificationConfig>,
}

/// A push config with its name.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct TaskPushNotificationConfig {
    /// `tasks/{id}/pushNotificationConfigs/{config}`.
    #[field(1, required)]
    pub name: String,
    /// The config.
    #[field(2, required)]
    pub push_notification_config: PushNotificationConfig,
}

/// A page of push configs.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ListTaskPushNotificationConfigResponse {
    /// The configs.
    #[field(1)]
    pub configs: Vec<TaskPushNotificationConfig>,
    /// What to ask the next page with.
    #[field(2)]
    pub next_page_token: String,
}

/// Asks for the extended card.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct GetAgentCardRequest {}

impl SendMessageRequest {
    pub(super) fn from_v1(request: v1::SendMessageRequest, bytes: FileBytes) -> Self {
        // A configuration says whether to wait, and some peers wait only for one that says so.
        let configuration = request.configuration.unwrap_or_default();
        Self {
            request: Message::from_v1(request.message, bytes),
            configuration: Some(SendMessageConfiguration::from_v1(configuration)),
            metadata: request.metadata,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::SendMessageRequest {
        v1::SendMessageRequest {
            tenant: None,
            message: self.request.into_v1(bytes),
            configuration: self.configuration.map(SendMessageConfiguration::into_v1),
            metadata: self.metadata,
        }
    }
}

impl SendMessageConfiguration {
    fn from_v1(asked: v1::SendMessageConfiguration) -> Self {
        let push = asked.task_push_notification_config;
        Self {
            accepted_output_modes: asked.accepted_output_modes,
            push_notification: push.map(|push| PushNotificationConfig::from_v1(push).1),
            history_length: asked.history_length.unwrap_or_default(),
            blocking: !asked.return_immediately,
        }
    }

    fn into_v1(self) -> v1::SendMessageConfiguration {
        v1::SendMessageConfiguration {
            accepted_output_modes: self.accepted_output_modes,
            task_push_notification_config: self.push_notification.map(|push| push.into_v1(None)),
            history_length: crate::history_length(Some(self.history_length)),
            return_immediately: !self.blocking,
        }
    }
}

impl GetTaskRequest {
    pub(super) fn from_v1(request: &v1::GetTaskRequest) -> Self {
        let history_length = request.history_length.unwrap_or_default();
        Self { name: name::of_task(&request.id), history_length }
    }

    pub(super) fn into_v1(self) -> v1::GetTaskRequest {
        let id = name::parse(&self.name).0;
        let history_length = crate::history_length(Some(self.history_length));
        v1::GetTaskRequest { tenant: None, id, history_length }
    }
}

impl Named {
    pub(super) fn task(id: &TaskId) -> Self {
        Self { name: name::of_task(id) }
    }

    pub(super) fn config(task: &TaskId, config: &str) -> Self {
        Self { name: name::of_config(task, config) }
    }

    pub(super) fn into_task(self) -> TaskId {
        name::parse(&self.name).0
    }

    pub(super) fn into_config(self) -> (TaskId, String) {
        let (task, config) = name::parse(&self.name);
        (task, config.unwrap_or_default())
    }
}

impl ListTaskPushNotificationConfigRequest {
    pub(super) fn from_v1(request: v1::ListTaskPushNotificationConfigsRequest) -> Self {
        Self {
            parent: name::of_task(&request.task_id),
            page_size: request.page_size,
            page_token: request.page_token,
        }
    }

    pub(super) fn into_v1(self) -> v1::ListTaskPushNotificationConfigsRequest {
        v1::ListTaskPushNotificationConfigsRequest {
            tenant: None,
            task_id: name::parse(&self.parent).0,
            page_size: self.page_size,
            page_token: self.page_token,
        }
    }
}

impl CreateTaskPushNotificationConfigRequest {
    pub(super) fn from_v1(config: v1::TaskPushNotificationConfig) -> Self {
        let task = config.task_id.clone().unwrap_or_default();
        Self {
            parent: name::of_task(&task),
            config_id: config.id.clone(),
            config: Some(TaskPushNotificationConfig::from_v1(config)),
            ..Self::default()
        }
    }

    pub(super) fn into_v1(self) -> v1::TaskPushNotificationConfig {
        let config = self.config.unwrap_or_else(|| TaskPushNotificationConfig {
            name: self.name,
            push_notification_config: self.push_notification_config.unwrap_or_default(),
        });
        let mut config = config.into_v1();
        let parent = name::parse(&self.parent).0;
        if !parent.is_empty() {
            config.task_id = Some(parent);
        }
        config.id = config.id.or(self.config_id);
        config
    }
}

impl TaskPushNotificationConfig {
    pub(super) fn from_v1(config: v1::TaskPushNotificationConfig) -> Self {
        let (task, config) = PushNotificationConfig::from_v1(config);
        let id = config.id.as_deref().unwrap_or_default();
        let name = name::of_config(&task.unwrap_or_default(), id);
        Self { name, push_notification_config: config }
    }

    pub(super) fn into_v1(self) -> v1::TaskPushNotificationConfig {
        let (task, named) = name::parse(&self.name);
        let mut config = self.push_notification_config;
        config.id = config.id.or(named.filter(|id| !id.is_empty()));
        config.into_v1(Some(task).filter(|task| !task.is_empty()))
    }
}

impl ListTaskPushNotificationConfigResponse {
    pub(super) fn from_v1(page: v1::ListTaskPushNotificationConfigsResponse) -> Self {
        Self {
            configs: page.configs.into_iter().map(TaskPushNotificationConfig::from_v1).collect(),
            next_page_token: page.next_page_token,
        }
    }

    pub(super) fn into_v1(self) -> v1::ListTaskPushNotificationConfigsResponse {
        v1::ListTaskPushNotificationConfigsResponse {
            configs: self.configs.into_iter().map(TaskPushNotificationConfig::into_v1).collect(),
            next_page_token: self.next_page_token,
        }
    }
}
