//! The protobuf package `a2a.v1` and its ProtoJSON: gRPC and HTTP+JSON of 0.3.
//!
//! One type carries both encodings, as in 1.0; numbers and names are those of the package.

mod message;
mod request;
mod task;

pub use message::{Content, DataPart, FileContent, FilePart, Message, Part};
pub use request::{
    CreateTaskPushNotificationConfigRequest, GetAgentCardRequest, GetTaskRequest,
    ListTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigResponse, Named,
    SendMessageConfiguration, SendMessageRequest, TaskPushNotificationConfig,
};
pub use task::{
    Artifact, ListTasksResponse, SendMessageResponse, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskStatus, TaskStatusUpdateEvent,
};

use crate::card::{self, AgentCard, Style};
use crate::file::FileBytes;
use sabir_types as v1;
use sabir_types::wire::{self, ProtoMessage};
use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, SubscribeToTaskRequest,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The service in gRPC.
pub const GRPC_SERVICE: &str = "a2a.v1.A2AService";

/// The direction of what is translated: to the agent.
#[derive(Clone, Copy, Debug)]
pub enum Request {}

/// The direction of what is translated: from the agent.
#[derive(Clone, Copy, Debug)]
pub enum Response {}

/// A type of 1.0 with its counterpart in the package `a2a.v1`.
///
/// There may be one for each direction: the request to create a push config is another message
/// than the config, where 1.0 has one for both.
pub trait Translate<Direction>: Sized {
    /// The counterpart, in protobuf and ProtoJSON.
    type Form: ProtoMessage + Serialize + DeserializeOwned;

    /// As 0.3 has it.
    ///
    /// # Errors
    /// `VersionNotSupported` for a card that has no interface of 0.3; everything else has a form.
    fn into_form(self, bytes: FileBytes) -> Result<Self::Form, Error>;

    /// As 1.0 has it. Whether it is complete is asked by [`ProtoMessage::check`].
    fn from_form(form: Self::Form, bytes: FileBytes) -> Self;

    /// Reads ProtoJSON.
    ///
    /// # Errors
    /// `ParseError` for what is not JSON, `InvalidParams` for what is not the type.
    fn read(json: &[u8], bytes: FileBytes) -> Result<Self, Error> {
        wire::from_json(json).map(|form| Self::from_form(form, bytes))
    }

    /// Appends ProtoJSON to `out`.
    ///
    /// # Errors
    /// As [`into_form`](Self::into_form); `Internal` for what JSON cannot hold: a timestamp out
    /// of range.
    fn write(self, bytes: FileBytes, out: &mut Vec<u8>) -> Result<(), Error> {
        crate::put(&self.into_form(bytes)?, out)
    }
}

macro_rules! translate {
    ($direction:ident; $($v1:ty as $form:ident, |$from:ident, $out:ident| $into_form:expr, |$form_of:ident, $in:ident| $from_form:expr;)*) => {$(
        impl Translate<$direction> for $v1 {
            type Form = $form;

            fn into_form(self, $out: FileBytes) -> Result<$form, Error> {
                let $from = self;
                Ok($into_form)
            }

            fn from_form($form_of: $form, $in: FileBytes) -> Self {
                $from_form
            }
        }
    )*};
}

translate! {
    Request;
    v1::SendMessageRequest as SendMessageRequest,
        |it, bytes| SendMessageRequest::from_v1(it, bytes), |form, bytes| form.into_v1(bytes);
    v1::GetTaskRequest as GetTaskRequest,
        |it, _bytes| GetTaskRequest::from_v1(&it), |form, _bytes| form.into_v1();
    CancelTaskRequest as Named,
        |it, _bytes| Named::task(&it.id),
        |form, _bytes| Self { id: form.into_task(), ..Self::default() };
    SubscribeToTaskRequest as Named,
        |it, _bytes| Named::task(&it.id),
        |form, _bytes| Self { id: form.into_task(), ..Self::default() };
    GetTaskPushNotificationConfigRequest as Named,
        |it, _bytes| Named::config(&it.task_id, &it.id),
        |form, _bytes| {
            let (task_id, id) = form.into_config();
            Self { tenant: None, task_id, id }
        };
    DeleteTaskPushNotificationConfigRequest as Named,
        |it, _bytes| Named::config(&it.task_id, &it.id),
        |form, _bytes| {
            let (task_id, id) = form.into_config();
            Self { tenant: None, task_id, id }
        };
    ListTaskPushNotificationConfigsRequest as ListTaskPushNotificationConfigRequest,
        |it, _bytes| ListTaskPushNotificationConfigRequest::from_v1(it),
        |form, _bytes| form.into_v1();
    GetExtendedAgentCardRequest as GetAgentCardRequest,
        |_it, _bytes| GetAgentCardRequest {}, |_form, _bytes| Self::default();
    ListTasksRequest as ListTasksRequest, |it, _bytes| it, |form, _bytes| form;
    v1::TaskPushNotificationConfig as CreateTaskPushNotificationConfigRequest,
        |it, _bytes| CreateTaskPushNotificationConfigRequest::from_v1(it),
        |form, _bytes| form.into_v1();
}

translate! {
    Response;
    v1::Task as Task, |it, bytes| Task::from_v1(it, bytes), |form, bytes| form.into_v1(bytes);
    v1::SendMessageResponse as SendMessageResponse,
        |it, bytes| SendMessageResponse::from_v1(it, bytes), |form, bytes| form.into_v1(bytes);
    v1::StreamResponse as StreamResponse,
        |it, bytes| StreamResponse::from_v1(it, bytes), |form, bytes| form.into_v1(bytes);
    v1::ListTasksResponse as ListTasksResponse,
        |it, bytes| ListTasksResponse::from_v1(it, bytes), |form, bytes| form.into_v1(bytes);
    v1::TaskPushNotificationConfig as TaskPushNotificationConfig,
        |it, _bytes| TaskPushNotificationConfig::from_v1(it), |form, _bytes| form.into_v1();
    ListTaskPushNotificationConfigsResponse as ListTaskPushNotificationConfigResponse,
        |it, _bytes| ListTaskPushNotificationConfigResponse::from_v1(it),
        |form, _bytes| form.into_v1();
}

impl Translate<Response> for v1::AgentCard {
    type Form = AgentCard;

    fn into_form(self, _bytes: FileBytes) -> Result<AgentCard, Error> {
        AgentCard::from_v1(self, Style::Proto)
    }

    fn from_form(form: AgentCard, _bytes: FileBytes) -> Self {
        card::AgentCard::into_v1(form)
    }
}
