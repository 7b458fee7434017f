//! The one seam of the workspace: whatever answers A2A's eleven operations is an [`Agent`].

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Principal, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig, Version, wire,
};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// What a caller says besides the request: who is asking, and the service parameters.
///
/// The tenant is not here: it is a member of every request message.
#[derive(Clone, Debug)]
pub struct Call {
    /// Who is asking, proven.
    pub principal: Principal,
    /// The protocol version asked for.
    pub version: Version,
    /// The extensions the caller declares (`A2A-Extensions`).
    pub extensions: Vec<String>,
    /// The sequence after which a broken stream goes on (`Last-Event-ID`).
    pub resume_after: Option<u64>,
    /// How long the task may take from now (`Sabir-Task-Deadline`); it is canceled then.
    pub deadline: Option<Duration>,
    /// The W3C `traceparent` of the caller.
    pub trace: Option<String>,
}

impl Default for Call {
    fn default() -> Self {
        Self {
            principal: Principal::anonymous(),
            version: Version::V1_0,
            extensions: Vec::new(),
            resume_after: None,
            deadline: None,
            trace: None,
        }
    }
}

/// The answer to a message, and whether the message had been accepted before.
#[derive(Clone, Debug)]
pub struct Answer<T> {
    /// The answer itself.
    pub value: T,
    /// The message was a repeat: nothing was started (`Idempotent-Replayed: true`).
    pub replayed: bool,
}

impl<T> Answer<T> {
    /// An answer to a message seen for the first time.
    pub fn new(value: T) -> Self {
        Self { value, replayed: false }
    }
}

/// The events of a stream. An error is its last item.
pub type EventStream = BoxStream<'static, Result<Arc<Event>, Error>>;

/// One event of a stream, encoded at most once however many read it.
#[derive(Debug)]
pub struct Event {
    /// Its position in the task's log, with which a broken stream can be resumed; `None` where
    /// the remote agent gave none.
    pub seq: Option<u64>,
    json: OnceLock<Bytes>,
    protobuf: OnceLock<Bytes>,
    // Boxed, because most events are only ever read as bytes.
    response: OnceLock<Box<Result<StreamResponse, Error>>>,
}

impl Event {
    /// An event that is held as a value.
    pub fn from_response(seq: Option<u64>, response: StreamResponse) -> Self {
        let response = OnceLock::from(Box::new(Ok(response)));
        Self { seq, json: OnceLock::new(), protobuf: OnceLock::new(), response }
    }

    /// An event that is held as the ProtoJSON of a `StreamResponse`.
    pub fn from_json(seq: Option<u64>, json: Bytes) -> Self {
        let json = OnceLock::from(json);
        Self { seq, json, protobuf: OnceLock::new(), response: OnceLock::new() }
    }

    /// The event as a value.
    ///
    /// # Errors
    /// `InvalidAgentResponse` when the bytes it was made of are not a `StreamResponse`.
    pub fn response(&self) -> Result<&StreamResponse, Error> {
        self.response
            .get_or_init(|| {
                let json = self.json.get().map_or(&b""[..], |json| &json[..]);
                Box::new(serde_json::from_slice(json).map_err(|error| {
                    Error::invalid_agent_response(format!("an event cannot be read: {error}"))
                }))
            })
            .as_ref()
            .as_ref()
            .map_err(Clone::clone)
    }

    /// The event as the ProtoJSON of a `StreamResponse`.
    pub fn json(&self) -> &Bytes {
        self.json.get_or_init(|| match self.response.get().map(Box::as_ref) {
            Some(Ok(response)) => encode(response),
            _ => Bytes::from_static(b"{}"),
        })
    }

    /// The event as the protobuf of a `StreamResponse`.
    ///
    /// # Errors
    /// As [`response`](Self::response).
    pub fn protobuf(&self) -> Result<&Bytes, Error> {
        let response = self.response()?;
        Ok(self.protobuf.get_or_init(|| wire::to_protobuf(response).into()))
    }
}

/// Writes a protocol type as ProtoJSON.
pub fn encode<T: serde::Serialize>(value: &T) -> Bytes {
    let mut out = Vec::with_capacity(512);
    encode_into(value, &mut out);
    out.into()
}

/// As [`encode`], behind what is in `out`.
pub(crate) fn encode_into<T: serde::Serialize>(value: &T, out: &mut Vec<u8>) {
    let start = out.len();
    // Protocol types have string keys and no fallible members, so writing to memory cannot fail.
    if wire::write_json(value, out).is_err() {
        out.truncate(start);
    }
}

/// Answers A2A's eleven operations (specification section 3.1).
///
/// The engine implements it for local agents, the client for remote ones; bindings serve any.
/// Errors before a stream opens are answers, errors after it are its last item.
#[async_trait]
pub trait Agent: Send + Sync + 'static {
    /// Sends a message and waits until its task ends or needs something (3.1.1).
    async fn send_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error>;

    /// Sends a message and follows its task (3.1.2).
    async fn send_streaming_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error>;

    /// Reads a task (3.1.3).
    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error>;

    /// Lists the caller's tasks, newest status first (3.1.4).
    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error>;

    /// Asks for a task to be stopped (3.1.5).
    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error>;

    /// Follows a task that has not ended (3.1.6).
    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error>;

    /// Adds a webhook to a task, or replaces the one of the same id (3.1.7).
    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error>;

    /// Reads a webhook of a task, without its credentials (3.1.8).
    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error>;

    /// Lists the webhooks of a task, without their credentials (3.1.9).
    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error>;

    /// Deletes a webhook; deleting it again succeeds (3.1.10).
    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error>;

    /// The card for callers who have proven who they are (3.1.11).
    async fn get_extended_agent_card(
        &self,
        call: &Call,
        request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error>;
}
