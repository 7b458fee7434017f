//! A remote agent: answers A2A's operations by asking it.

use crate::ask::{Ask, sign};
use crate::builder::ClientBuilder;
use crate::card::FoundCard;
use crate::failure::Failure;
use crate::interface::Interface;
use crate::link::Link;
use crate::task::TaskHandle;
use crate::transport::Transport;
use async_trait::async_trait;
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskId, TaskPushNotificationConfig, Version,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use url::Url;

/// A remote agent.
///
/// Cheap to clone. It implements [`Agent`], so that whatever serves, records or guards an agent
/// does so with a remote one too; its own methods are the shorter way for callers. The caller of
/// [`Call`] is not passed on: the remote agent knows this client by its own credentials.
#[derive(Clone)]
pub struct Client {
    interfaces: Arc<Interfaces>,
}

/// The interfaces of an agent that this client speaks, the best one first.
struct Interfaces {
    all: Vec<Interface>,
    /// The one that is called.
    current: AtomicUsize,
}

impl Interfaces {
    /// Whether to go on with the next interface: only where no connection could be made, so that
    /// nothing is sent twice.
    fn go_on_from(&self, at: usize, error: &Error) -> bool {
        let unreachable = matches!(Failure::of(error), Some(Failure::Unreachable { .. }));
        if !unreachable || at + 1 >= self.all.len() {
            return false;
        }
        tracing::debug!(%error, "the next interface of the card is tried");
        // Whoever comes second finds that the first has moved on.
        let _ = self.current.compare_exchange(at, at + 1, Ordering::Relaxed, Ordering::Relaxed);
        true
    }
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

    /// `links` is not empty.
    pub(crate) fn new(links: Vec<Link>) -> Self {
        let all = links.into_iter().map(|link| Interface { link: Arc::new(link) }).collect();
        Self { interfaces: Arc::new(Interfaces { all, current: AtomicUsize::new(0) }) }
    }

    fn link(&self) -> &Link {
        &self.interfaces.all[self.interfaces.current.load(Ordering::Relaxed)].link
    }

    /// The agent's card; `None` when the client was given an endpoint instead.
    pub fn card(&self) -> Option<&FoundCard> {
        self.link().card.as_deref()
    }

    /// The URL that is called.
    pub fn url(&self) -> &Url {
        &self.link().selected.url
    }

    /// The protocol version that is spoken.
    pub fn version(&self) -> Version {
        self.link().selected.version
    }

    /// The transport that was chosen.
    pub fn transport(&self) -> Transport {
        self.link().selected.transport
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
}

/// By the first interface that can be reached.
macro_rules! by_interface {
    ($self:ident.$operation:ident($call:ident, $request:ident)) => {
        loop {
            let at = $self.interfaces.current.load(Ordering::Relaxed);
            match $self.interfaces.all[at].$operation($call, $request.clone()).await {
                Err(error) if $self.interfaces.go_on_from(at, &error) => {}
                outcome => return outcome,
            }
        }
    };
}

#[async_trait]
impl Agent for Client {
    async fn send_message(
        &self,
        call: &Call,
        mut request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        // One id for all attempts: they are the same message.
        sign(&mut request.message);
        by_interface!(self.send_message(call, request))
    }

    async fn send_streaming_message(
        &self,
        call: &Call,
        mut request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error> {
        // One id for all attempts: they are the same message.
        sign(&mut request.message);
        by_interface!(self.send_streaming_message(call, request))
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        by_interface!(self.get_task(call, request))
    }

    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        by_interface!(self.list_tasks(call, request))
    }

    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        by_interface!(self.cancel_task(call, request))
    }

    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        by_interface!(self.subscribe_to_task(call, request))
    }

    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        by_interface!(self.create_task_push_notification_config(call, request))
    }

    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        by_interface!(self.get_task_push_notification_config(call, request))
    }

    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        by_interface!(self.list_task_push_notification_configs(call, request))
    }

    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        by_interface!(self.delete_task_push_notification_config(call, request))
    }

    async fn get_extended_agent_card(
        &self,
        call: &Call,
        request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error> {
        by_interface!(self.get_extended_agent_card(call, request))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("url", &self.link().http.name(self.url()))
            .field("transport", &self.transport())
            .finish_non_exhaustive()
    }
}
