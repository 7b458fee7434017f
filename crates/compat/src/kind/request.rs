//! The parameters of methods, and the results that are push configs.

use super::message::Message;
use crate::push::PushNotificationConfig;
use sabir_types as v1;
use sabir_types::wire::ProtoMessage;
use sabir_types::{JsonObject, TaskId};

/// `message/send` and `message/stream`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct SendParams {
    #[field(1)]
    tenant: Option<String>,
    #[field(2, required)]
    message: Message,
    #[field(3)]
    configuration: Option<SendConfiguration>,
    #[field(4)]
    metadata: Option<JsonObject>,
}

/// How the client wants a message handled.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct SendConfiguration {
    #[field(1)]
    accepted_output_modes: Vec<String>,
    #[field(2)]
    push_notification_config: Option<PushNotificationConfig>,
    #[field(3, optional)]
    history_length: Option<i32>,
    /// Absent means true: all servers of 0.3 wait then.
    #[field(4, optional)]
    blocking: Option<bool>,
}

impl SendParams {
    pub(crate) fn from_v1(request: v1::SendMessageRequest) -> Self {
        Self {
            tenant: request.tenant,
            message: Message::from_v1(request.message),
            configuration: request.configuration.map(SendConfiguration::from_v1),
            metadata: request.metadata,
        }
    }

    pub(crate) fn into_v1(self) -> v1::SendMessageRequest {
        v1::SendMessageRequest {
            tenant: self.tenant,
            message: self.message.into_v1(),
            configuration: self.configuration.map(SendConfiguration::into_v1),
            metadata: self.metadata,
        }
    }
}

impl SendConfiguration {
    fn from_v1(asked: v1::SendMessageConfiguration) -> Self {
        let push = asked.task_push_notification_config;
        Self {
            accepted_output_modes: asked.accepted_output_modes,
            push_notification_config: push.map(|push| PushNotificationConfig::from_v1(push).1),
            history_length: asked.history_length,
            blocking: Some(!asked.return_immediately),
        }
    }

    fn into_v1(self) -> v1::SendMessageConfiguration {
        v1::SendMessageConfiguration {
            accepted_output_modes: self.accepted_output_modes,
            task_push_notification_config: self
                .push_notification_config
                .map(|push| push.into_v1(None)),
            history_length: crate::history_length(self.history_length),
            return_immediately: self.blocking == Some(false),
        }
    }
}

/// All methods that name a task and little else, and those on the push configs of one.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct TaskParams {
    #[field(1)]
    tenant: Option<String>,
    #[field(2, required)]
    id: TaskId,
    #[field(3, optional)]
    history_length: Option<i32>,
    #[field(4)]
    push_notification_config_id: Option<String>,
    #[field(5)]
    metadata: Option<JsonObject>,
}

/// Between the parameters and a request of 1.0 that has these members under these names.
macro_rules! task_params {
    ($($name:ident => $request:ident { $id:ident $(, $more:ident)* };)*) => {$(
        pub(crate) mod $name {
            use super::TaskParams;
            use sabir_types::$request;

            pub(crate) fn from_v1(request: $request) -> TaskParams {
                TaskParams {
                    tenant: request.tenant,
                    id: request.$id,
                    $($more: request.$more,)*
                    ..TaskParams::default()
                }
            }

            #[allow(clippy::needless_update, reason = "some requests have more members")]
            pub(crate) fn into_v1(params: TaskParams) -> $request {
                $request {
                    tenant: params.tenant,
                    $id: params.id,
                    $($more: super::read::$more(params.$more),)*
                    ..$request::default()
                }
            }
        }
    )*};
}

/// How the members are read that may be absent.
mod read {
    use sabir_types::JsonObject;

    pub(super) fn history_length(asked: Option<i32>) -> Option<i32> {
        crate::history_length(asked)
    }

    pub(super) fn metadata(metadata: Option<JsonObject>) -> Option<JsonObject> {
        metadata
    }
}

task_params! {
    get_task => GetTaskRequest { id, history_length };
    cancel_task => CancelTaskRequest { id, metadata };
    subscribe => SubscribeToTaskRequest { id };
    list_configs => ListTaskPushNotificationConfigsRequest { task_id };
}

impl TaskParams {
    pub(crate) fn of_config(tenant: Option<String>, task: TaskId, config: String) -> Self {
        let push_notification_config_id = Some(config).filter(|id| !id.is_empty());
        Self { tenant, id: task, push_notification_config_id, ..Self::default() }
    }

    /// The tenant, the task, and the config. Where none is named it is the one that was set without
    /// a name, which has that of its task.
    pub(crate) fn into_config(self) -> (Option<String>, TaskId, String) {
        let named = self.push_notification_config_id.filter(|id| !id.is_empty());
        let config = named.unwrap_or_else(|| self.id.as_str().to_owned());
        (self.tenant, self.id, config)
    }
}

/// A push config with its task: the parameters of `set`, and the result of `set` and `get`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct TaskConfig {
    #[field(1, required)]
    task_id: TaskId,
    #[field(2, required)]
    push_notification_config: PushNotificationConfig,
    #[field(3)]
    tenant: Option<String>,
}

impl TaskConfig {
    pub(crate) fn from_v1(config: v1::TaskPushNotificationConfig) -> Self {
        let tenant = config.tenant.clone();
        let (task_id, push_notification_config) = PushNotificationConfig::from_v1(config);
        Self { task_id: task_id.unwrap_or_default(), push_notification_config, tenant }
    }

    pub(crate) fn into_v1(self) -> v1::TaskPushNotificationConfig {
        let task_id = Some(self.task_id).filter(|id| !id.is_empty());
        let mut config = self.push_notification_config.into_v1(task_id);
        config.tenant = self.tenant;
        config
    }
}
