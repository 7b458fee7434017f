//! An agent by one of its interfaces.

use crate::ask::sign;
use crate::builder::TIMEOUT;
use crate::follow::{Opening, follow};
use crate::http::text;
use crate::link::{Link, Reply};
use crate::transport::{Incoming, Outgoing};
use async_trait::async_trait;
use futures_util::{StreamExt, stream};
use http::HeaderMap;
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Operation, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig, TaskState,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Answers A2A's operations by asking one interface of an agent.
#[derive(Clone)]
pub(crate) struct Interface {
    pub(crate) link: Arc<Link>,
}

impl Interface {
    /// A call whose answer does not wait for work.
    async fn ask<T: Incoming>(
        &self,
        operation: Operation,
        call: &Call,
        request: impl Outgoing,
    ) -> Result<T, Error> {
        let sent = AtomicU32::new(0);
        Ok(self.link.call(operation, call, request, self.patience(), &sent).await?.value)
    }

    /// Leaves out the history that was not asked for: in 0.3 nobody can ask for none.
    fn cut(&self, task: &mut Task, asked: Option<i32>) {
        if self.link.wire.is_older() && asked == Some(0) {
            task.history.clear();
        }
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.link.timeout.unwrap_or(TIMEOUT))
    }

    /// A stream whose opening was not refused. In 0.3 a refusal may be the first event.
    async fn opened(&self, mut events: EventStream) -> Result<EventStream, Error> {
        if !self.link.wire.is_older() {
            return Ok(events);
        }
        match events.next().await {
            Some(Err(refusal)) => Err(refusal),
            first => Ok(stream::iter(first).chain(events).boxed()),
        }
    }

    /// Signs a message and refuses what its configuration asks for in vain.
    fn prepare(&self, request: &mut SendMessageRequest) -> Result<(), Error> {
        sign(&mut request.message);
        let configuration = request.configuration.as_ref();
        if configuration.is_some_and(|c| c.task_push_notification_config.is_some()) {
            self.link.check(Operation::CreateTaskPushNotificationConfig)?;
        }
        Ok(())
    }
}

#[async_trait]
impl Agent for Interface {
    async fn send_message(
        &self,
        call: &Call,
        mut request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        self.prepare(&mut request)?;
        let history = request.configuration.as_ref().and_then(|asked| asked.history_length);
        let waits = !request.configuration.as_ref().is_some_and(|c| c.return_immediately);
        // Work takes as long as it takes, unless the caller says otherwise.
        let timeout = if waits { self.link.timeout } else { self.patience() };
        let sent = AtomicU32::new(0);
        let operation = Operation::SendMessage;
        let mut reply: Reply<SendMessageResponse> =
            self.link.call(operation, call, request, timeout, &sent).await?;
        if let SendMessageResponse::Task(task) = &mut reply.value {
            self.cut(task, history);
        }
        if reply.value == SendMessageResponse::Unset {
            let message = "the answer to a message is neither a task nor a message";
            return Err(Error::invalid_agent_response(message));
        }
        Ok(Answer { value: reply.value, replayed: is_replayed(&reply.headers) })
    }

    async fn send_streaming_message(
        &self,
        call: &Call,
        mut request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error> {
        let operation = Operation::SendStreamingMessage;
        self.link.check(operation)?;
        self.prepare(&mut request)?;
        let task = request.message.task_id.clone().map(|id| (id, request.tenant.clone()));
        let body = self.link.open(operation, call, request, None).await?;
        let replayed = is_replayed(body.headers());
        let events = follow(self.link.clone(), call.clone(), Opening::Message, task, body);
        Ok(Answer { value: self.opened(events).await?, replayed })
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        let history = request.history_length;
        let mut task = self.ask(Operation::GetTask, call, request).await?;
        self.cut(&mut task, history);
        Ok(task)
    }

    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        self.ask(Operation::ListTasks, call, request).await
    }

    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        let (id, tenant) = (request.id.clone(), request.tenant.clone());
        let sent = AtomicU32::new(0);
        let operation = Operation::CancelTask;
        let outcome = self.link.call(operation, call, request, self.patience(), &sent).await;
        match outcome {
            Ok(reply) => Ok(reply.value),
            // The first attempt may have done it and only its answer was lost.
            Err(error)
                if error.kind() == ErrorKind::TaskNotCancelable
                    && sent.load(Ordering::Relaxed) > 1 =>
            {
                let request = GetTaskRequest { tenant, id, ..GetTaskRequest::default() };
                let task = self.get_task(call, request).await?;
                if task.state() == TaskState::Canceled { Ok(task) } else { Err(error) }
            }
            Err(error) => Err(error),
        }
    }

    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        let operation = Operation::SubscribeToTask;
        self.link.check(operation)?;
        let task = Some((request.id.clone(), request.tenant.clone()));
        let body = self.link.open_again(operation, call, request).await?;
        let events = follow(self.link.clone(), call.clone(), Opening::Subscription, task, body);
        self.opened(events).await
    }

    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.ask(Operation::CreateTaskPushNotificationConfig, call, request).await
    }

    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.ask(Operation::GetTaskPushNotificationConfig, call, request).await
    }

    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.ask(Operation::ListTaskPushNotificationConfigs, call, request).await
    }

    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        let operation = Operation::DeleteTaskPushNotificationConfig;
        self.ask::<Task>(operation, call, request).await.map(drop)
    }

    async fn get_extended_agent_card(
        &self,
        call: &Call,
        request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error> {
        self.ask(Operation::GetExtendedAgentCard, call, request).await
    }
}

fn is_replayed(headers: &HeaderMap) -> bool {
    text(headers, "idempotent-replayed").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}
