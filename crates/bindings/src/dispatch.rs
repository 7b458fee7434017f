//! From an operation and its request to the agent and back: the same for all bindings.

use crate::rest::InPath;
use futures_util::FutureExt;
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, Error, ListTaskPushNotificationConfigsResponse, ListTasksResponse, Operation,
    ProtoMessage, SendMessageResponse, Task, TaskPushNotificationConfig,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::panic::AssertUnwindSafe;

/// A request message.
pub(crate) trait Request: ProtoMessage + DeserializeOwned + InPath {}

impl<T: ProtoMessage + DeserializeOwned + InPath> Request for T {}

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

    /// Appends the answer as ProtoJSON; a stream has none.
    pub(crate) fn put_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Message(answer) => put(&answer.value, out),
            Self::Task(task) => put(task, out),
            Self::Tasks(tasks) => put(tasks, out),
            Self::PushConfig(config) => put(config, out),
            Self::PushConfigs(configs) => put(configs, out),
            Self::Card(card) => put(card, out),
            Self::Deleted | Self::Events(_) => {
                out.extend_from_slice(b"{}");
                Ok(())
            }
        }
    }

    /// The answer as protobuf, behind so many bytes of zero; a stream has none.
    pub(crate) fn to_protobuf(&self, ahead: usize) -> Vec<u8> {
        match self {
            Self::Message(answer) => encoded(&answer.value, ahead),
            Self::Task(task) => encoded(task, ahead),
            Self::Tasks(tasks) => encoded(tasks, ahead),
            Self::PushConfig(config) => encoded(config, ahead),
            Self::PushConfigs(configs) => encoded(configs, ahead),
            Self::Card(card) => encoded(&**card, ahead),
            // `google.protobuf.Empty`.
            Self::Deleted | Self::Events(_) => vec![0; ahead],
        }
    }
}

fn encoded(message: &impl ProtoMessage, ahead: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(ahead + message.encoded_len());
    out.resize(ahead, 0);
    message.encode_raw(&mut out);
    out
}

fn put(value: &impl Serialize, out: &mut Vec<u8>) -> Result<(), Error> {
    serde_json::to_writer(out, value)
        .map_err(|error| Error::internal("the answer cannot be written as JSON").with_source(error))
}
