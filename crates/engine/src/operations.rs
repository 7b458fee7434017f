//! The engine as an [`Agent`].

use crate::accept::{Mode, Taken};
use crate::agent::{Agent, Answer, Call, EventStream};
use crate::engine::{Engine, Inner};
use crate::fold::into_view;
use crate::live::Outcome;
use async_trait::async_trait;
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};

impl Inner {
    /// The outcome that a sender waits for, or how the task stands where it does not.
    async fn outcome(&self, taken: &mut Taken, history: usize) -> Result<Outcome, Error> {
        if let Some(rest) = taken.rest.take() {
            let outcome = rest.await;
            let outcome = outcome.map_err(|_| Error::unavailable("the agent was stopped"))??;
            if !self.config.push_settle.is_zero() {
                Box::pin(self.settle_pushes(&taken.live.key)).await;
            }
            return Ok(outcome);
        }
        // The caller learns the id only once the task stands.
        if let Some(core) = &taken.core {
            core.show();
            core.committed().await?;
        }
        Ok(taken.live.lock().outcome(taken.turn, history))
    }

    fn extended_card(&self, call: &Call) -> Result<AgentCard, Error> {
        if self.card.capabilities.extended_agent_card != Some(true) {
            return Err(Error::unsupported_operation(
                "this agent has no extended card (capabilities.extendedAgentCard)",
            ));
        }
        if call.principal.is_anonymous() && !self.card.security_schemes.is_empty() {
            return Err(Error::unauthenticated(
                "the extended card is for callers who prove who they are by a declared scheme",
            ));
        }
        self.extended.clone().ok_or_else(Error::extended_agent_card_not_configured)
    }
}

#[async_trait]
impl Agent for Engine {
    async fn send_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        // Here and not one call further down, because each would keep a request in its future.
        let incoming = self.inner.incoming(call, request, Mode::Wait)?;
        let history = incoming.history;
        let mut taken = self.inner.accept(call, incoming).await?;
        let outcome = self.inner.outcome(&mut taken, history).await?;
        let replayed = taken.replayed;
        // With it goes, as a rule, the last one who refers to the task.
        drop(taken);
        let value = match outcome {
            Outcome::Task(task, history) => SendMessageResponse::Task(into_view(task, history)),
            Outcome::Message(message) => SendMessageResponse::Message(message),
        };
        Ok(Answer { value, replayed })
    }

    async fn send_streaming_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error> {
        self.inner.check_streaming()?;
        let incoming = self.inner.incoming(call, request, Mode::Stream)?;
        let taken = self.inner.accept(call, incoming).await?;
        self.inner.stream(taken)
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        self.inner.get_task(call, &request).await
    }

    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        self.inner.list_tasks(call, &request).await
    }

    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        self.inner.cancel_task(call, &request).await
    }

    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        self.inner.subscribe_to_task(call, &request).await
    }

    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.inner.create_push(call, request).await
    }

    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.inner.get_push(call, &request).await
    }

    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.inner.list_pushes(call, &request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        self.inner.delete_push(call, &request).await
    }

    async fn get_extended_agent_card(
        &self,
        call: &Call,
        _request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error> {
        self.inner.extended_card(call)
    }
}
