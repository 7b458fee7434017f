//! An agent as clients of A2A 0.3 expect it to behave, where that is not how 1.0 does.
//!
//! | what | in 0.3 |
//! |--|--|
//! | a stream whose task waits for its caller | ends |
//! | to subscribe to a task that has ended | gives the task and ends |
//! | a push config that is set without a name | has that of its task |
//! | to get a push config without a name | gives that one, else the first |

use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use sabir_compat::is_final;
use sabir_engine::{Agent, Answer, Call, Event, EventStream};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::sync::Arc;

/// Answers as an agent of 0.3.
pub(crate) struct Older(pub(crate) Arc<dyn Agent>);

#[async_trait]
impl Agent for Older {
    async fn send_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        self.0.send_message(call, request).await
    }

    async fn send_streaming_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error> {
        let answer = self.0.send_streaming_message(call, request).await?;
        // Only an update tells that the task waits now: what it was when the message came says
        // nothing about what the message does to it.
        let is_last = |event: &StreamResponse| matches!(event, StreamResponse::StatusUpdate(update) if is_final(update.status.state));
        Ok(Answer { value: until(answer.value, is_last), replayed: answer.replayed })
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        self.0.get_task(call, request).await
    }

    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        self.0.list_tasks(call, request).await
    }

    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        self.0.cancel_task(call, request).await
    }

    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        let SubscribeToTaskRequest { tenant, id } = request.clone();
        match self.0.subscribe_to_task(call, request).await {
            Ok(events) => Ok(until(events, |event| event.state().is_some_and(is_final))),
            Err(error) if error.kind() == ErrorKind::UnsupportedOperation => {
                let request = GetTaskRequest { tenant, id, ..GetTaskRequest::default() };
                let task = self.0.get_task(call, request).await?;
                if !task.state().is_terminal() {
                    return Err(error);
                }
                let event = Arc::new(Event::from_response(None, task.into()));
                Ok(stream::once(async { Ok(event) }).boxed())
            }
            Err(error) => Err(error),
        }
    }

    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        mut request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        if request.id.as_deref().is_none_or(str::is_empty) {
            request.id = request.task_id.as_ref().map(|task| task.as_str().to_owned());
        }
        self.0.create_task_push_notification_config(call, request).await
    }

    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        let found = self.0.get_task_push_notification_config(call, request.clone()).await;
        match found {
            Err(error)
                if error.kind() == ErrorKind::TaskNotFound && request.task_id == *request.id =>
            {
                let list = ListTaskPushNotificationConfigsRequest {
                    tenant: request.tenant,
                    task_id: request.task_id,
                    page_size: 1,
                    page_token: None,
                };
                let all = self.0.list_task_push_notification_configs(call, list).await?;
                all.configs.into_iter().next().ok_or(error)
            }
            found => found,
        }
    }

    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.0.list_task_push_notification_configs(call, request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        self.0.delete_task_push_notification_config(call, request).await
    }

    async fn get_extended_agent_card(
        &self,
        call: &Call,
        request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error> {
        self.0.get_extended_agent_card(call, request).await
    }
}

/// The events up to and with the last one.
fn until(events: EventStream, is_last: fn(&StreamResponse) -> bool) -> EventStream {
    stream::unfold(Some(events), move |events| async move {
        let mut events = events?;
        let item = events.next().await?;
        let ended = match &item {
            Ok(event) => event.response().is_ok_and(is_last),
            Err(_) => true,
        };
        Some((item, (!ended).then_some(events)))
    })
    .boxed()
}
