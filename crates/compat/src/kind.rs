//! The JSON of JSON-RPC, agent cards and webhooks in 0.3: objects say their `kind`.

mod message;
mod request;
mod task;

use crate::card;
use crate::put;
use crate::value::Kind;
use message::Message;
use request::{SendParams, TaskConfig, TaskParams};
use sabir_types as v1;
use sabir_types::wire::{
    self, Buf, BufMut, DecodeContext, DecodeError, Field, ProtoMessage, WireType,
};
use sabir_types::{Error, SendMessageResponse, StreamResponse};
use serde::de::{Deserializer, IgnoredAny};
use serde::ser::Serializer;
use task::{ArtifactUpdate, StatusUpdate, Task};

/// A type of 1.0 that kind-JSON can hold.
///
/// ```
/// use sabir_compat::kind::Translate;
/// use sabir_types::{SendMessageRequest, TaskState};
///
/// let params = br#"{"message":{"kind":"message","messageId":"m1","role":"user",
///                              "parts":[{"kind":"text","text":"hi"}]}}"#;
/// let request = SendMessageRequest::read(params)?;
/// assert_eq!(request.message.text(), "hi");
/// # Ok::<(), sabir_types::Error>(())
/// ```
pub trait Translate: Sized {
    /// Reads the parameters or the result of a method; whether it is complete is asked by
    /// [`ProtoMessage::check`].
    ///
    /// # Errors
    /// `ParseError` for what is not JSON, `InvalidParams` for what is not the type.
    fn read(json: &[u8]) -> Result<Self, Error>;

    /// Appends it to `out`.
    ///
    /// # Errors
    /// `Internal` for what JSON cannot hold: a timestamp out of range.
    fn write(self, out: &mut Vec<u8>) -> Result<(), Error>;
}

macro_rules! translate {
    ($($v1:ident as $form:ty, $from:expr, $into:expr;)*) => {$(
        impl Translate for v1::$v1 {
            fn read(json: &[u8]) -> Result<Self, Error> {
                wire::from_json::<$form>(json).map($into)
            }

            fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
                put(&($from)(self), out)
            }
        }
    )*};
}

translate! {
    SendMessageRequest as SendParams, SendParams::from_v1, SendParams::into_v1;
    GetTaskRequest as TaskParams, request::get_task::from_v1, request::get_task::into_v1;
    CancelTaskRequest as TaskParams, request::cancel_task::from_v1, request::cancel_task::into_v1;
    SubscribeToTaskRequest as TaskParams, request::subscribe::from_v1, request::subscribe::into_v1;
    ListTaskPushNotificationConfigsRequest as TaskParams,
        request::list_configs::from_v1, request::list_configs::into_v1;
    GetTaskPushNotificationConfigRequest as TaskParams,
        |get: Self| TaskParams::of_config(get.tenant, get.task_id, get.id),
        |params: TaskParams| {
            let (tenant, task_id, id) = params.into_config();
            Self { tenant, task_id, id }
        };
    DeleteTaskPushNotificationConfigRequest as TaskParams,
        |delete: Self| TaskParams::of_config(delete.tenant, delete.task_id, delete.id),
        |params: TaskParams| {
            let (tenant, task_id, id) = params.into_config();
            Self { tenant, task_id, id }
        };
    TaskPushNotificationConfig as TaskConfig, TaskConfig::from_v1, TaskConfig::into_v1;
    Task as Task, Task::from_v1, Task::into_v1;
    Message as Message, Message::from_v1, Message::into_v1;
    // There is no such method in 0.3; who has one writes it like this.
    ListTasksRequest as v1::ListTasksRequest, std::convert::identity, std::convert::identity;
    ListTasksResponse as task::ListTasks, task::ListTasks::from_v1, task::ListTasks::into_v1;
    GetExtendedAgentCardRequest as Nothing,
        |_: Self| Nothing::default(), |_: Nothing| Self::default();
}

/// Parameters without members.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
struct Nothing {}

/// The result of a list is a bare array; there are no pages.
impl Translate for v1::ListTaskPushNotificationConfigsResponse {
    fn read(json: &[u8]) -> Result<Self, Error> {
        let configs: Vec<TaskConfig> = serde_json::from_slice(json)
            .map_err(|error| Error::invalid_params("", error.to_string()))?;
        let configs = configs.into_iter().map(TaskConfig::into_v1).collect();
        Ok(Self { configs, ..Self::default() })
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
        put(&self.configs.into_iter().map(TaskConfig::from_v1).collect::<Vec<_>>(), out)
    }
}

