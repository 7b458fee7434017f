//! An agent whose extended card is for callers with a credential, although its card names no way
//! to prove anything: as ACTS wants it.

use crate::access::{MAY_NOT, MAY_READ_MORE};
use sabir::engine::{Agent, Answer, Call, EventStream, async_trait};
use sabir::types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::sync::Arc;

/// Another agent, with a guard before its extended card.
pub(crate) struct Guarded(pub(crate) Arc<dyn Agent>);

fn may_read_more(call: &Call) -> Result<(), Error> {
    if call.principal.has_scope(MAY_READ_MORE) {
        Ok(())
    } else if call.principal.has_scope(MAY_NOT) {
        Err(Error::forbidden("the token is not good for the extended card"))
    } else {
        Err(Error::unauthenticated("the extended card needs a bearer token"))
    }
}

macro_rules! passed_on {
    ($($method:ident($request:ty) -> $answer:ty;)*) => {
        #[async_trait]
        impl Agent for Guarded {
            $(async fn $method(&self, call: &Call, request: $request) -> Result<$answer, Error> {
                self.0.$method(call, request).await
            })*

            async fn get_extended_agent_card(
                &self,
                call: &Call,
                request: GetExtendedAgentCardRequest,
            ) -> Result<AgentCard, Error> {
                may_read_more(call)?;
                self.0.get_extended_agent_card(call, request).await
            }
        }
    };
}

passed_on! {
    send_message(SendMessageRequest) -> Answer<SendMessageResponse>;
    send_streaming_message(SendMessageRequest) -> Answer<EventStream>;
    get_task(GetTaskRequest) -> Task;
    list_tasks(ListTasksRequest) -> ListTasksResponse;
    cancel_task(CancelTaskRequest) -> Task;
    subscribe_to_task(SubscribeToTaskRequest) -> EventStream;
    create_task_push_notification_config(TaskPushNotificationConfig) -> TaskPushNotificationConfig;
    get_task_push_notification_config(GetTaskPushNotificationConfigRequest)
        -> TaskPushNotificationConfig;
    list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest)
        -> ListTaskPushNotificationConfigsResponse;
    delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest) -> ();
}
