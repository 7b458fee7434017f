//! From an operation and its request to the agent and back: the same for all bindings.

use crate::rest::InPath;
use futures_util::FutureExt;
use sabir_compat::proto::{self, Response};
use sabir_compat::{Dialect, Message};
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, Error, ListTaskPushNotificationConfigsResponse, ListTasksResponse, Operation,
    SendMessageResponse, Task, TaskPushNotificationConfig,
};
use std::panic::AssertUnwindSafe;

/// A request message.
pub(crate) trait Request: Message<proto::Request> + InPath {}

impl<T: Message<proto::Request> + InPath> Request for T {}

/// Where a request message is read from.
pub(crate) trait Source {
    /// Reads it, and says what is wrong or missing.
    fn read<M: Request>(&self) -> Result<M, Error>;
}

/// What the agent answered.
pub(crate) enum Reply {
    Message(Answer<SendMessageResponse>),
    Events(Answer<EventStream>),
    Task(Task),
    Tasks(ListTasksResponse),
    PushConfig(TaskPushNotificationConfig),
    PushConfigs(ListTaskPushNotificationConfigsResponse),
    Deleted,
    Card(Box<AgentCard>),
}

/// Reads the request of an operation and has the agent answer it. A panic is an answer as well.
pub(crate) async fn dispatch(
    agent: &dyn Agent,
    call: &Call,
    operation: Operation,
    source: &impl Source,
) -> Result<Reply, Error> {
    let answer = AssertUnwindSafe(ask(agent, call, operation, source)).catch_unwind().await;
    answer.unwrap_or_else(|_| Err(panicked()))
}

/// What is said of a panic; what it was about is for the log.
pub(crate) fn panicked() -> Error {
    Error::internal("the agent panicked")
}

async fn ask(
    agent: &dyn Agent,
    call: &Call,
    operation: Operation,
    source: &impl Source,
) -> Result<Reply, Error> {
    use Operation as O;
    Ok(match operation {
        O::SendMessage => Reply::Message(agent.send_message(call, source.read()?).await?),
        O::SendStreamingMessage => {
            Reply::Events(agent.send_streaming_message(call, source.read()?).await?)
        }
        O::GetTask => Reply::Task(agent.get_task(call, source.read()?).await?),
        O::ListTasks => Reply::Tasks(agent.list_tasks(call, source.read()?).await?),
        O::CancelTask => Reply::Task(agent.cancel_task(call, source.read()?).await?),
        O::SubscribeToTask => {
            Reply::Events(Answer::new(agent.subscribe_to_task(call, source.read()?).await?))
        }
        O::CreateTaskPushNotificationConfig => Reply::PushConfig(
            agent.create_task_push_notification_config(call, source.read()?).await?,
        ),
        O::GetTaskPushNotificationConfig => {
            Reply::PushConfig(agent.get_task_push_notification_config(call, source.read()?).await?)
        }
        O::ListTaskPushNotificationConfigs => Reply::PushConfigs(
            agent.list_task_push_notification_configs(call, source.read()?).await?,
        ),
        O::DeleteTaskPushNotificationConfig => {
            agent.delete_task_push_notification_config(call, source.read()?).await?;
            Reply::Deleted
        }
        O::GetExtendedAgentCard => {
            Reply::Card(Box::new(agent.get_extended_agent_card(call, source.read()?).await?))
        }
    })
}

impl Reply {
    /// Whether the message had been accepted before.
    pub(crate) fn is_replayed(&self) -> bool {
        match self {
            Self::Message(answer) => answer.replayed,
            Self::Events(answer) => answer.replayed,
            _ => false,
        }
    }

    /// Appends the answer as JSON; a stream has none.
    pub(crate) fn write_json(self, dialect: Dialect, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Message(answer) => dialect.write_json(answer.value, out),
            Self::Task(task) => dialect.write_json(task, out),
            Self::Tasks(tasks) => dialect.write_json(tasks, out),
            Self::PushConfig(config) => dialect.write_json::<Response, _>(config, out),
            Self::PushConfigs(configs) => dialect.write_json(configs, out),
            Self::Card(card) => dialect.write_json(*card, out),
            Self::Deleted | Self::Events(_) => {
                let nothing = if dialect == Dialect::Kind { &b"null"[..] } else { b"{}" };
                out.extend_from_slice(nothing);
                Ok(())
            }
        }
    }

    /// Appends the answer as protobuf; a stream has none.
    pub(crate) fn write_protobuf(self, dialect: Dialect, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Message(answer) => dialect.write_protobuf(answer.value, out),
            Self::Task(task) => dialect.write_protobuf(task, out),
            Self::Tasks(tasks) => dialect.write_protobuf(tasks, out),
            Self::PushConfig(config) => dialect.write_protobuf::<Response, _>(config, out),
            Self::PushConfigs(configs) => dialect.write_protobuf(configs, out),
            Self::Card(card) => dialect.write_protobuf(*card, out),
            // `google.protobuf.Empty`.
            Self::Deleted | Self::Events(_) => Ok(()),
        }
    }
}