/// A card of 1.0 with an interface of 0.3.
impl Translate for v1::AgentCard {
    fn read(json: &[u8]) -> Result<Self, Error> {
        card::from_json(json)
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
        put(&card::AgentCard::from_v1(self, card::Style::Kind)?, out)
    }
}

/// A result is the bare task or the bare message.
impl Translate for SendMessageResponse {
    fn read(json: &[u8]) -> Result<Self, Error> {
        Ok(match StreamResponse::read(json)? {
            StreamResponse::Task(task) => Self::Task(task),
            StreamResponse::Message(message) => Self::Message(message),
            _ => Self::Unset,
        })
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
        StreamResponse::from(self).write(out)
    }
}

/// An event is the bare task, message, status update or artifact update.
impl Translate for StreamResponse {
    fn read(json: &[u8]) -> Result<Self, Error> {
        Ok(match wire::from_json::<Shape>(json)?.kind() {
            "task" => wire::from_json::<Task>(json)?.into_v1().into(),
            "message" => wire::from_json::<Message>(json)?.into_v1().into(),
            "status-update" => wire::from_json::<StatusUpdate>(json)?.into_v1().into(),
            "artifact-update" => wire::from_json::<ArtifactUpdate>(json)?.into_v1().into(),
            _ => Self::Unset,
        })
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::Task(task) => put(&Task::from_v1(task), out),
            Self::Message(message) => put(&Message::from_v1(message), out),
            Self::StatusUpdate(event) => put(&StatusUpdate::from_v1(event), out),
            Self::ArtifactUpdate(event) => put(&ArtifactUpdate::from_v1(event), out),
            _ => Err(Error::internal("an event without content cannot be written")),
        }
    }
}

/// Which members an object has: enough to know its kind where it does not say so.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
struct Shape {
    #[field(1)]
    kind: Kind,
    #[field(2)]
    message_id: Present,
    #[field(3)]
    artifact: Present,
    #[field(4)]
    status: Present,
    #[field(5)]
    task_id: Present,
    #[field(6)]
    id: Present,
}

impl Shape {
    fn kind(&self) -> &'static str {
        match self {
            Self { kind: Kind(kind), .. } if !kind.is_empty() => kind,
            Self { message_id: Present(true), .. } => "message",
            Self { artifact: Present(true), .. } => "artifact-update",
            Self { status: Present(true), task_id: Present(true), .. } => "status-update",
            Self { status: Present(true), id: Present(true), .. } => "task",
            _ => "",
        }
    }
}

/// Whether a member stands there, whatever it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Present(bool);

/// It is of JSON alone, and only read.
impl Field for Present {
    fn is_absent(&self) -> bool {
        !self.0
    }

    fn put(&self, _number: u32, _buf: &mut impl BufMut) {}

    fn size(&self, _number: u32) -> usize {
        0
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        self.0 = true;
        wire::skip_field(wire_type, 1, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(self.0)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_ignored_any(IgnoredAny).map(|_| Self(true))
    }
}

/// Whether the body of a message in HTTP+JSON is kind-JSON, as the prose of 0.3 shows it, rather
/// than the protobuf dialect that its kits speak.
pub fn is_spoken(body: &[u8]) -> bool {
    #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
    struct Body {
        #[field(1)]
        message: Peek,
        #[field(2)]
        push_notification_config: Present,
    }

    #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
    struct Peek {
        #[field(1)]
        kind: Present,
        #[field(2)]
        parts: Present,
        #[field(3)]
        role: String,
    }

    serde_json::from_slice::<Body>(body).is_ok_and(|body| {
        let role = body.message.role.as_str();
        body.message.kind.0 || body.message.parts.0 || matches!(role, "user" | "agent")
    })
}

/// The body of a webhook call about an event: the bare task. Other events have none.
pub fn webhook_body(event: StreamResponse) -> Result<Option<Vec<u8>>, Error> {
    match event {
        StreamResponse::Task(task) => {
            let mut out = Vec::with_capacity(512);
            task.write(&mut out)?;
            Ok(Some(out))
        }
        _ => Ok(None),
    }
}
