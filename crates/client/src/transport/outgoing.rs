//! What the transports need to know of a request message.

use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, ProtoMessage, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig,
};
use serde::Serialize;

/// A request message: it has a tenant, and some of its members may stand in a path.
pub(crate) trait Outgoing: ProtoMessage + Serialize {
    /// The tenant.
    fn tenant(&mut self) -> &mut Option<String>;
}

macro_rules! outgoing {
    ($($request:ty),* $(,)?) => {$(
        impl Outgoing for $request {
            fn tenant(&mut self) -> &mut Option<String> {
                &mut self.tenant
            }
        }
    )*};
}

outgoing! {
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
}
