//! From an operation and its request to the agent and back: the same for all bindings.

use crate::dialect::Dialect;
use crate::rest::InPath;
use futures_util::FutureExt;
use sabir_compat::{kind, proto};
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, Error, ListTaskPushNotificationConfigsResponse, ListTasksResponse, Operation,
    ProtoMessage, SendMessageResponse, Task, TaskPushNotificationConfig, wire,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::panic::AssertUnwindSafe;

/// A request message.
pub(crate) trait Request:
    ProtoMessage + DeserializeOwned + InPath + kind::Translate + proto::Translate<proto::Request>
{
}

impl<T> Request for T where
    T: ProtoMessage
        + DeserializeOwned
        + InPath
        + kind::Translate
        + proto::Translate<proto::Request>
{
}

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
    fn put_json(&self, out: &mut Vec<u8>) -> Result<(), Error> {
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

    /// Appends the answer as the JSON of a dialect; a stream has none.
    pub(crate) fn write(self, dialect: Dialect, out: &mut Vec<u8>) -> Result<(), Error> {
        match (dialect, self) {
            (Dialect::V1_0, reply) => reply.put_json(out),
            (Dialect::Kind, reply) => reply.put_kind(out),
            (Dialect::Proto(bytes), reply) => match reply {
                Self::Message(answer) => proto::Translate::write(answer.value, bytes, out),
                Self::Task(task) => proto::Translate::write(task, bytes, out),
                Self::Tasks(tasks) => proto::Translate::write(tasks, bytes, out),
                Self::PushConfig(config) => {
                    proto::Translate::<proto::Response>::write(config, bytes, out)
                }
                Self::PushConfigs(configs) => proto::Translate::write(configs, bytes, out),
                Self::Card(card) => proto::Translate::write(*card, bytes, out),
                Self::Deleted | Self::Events(_) => Self::Deleted.put_json(out),
            },
        }
    }

    fn put_kind(self, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Message(answer) => kind::Translate::write(answer.value, out),
            Self::Task(task) => kind::Translate::write(task, out),
            Self::PushConfig(config) => kind::Translate::write(config, out),
            Self::PushConfigs(configs) => kind::Translate::write(configs, out),
            Self::Card(card) => kind::Translate::write(*card, out),
            Self::Deleted | Self::Events(_) => {
                out.extend_from_slice(b"null");
                Ok(())
            }
            Self::Tasks(_) => Err(Error::internal("JSON-RPC of 0.3 has no list of tasks")),
        }
    }

    /// The answer as the protobuf of a dialect, behind so many bytes of zero; a stream has none.
    pub(crate) fn into_protobuf(self, dialect: Dialect, ahead: usize) -> Result<Vec<u8>, Error> {
        let Dialect::Proto(bytes) = dialect else { return Ok(self.put_protobuf(ahead)) };
        Ok(match self {
            Self::Message(answer) => {
                encoded(&proto::Translate::into_form(answer.value, bytes)?, ahead)
            }
            Self::Task(task) => encoded(&proto::Translate::into_form(task, bytes)?, ahead),
            Self::Tasks(tasks) => encoded(&proto::Translate::into_form(tasks, bytes)?, ahead),
            Self::PushConfig(config) => {
                let form = proto::Translate::<proto::Response>::into_form(config, bytes)?;
                encoded(&form, ahead)
            }
            Self::PushConfigs(configs) => {
                encoded(&proto::Translate::into_form(configs, bytes)?, ahead)
            }
            Self::Card(card) => encoded(&proto::Translate::into_form(*card, bytes)?, ahead),
            Self::Deleted | Self::Events(_) => vec![0; ahead],
        })
    }

    fn put_protobuf(&self, ahead: usize) -> Vec<u8> {
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
    wire::write_json(value, out)
        .map_err(|error| Error::internal("the answer cannot be written as JSON").with_source(error))
}
