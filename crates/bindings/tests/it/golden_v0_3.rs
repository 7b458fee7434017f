//! The exact bytes of every operation and every error in A2A 0.3, as in `golden`.

use crate::golden::{config, filled, hex, hold, put_metadata, record};
use crate::stub::error;
use crate::wire::{Fixture, envelope};
use sabir_bindings::ServerConfig;
use sabir_compat::proto::{self, Request, Translate};
use sabir_testkit::GrpcConnection;
use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, Operation, SendMessageRequest, SubscribeToTaskRequest,
    TaskPushNotificationConfig, wire,
};
use std::fmt::Write as _;

fn v0_3() -> ServerConfig {
    ServerConfig { v0_3: true, ..config() }
}

/// The parameters of JSON-RPC.
fn params(operation: Operation) -> &'static str {
    use Operation as O;
    match operation {
        O::SendMessage | O::SendStreamingMessage => {
            r#"{"message":{"kind":"message","messageId":"m-0","role":"user","parts":[{"kind":"text","text":"hello"}]}}"#
        }
        O::GetTask => r#"{"id":"task-1","historyLength":5}"#,
        O::CancelTask | O::SubscribeToTask | O::ListTaskPushNotificationConfigs => {
            r#"{"id":"task-1"}"#
        }
        O::CreateTaskPushNotificationConfig => {
            r#"{"taskId":"task-1","pushNotificationConfig":{"url":"https://hook.example/x"}}"#
        }
        O::GetTaskPushNotificationConfig | O::DeleteTaskPushNotificationConfig => {
            r#"{"id":"task-1","pushNotificationConfigId":"hook-1"}"#
        }
        O::GetExtendedAgentCard | O::ListTasks => "{}",
    }
}

/// The requests of gRPC, and the bodies of HTTP+JSON.
fn body(operation: Operation) -> &'static str {
    use Operation as O;
    match operation {
        O::SendMessage | O::SendStreamingMessage => {
            r#"{"message":{"messageId":"m-0","role":"ROLE_USER","content":[{"text":"hello"}]}}"#
        }
        O::GetTask => r#"{"name":"tasks/task-1","historyLength":5}"#,
        O::CancelTask | O::SubscribeToTask => r#"{"name":"tasks/task-1"}"#,
        O::ListTaskPushNotificationConfigs => r#"{"parent":"tasks/task-1"}"#,
        O::CreateTaskPushNotificationConfig => {
            r#"{"parent":"tasks/task-1","configId":"hook-1","config":{"name":"tasks/task-1/pushNotificationConfigs/hook-1","pushNotificationConfig":{"id":"hook-1","url":"https://hook.example/x"}}}"#
        }
        O::GetTaskPushNotificationConfig | O::DeleteTaskPushNotificationConfig => {
            r#"{"name":"tasks/task-1/pushNotificationConfigs/hook-1"}"#
        }
        O::GetExtendedAgentCard | O::ListTasks => "{}",
    }
}

fn request(verb: &str, target: &str, body: &str) -> String {
    let mut request = format!("{verb} {target} HTTP/1.1\r\nhost: agent.example\r\n");
    if !body.is_empty() {
        let length = body.len();
        let _ = write!(request, "content-type: application/json\r\ncontent-length: {length}\r\n");
    }
    request + "connection: close\r\n\r\n" + body
}

fn jsonrpc(method: &str, params: &str) -> String {
    request("POST", "/", &envelope(method, params))
}

