//! A remote agent: answers A2A's operations by asking it.

use crate::ask::{Ask, sign};
use crate::builder::{ClientBuilder, TIMEOUT};
use crate::card::FoundCard;
use crate::failure::Failure;
use crate::follow::{Opening, follow};
use crate::http::text;
use crate::link::{Link, Reply};
use crate::task::TaskHandle;
use crate::transport::{Outgoing, Transport};
use async_trait::async_trait;
use http::HeaderMap;
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Operation, ProtoMessage, SendMessageRequest,
    SendMessageResponse, SubscribeToTaskRequest, Task, TaskId, TaskPushNotificationConfig,
    TaskState,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use url::Url;

/// A remote agent.
///
/// Cheap to clone. It implements [`Agent`], so that whatever serves, records or guards an agent
/// does so with a remote one too; its own methods are the shorter way for callers. The caller of
/// [`Call`] is not passed on: the remote agent knows this client by its own credentials.
#[derive(Clone)]
pub struct Client {
    link: Arc<Link>,
}

impl Client {
    /// Finds an agent's card and chooses how to talk to it; see [`CardReference`] for what may be
    /// given.
    ///
    /// [`CardReference`]: crate::CardReference
    ///
    /// # Errors
    /// When there is no card, or no interface in common.
    pub async fn connect(reference: &str) -> Result<Self, Failure> {
        Self::builder().card(reference).connect().await
    }

    /// Sets a client up.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    pub(crate) fn new(link: Link) -> Self {
        Self { link: Arc::new(link) }
    }

    /// The agent's card; `None` when the client was given an endpoint instead.
    pub fn card(&self) -> Option<&FoundCard> {
        self.link.card.as_deref()
    }

    /// The URL that is called.
    pub fn url(&self) -> &Url {
        &self.link.selected.url
    }

    /// The transport that was chosen.
    pub fn transport(&self) -> Transport {
        self.link.selected.transport
    }

    /// Sends a message and waits until its task ends or needs something.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`] of the way.
    pub async fn send(&self, ask: impl Into<Ask>) -> Result<SendMessageResponse, Error> {
        let Ask(request) = ask.into();
        Ok(Agent::send_message(self, &Call::default(), request).await?.value)
    }

    /// Sends a message and follows what happens.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`] of the way.
    pub async fn stream(&self, ask: impl Into<Ask>) -> Result<EventStream, Error> {
        let Ask(request) = ask.into();
        Ok(Agent::send_streaming_message(self, &Call::default(), request).await?.value)
    }

    /// Reads a task.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`] of the way.
    pub async fn get(&self, id: impl Into<TaskId>) -> Result<Task, Error> {
        let request = GetTaskRequest { id: id.into(), ..GetTaskRequest::default() };
        self.get_task(&Call::default(), request).await
    }

    /// Asks for a task to be stopped.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`] of the way.
    pub async fn cancel(&self, id: impl Into<TaskId>) -> Result<Task, Error> {
        let request = CancelTaskRequest { id: id.into(), ..CancelTaskRequest::default() };
        self.cancel_task(&Call::default(), request).await
    }

    /// A task, to talk about.
    pub fn task(&self, id: impl Into<TaskId>) -> TaskHandle {
        TaskHandle::new(self.clone(), id.into())
    }

    /// A call whose answer does not wait for work.
    async fn ask<T: ProtoMessage + Serialize + DeserializeOwned>(
        &self,
        operation: Operation,
        call: &Call,
        request: impl Outgoing,
    ) -> Result<T, Error> {
        let sent = AtomicU32::new(0);
        Ok(self.link.call(operation, call, request, self.patience(), &sent).await?.value)
    }

    fn patience(&self) -> Option<Duration> {
        Some(self.link.timeout.unwrap_or(TIMEOUT))
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
impl Agent for Client {
    async fn send_message(
        &self,
        call: &Call,
        mut request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        self.prepare(&mut request)?;
        let waits = !request.configuration.as_ref().is_some_and(|c| c.return_immediately);
        // Work takes as long as it takes, unless the caller says otherwise.
        let timeout = if waits { self.link.timeout } else { self.patience() };
        let sent = AtomicU32::new(0);
        let operation = Operation::SendMessage;
        let reply: Reply<SendMessageResponse> =
            self.link.call(operation, call, request, timeout, &sent).await?;
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
        let value = follow(self.link.clone(), call.clone(), Opening::Message, task, body);
        Ok(Answer { value, replayed })
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        self.ask(Operation::GetTask, call, request).await
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
        Ok(follow(self.link.clone(), call.clone(), Opening::Subscription, task, body))
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

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("url", &self.link.http.name(self.url()))
            .field("transport", &self.transport())
            .finish_non_exhaustive()
    }
}

fn is_replayed(headers: &HeaderMap) -> bool {
    text(headers, "idempotent-replayed").is_some_and(|value| value.eq_ignore_ascii_case("true"))
}
