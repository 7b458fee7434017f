//! gRPC calls to the stub, with messages written and shown as JSON.

use crate::wire::Fixture;
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use sabir_testkit::{GrpcAnswer, GrpcCall, GrpcConnection};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, GrpcCode,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Operation, ProtoMessage, SendMessageRequest,
    SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
    wire,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The metadata that every call needs.
pub(crate) const VERSION: (&str, &str) = ("a2a-version", "1.0");

/// One call on a connection of its own; the request is written as JSON.
pub(crate) async fn call(
    fixture: &Fixture,
    operation: Operation,
    metadata: &[(&str, &str)],
    params: &str,
) -> GrpcAnswer {
    let connection = GrpcConnection::open(fixture.addr()).await;
    let metadata: Vec<_> = [VERSION].into_iter().chain(metadata.iter().copied()).collect();
    connection.call(&operation.grpc_path(), &metadata, &request(operation, params)).await
}

/// A stream that sends a text, on a connection of its own.
pub(crate) async fn stream(fixture: &Fixture, text: &str, metadata: &[(&str, &str)]) -> GrpcCall {
    let connection = GrpcConnection::open(fixture.addr()).await;
    begin(&connection, text, metadata).await
}

/// A stream that sends a text.
pub(crate) async fn begin(
    connection: &GrpcConnection,
    text: &str,
    metadata: &[(&str, &str)],
) -> GrpcCall {
    let operation = Operation::SendStreamingMessage;
    let metadata: Vec<_> = [VERSION].into_iter().chain(metadata.iter().copied()).collect();
    let message = request(operation, &crate::wire::message(text));
    connection.begin(&operation.grpc_path(), &metadata, &message).await
}

macro_rules! by_name {
    ($name:expr, $function:ident($bytes:expr), $($message:ident)*) => {
        match $name {
            $(stringify!($message) => $function::<$message>($bytes),)*
            other => panic!("{other}"),
        }
    };
}

/// The protobuf of a request that is written as JSON.
pub(crate) fn request(operation: Operation, json: &str) -> Vec<u8> {
    fn encode<M: ProtoMessage + DeserializeOwned>(json: &str) -> Vec<u8> {
        wire::to_protobuf(&wire::from_json::<M>(json.as_bytes()).unwrap())
    }
    by_name!(operation.request(), encode(json),
        CancelTaskRequest DeleteTaskPushNotificationConfigRequest GetExtendedAgentCardRequest
        GetTaskPushNotificationConfigRequest GetTaskRequest ListTaskPushNotificationConfigsRequest
        ListTasksRequest SendMessageRequest SubscribeToTaskRequest TaskPushNotificationConfig)
}

/// A response message as JSON.
pub(crate) fn response(operation: Operation, message: &[u8]) -> Value {
    fn decode<M: ProtoMessage + Serialize>(message: &[u8]) -> Value {
        serde_json::to_value(wire::from_protobuf::<M>(message).unwrap()).unwrap()
    }
    if operation == Operation::DeleteTaskPushNotificationConfig {
        assert!(message.is_empty());
        return json!({});
    }
    by_name!(operation.response(), decode(message),
        AgentCard ListTaskPushNotificationConfigsResponse ListTasksResponse SendMessageResponse
        StreamResponse Task TaskPushNotificationConfig)
}

/// The error that an answer is.
pub(crate) fn error(answer: &GrpcAnswer) -> Error {
    assert_ne!(answer.code(), 0, "{answer:?}");
    assert!(answer.messages.is_empty() || answer.trailers != answer.headers, "{answer:?}");
    let details = BASE64_STANDARD_NO_PAD.decode(answer.details()).unwrap();
    Error::from_grpc(GrpcCode::from_number(answer.code()), "", &details)
}

/// What kind of error an answer is.
pub(crate) fn kind(answer: &GrpcAnswer) -> ErrorKind {
    error(answer).kind()
}