/// The protobuf of a request that is written as JSON.
fn message(operation: Operation, json: &str) -> Vec<u8> {
    use Operation as O;
    fn of<M: Translate<Request>>(json: &str) -> Vec<u8> {
        wire::to_protobuf(&wire::from_json::<M::Form>(json.as_bytes()).unwrap())
    }
    let encode = match operation {
        O::SendMessage | O::SendStreamingMessage => of::<SendMessageRequest>,
        O::GetTask => of::<GetTaskRequest>,
        O::CancelTask => of::<CancelTaskRequest>,
        O::SubscribeToTask => of::<SubscribeToTaskRequest>,
        O::CreateTaskPushNotificationConfig => of::<TaskPushNotificationConfig>,
        O::GetTaskPushNotificationConfig => of::<GetTaskPushNotificationConfigRequest>,
        O::ListTaskPushNotificationConfigs => of::<ListTaskPushNotificationConfigsRequest>,
        O::DeleteTaskPushNotificationConfig => of::<DeleteTaskPushNotificationConfigRequest>,
        O::GetExtendedAgentCard | O::ListTasks => of::<GetExtendedAgentCardRequest>,
    };
    encode(json)
}

async fn record_grpc(fixture: &Fixture, operation: Operation, json: &str) -> String {
    let Some(rpc) = operation.v0_3_rpc() else { return String::new() };
    let path = format!("/{}/{rpc}", proto::GRPC_SERVICE);
    let message = message(operation, json);
    let mut text = format!(">>> {path}\n\n{}\n<<<\n", hex(&message));
    let connection = GrpcConnection::open(fixture.addr()).await.with_authority("agent.example");
    let answer = connection.call(&path, &[], &message).await;
    put_metadata(&answer.headers, &mut text);
    for message in &answer.messages {
        let _ = writeln!(text, "\n{}", hex(message));
    }
    if answer.trailers != answer.headers {
        text.push('\n');
        put_metadata(&answer.trailers, &mut text);
    }
    text
}

#[tokio::test]
async fn every_operation_of_0_3_has_these_bytes() {
    let fixture = Fixture::with(v0_3()).await;
    for operation in Operation::ALL {
        let method = operation.v0_3_method();
        let mut requests: Vec<_> =
            method.map(|method| jsonrpc(method, params(operation))).into_iter().collect();
        let target = filled(operation, operation.v0_3_path());
        for verb in operation.verbs() {
            let body = if operation.has_body() { body(operation) } else { "" };
            requests.push(request(verb.as_str(), &target, body));
        }
        let mut text = record(&fixture, &requests).await;
        text += &record_grpc(&fixture, operation, body(operation)).await;
        hold(&format!("0.3-{operation}"), &text);
    }
}

#[tokio::test]
async fn every_error_of_0_3_has_these_bytes() {
    let fixture = Fixture::with(v0_3()).await;
    for kind in ErrorKind::all() {
        assert_eq!(error(kind.reason()).kind(), kind);
        let id = format!("error-{}", kind.reason());
        let requests = [
            jsonrpc("tasks/get", &format!(r#"{{"id":"{id}"}}"#)),
            jsonrpc("tasks/resubscribe", &format!(r#"{{"id":"{id}"}}"#)),
            request("GET", &format!("/v1/tasks/{id}"), ""),
        ];
        let mut text = record(&fixture, &requests).await;
        let params = format!(r#"{{"name":"tasks/{id}"}}"#);
        text += &record_grpc(&fixture, Operation::GetTask, &params).await;
        hold(&format!("0.3-error-{}", kind.reason()), &text);
    }
}

#[tokio::test]
async fn the_cards_of_an_agent_that_serves_0_3_have_these_bytes() {
    let fixture = Fixture::with(v0_3()).await;
    let with = |version: &str| {
        let request = request("HEAD", "/.well-known/agent-card.json", "");
        request.replace("host:", &format!("a2a-version: {version}\r\nhost:"))
    };
    let get = |path: &str| request("GET", path, "");
    let requests = [
        get("/.well-known/agent-card.json"),
        get("/.well-known/agent-card.json").replace("host:", "a2a-version: 1.0\r\nhost:"),
        with("0.3"),
        request("HEAD", "/.well-known/agent.json", ""),
    ];
    let text = record(&fixture, &requests).await;
    let without_date = |line: &&str| !line.starts_with("last-modified");
    hold("0.3-card", &text.lines().filter(without_date).collect::<Vec<_>>().join("\n"));
}
