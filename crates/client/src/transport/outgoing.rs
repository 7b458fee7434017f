//! What the transports need to know of a request message.

use sabir_compat::Message;
use sabir_compat::proto::{Request, Response};
use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, SendMessageRequest, SubscribeToTaskRequest, TaskPushNotificationConfig,
};

/// A request message: it has a tenant, and some of its members may stand in a path.
pub(crate) trait Outgoing: Message<Request> + Clone {
    /// The tenant.
    fn tenant(&mut self) -> &mut Option<String>;
}

/// A response message.
pub(crate) trait Incoming: Message<Response> {}

impl<T: Message<Response>> Incoming for T {}

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
