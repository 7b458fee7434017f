//! gRPC, frame by frame.

use super::{borrowed, service_parameters};
use crate::fault::Fault;
use crate::world::{Events, Terms};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sabir::types::wire::{self, ProtoMessage};
use sabir::types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorTable,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest, GrpcCode,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Operation, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use sabir_testkit::{GrpcAnswer, GrpcCall, GrpcConnection};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::net::SocketAddr;

/// Asks and reads one answer.
pub(crate) async fn ask(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let answer = begin(addr, operation, request, terms).await.rest().await;
    match answer.messages.first() {
        Some(message) if answer.code() == 0 => Ok(decode(operation, message)),
        _ => Err(fault(&answer)),
    }
}

async fn begin(addr: SocketAddr, operation: Operation, request: &Value, terms: &Terms) -> GrpcCall {
    let metadata = service_parameters(terms);
    let connection = GrpcConnection::open(addr).await;
    let message = encode(operation, request);
    connection.begin(&operation.grpc_path(), &borrowed(&metadata), &message).await
}

/// Reads a refusal, and holds its code to the table.
pub(crate) fn fault(answer: &GrpcAnswer) -> Fault {
    let details = answer.details().trim_end_matches('=');
    let details = STANDARD_NO_PAD.decode(details).expect("base64");
    assert!(!details.is_empty(), "no google.rpc.Status: {answer:?}");
    let error = Error::from_grpc(GrpcCode::from_number(answer.code()), "", &details);
    assert_eq!(answer.code(), error.kind().grpc_code(ErrorTable::V1_0_1).number(), "{error:?}");
    error.into()
}

/// Asks and follows the answers.
pub(crate) async fn follow(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let mut call = begin(addr, operation, request, terms).await;
    match call.message().await {
        Some(first) => Ok(Events::Grpc(Some(first), Box::new(call))),
        None => Err(fault(&call.rest().await)),
    }
}

/// An event, as JSON.
pub(crate) fn event(message: &[u8]) -> Value {
    json_of::<StreamResponse>(message)
}

fn encode(operation: Operation, request: &Value) -> Vec<u8> {
    type O = Operation;
    match operation {
        O::SendMessage | O::SendStreamingMessage => protobuf::<SendMessageRequest>(request),
        O::GetTask => protobuf::<GetTaskRequest>(request),
        O::ListTasks => protobuf::<ListTasksRequest>(request),
        O::CancelTask => protobuf::<CancelTaskRequest>(request),
        O::SubscribeToTask => protobuf::<SubscribeToTaskRequest>(request),
        O::CreateTaskPushNotificationConfig => protobuf::<TaskPushNotificationConfig>(request),
        O::GetTaskPushNotificationConfig => {
            protobuf::<GetTaskPushNotificationConfigRequest>(request)
        }
        O::ListTaskPushNotificationConfigs => {
            protobuf::<ListTaskPushNotificationConfigsRequest>(request)
        }
        O::DeleteTaskPushNotificationConfig => {
            protobuf::<DeleteTaskPushNotificationConfigRequest>(request)
        }
        O::GetExtendedAgentCard => protobuf::<GetExtendedAgentCardRequest>(request),
    }
}

fn decode(operation: Operation, message: &[u8]) -> Value {
    type O = Operation;
    match operation {
        O::SendMessage => json_of::<SendMessageResponse>(message),
        O::SendStreamingMessage | O::SubscribeToTask => event(message),
        O::GetTask | O::CancelTask => json_of::<Task>(message),
        O::ListTasks => json_of::<ListTasksResponse>(message),
        O::CreateTaskPushNotificationConfig | O::GetTaskPushNotificationConfig => {
            json_of::<TaskPushNotificationConfig>(message)
        }
        O::ListTaskPushNotificationConfigs => {
            json_of::<ListTaskPushNotificationConfigsResponse>(message)
        }
        O::DeleteTaskPushNotificationConfig => json!({}),
        O::GetExtendedAgentCard => json_of::<AgentCard>(message),
    }
}

fn protobuf<T: ProtoMessage + DeserializeOwned>(request: &Value) -> Vec<u8> {
    let request: T = serde_json::from_value(request.clone()).expect("a request");
    request.encode_to_vec()
}

fn json_of<T: ProtoMessage + Serialize>(message: &[u8]) -> Value {
    let message: T = wire::from_protobuf(message).expect("a message");
    serde_json::to_value(message).expect("JSON")
}
