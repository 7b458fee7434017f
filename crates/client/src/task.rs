//! A task of a remote agent, to talk about.

use crate::ask::Ask;
use crate::client::Client;
use sabir_engine::{Agent, Call, EventStream};
use sabir_types::{Error, SendMessageResponse, SubscribeToTaskRequest, Task, TaskId};

/// One task of a remote agent.
#[derive(Clone, Debug)]
pub struct TaskHandle {
    client: Client,
    id: TaskId,
}

impl TaskHandle {
    pub(crate) fn new(client: Client, id: TaskId) -> Self {
        Self { client, id }
    }

    /// Its id.
    pub fn id(&self) -> &TaskId {
        &self.id
    }

    /// Reads it.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`](crate::Failure) of the way.
    pub async fn get(&self) -> Result<Task, Error> {
        self.client.get(&self.id).await
    }

    /// Says something about it, and waits until it ends or needs something again.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`](crate::Failure) of the way.
    pub async fn reply(&self, ask: impl Into<Ask>) -> Result<SendMessageResponse, Error> {
        self.client.send(self.address(ask)).await
    }

    /// Says something about it, and follows what happens.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`](crate::Failure) of the way.
    pub async fn reply_and_follow(&self, ask: impl Into<Ask>) -> Result<EventStream, Error> {
        self.client.stream(self.address(ask)).await
    }

    /// Follows it.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`](crate::Failure) of the way.
    pub async fn follow(&self) -> Result<EventStream, Error> {
        let request = SubscribeToTaskRequest { tenant: None, id: self.id.clone() };
        self.client.subscribe_to_task(&Call::default(), request).await
    }

    /// Asks for it to be stopped.
    ///
    /// # Errors
    /// What the agent answers, or a [`Failure`](crate::Failure) of the way.
    pub async fn cancel(&self) -> Result<Task, Error> {
        self.client.cancel(&self.id).await
    }

    fn address(&self, ask: impl Into<Ask>) -> Ask {
        let mut ask = ask.into();
        ask.0.message.task_id = Some(self.id.clone());
        ask
    }
}
