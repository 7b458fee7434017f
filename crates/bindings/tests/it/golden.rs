//! The exact bytes of every operation and every error, on all bindings.
//!
//! The files in `tests/golden` hold them, one exchange after another, with the line ends of HTTP
//! (CR LF) written as line feeds, and without the `date` header. Of a gRPC call they hold the
//! metadata, and the messages in hexadecimal digits. `SABIR_UPDATE_GOLDEN=1` writes them anew.

use crate::grpc_wire;
use crate::stub::error;
use crate::wire::{Fixture, envelope, exchange, message};
use http::HeaderMap;
use sabir_bindings::ServerConfig;
use sabir_testkit::GrpcConnection;
use sabir_types::{ErrorKind, ErrorTable, Operation};
use std::fmt::Write as _;
use std::path::PathBuf;

/// The parameters of an operation, as a caller writes them.
pub(crate) fn params(operation: Operation) -> String {
    use Operation as O;
    match operation {
        O::SendMessage | O::SendStreamingMessage => message("hello"),
        O::ListTasks => r#"{"pageSize":10,"status":"TASK_STATE_WORKING"}"#.to_owned(),
        O::GetTask => r#"{"id":"task-1","historyLength":5}"#.to_owned(),
        O::CancelTask | O::SubscribeToTask => r#"{"id":"task-1"}"#.to_owned(),
        O::CreateTaskPushNotificationConfig => {
            r#"{"taskId":"task-1","url":"https://hook.example/x"}"#.to_owned()
        }
        O::ListTaskPushNotificationConfigs => r#"{"taskId":"task-1"}"#.to_owned(),
        O::GetTaskPushNotificationConfig | O::DeleteTaskPushNotificationConfig => {
            r#"{"taskId":"task-1","id":"hook-1"}"#.to_owned()
        }
        O::GetExtendedAgentCard => "{}".to_owned(),
    }
}

/// A path with its parameters.
pub(crate) fn filled(operation: Operation, path: &str) -> String {
    use Operation as O;
    let path = path.replace("{taskId}", "task-1");
    match operation {
        O::GetTaskPushNotificationConfig | O::DeleteTaskPushNotificationConfig => {
            path.replace("{id}", "hook-1")
        }
        _ => path.replace("{id}", "task-1"),
    }
}

/// The same in HTTP+JSON: the target and the body.
fn target(operation: Operation) -> (String, String) {
    use Operation as O;
    let path = filled(operation, operation.path());
    let query = match operation {
        O::GetTask => "?historyLength=5",
        O::ListTasks => "?pageSize=10&status=TASK_STATE_WORKING",
        _ => "",
    };
    let body = match operation {
        O::SendMessage | O::SendStreamingMessage => message("hello"),
        O::CreateTaskPushNotificationConfig => r#"{"url":"https://hook.example/x"}"#.to_owned(),
        _ => String::new(),
    };
    (format!("{path}{query}"), body)
}

fn request(verb: &str, target: &str, body: &str) -> String {
    let mut request =
        format!("{verb} {target} HTTP/1.1\r\nhost: agent.example\r\na2a-version: 1.0\r\n");
    if !body.is_empty() {
        let _ =
            write!(request, "content-type: application/json\r\ncontent-length: {}\r\n", body.len());
    }
    request + "connection: close\r\n\r\n" + body
}

fn jsonrpc(method: &str, params: &str) -> String {
    request("POST", "/", &envelope(method, params))
}

/// Public, so that the host may be any.
pub(crate) fn config() -> ServerConfig {
    ServerConfig { loopback_only: Some(false), ..ServerConfig::default() }
}

pub(crate) async fn record(fixture: &Fixture, requests: &[String]) -> String {
    let mut text = String::new();
    for request in requests {
        let answer = exchange(fixture.addr(), request.as_bytes()).await;
        let answer = String::from_utf8(answer).unwrap();
        let _ = writeln!(text, ">>>\n{}\n<<<\n{}", plain(request), plain(&answer));
    }
    text
}

/// A gRPC call.
async fn record_grpc(fixture: &Fixture, operation: Operation, params: &str) -> String {
    let message = grpc_wire::request(operation, params);
    let mut text =
        format!(">>> {}\na2a-version: 1.0\n\n{}\n<<<\n", operation.grpc_path(), hex(&message));
    let connection = GrpcConnection::open(fixture.addr()).await.with_authority("agent.example");
    let answer = connection.call(&operation.grpc_path(), &[grpc_wire::VERSION], &message).await;
    put_metadata(&answer.headers, &mut text);
    for message in &answer.messages {
        let _ = writeln!(text, "\n{}", hex(message));
    }
    // Without a message, the metadata is all at once.
    if answer.trailers != answer.headers {
        text.push('\n');
        put_metadata(&answer.trailers, &mut text);
    }
    text
}

pub(crate) fn put_metadata(metadata: &HeaderMap, text: &mut String) {
    for (name, value) in metadata.iter().filter(|(name, _)| *name != "date") {
        let _ = writeln!(text, "{name}: {}", value.to_str().unwrap());
    }
}

/// Digits, 32 bytes in a line.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let line = |line: &[u8]| line.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    bytes.chunks(32).map(line).collect::<Vec<_>>().join("\n")
}

fn plain(bytes: &str) -> String {
    let lines = bytes.split("\r\n").filter(|line| !line.starts_with("date: "));
    lines.collect::<Vec<_>>().join("\n")
}

pub(crate) fn hold(name: &str, got: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.txt"));
    if std::env::var_os("SABIR_UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, got).unwrap();
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(got, held, "{name}: SABIR_UPDATE_GOLDEN=1 writes what is right now");
}

#[tokio::test]
async fn every_operation_has_these_bytes() {
    let fixture = Fixture::with(config()).await;
    for operation in Operation::ALL {
        let (target, body) = target(operation);
        let mut requests = vec![jsonrpc(operation.name(), &params(operation))];
        for verb in operation.verbs() {
            requests.push(request(verb.as_str(), &target, &body));
        }
        let mut text = record(&fixture, &requests).await;
        text += &record_grpc(&fixture, operation, &params(operation)).await;
        hold(operation.name(), &text);
    }
}

#[tokio::test]
async fn every_error_has_these_bytes() {
    for (table, folder) in [(ErrorTable::V1_0_1, "error"), (ErrorTable::V1_0_0, "error-1.0.0")] {
        let fixture = Fixture::with(ServerConfig { error_table: table, ..config() }).await;
        for kind in ErrorKind::all() {
            let same = kind.http_status(table) == kind.http_status(ErrorTable::V1_0_1)
                && kind.grpc_code(table) == kind.grpc_code(ErrorTable::V1_0_1);
            if same && table != ErrorTable::V1_0_1 {
                continue;
            }
            assert_eq!(error(kind.reason()).kind(), kind);
            let id = format!("error-{}", kind.reason());
            let requests = [
                jsonrpc("GetTask", &format!(r#"{{"id":"{id}"}}"#)),
                request("GET", &format!("/tasks/{id}"), ""),
            ];
            let mut text = record(&fixture, &requests).await;
            let params = format!(r#"{{"id":"{id}"}}"#);
            text += &record_grpc(&fixture, Operation::GetTask, &params).await;
            hold(&format!("{folder}-{}", kind.reason()), &text);
        }
    }
}

#[tokio::test]
async fn an_error_that_ends_a_stream_has_these_bytes() {
    let fixture = Fixture::with(config()).await;
    let params = message("later UNAVAILABLE");
    let requests =
        [jsonrpc("SendStreamingMessage", &params), request("POST", "/message:stream", &params)];
    let mut text = record(&fixture, &requests).await;
    text += &record_grpc(&fixture, Operation::SendStreamingMessage, &params).await;
    hold("stream-error", &text);
}

#[tokio::test]
async fn what_no_agent_sees_is_refused_with_these_bytes() {
    let fixture = Fixture::with(config()).await;
    let without_version = |request: String| request.replace("a2a-version: 1.0\r\n", "");
    let as_text = |request: String| request.replace("application/json", "text/plain");
    let get_task = || jsonrpc("GetTask", r#"{"id":"task-1"}"#);
    for (name, requests) in [
        (
            "refused-version",
            [without_version(get_task()), without_version(request("GET", "/tasks/task-1", ""))],
        ),
        (
            "refused-content-type",
            [as_text(get_task()), as_text(request("POST", "/message:send", "x"))],
        ),
        ("refused-json", [request("POST", "/", "{bad"), request("POST", "/message:send", "{bad")]),
        ("refused-method", [jsonrpc("Explode", "{}"), request("GET", "/explode", "")]),
        ("refused-verb", [request("PUT", "/", ""), request("PUT", "/message:send", "")]),
        (
            "refused-params",
            [
                jsonrpc(
                    "SendMessage",
                    r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{}]}}"#,
                ),
                request(
                    "POST",
                    "/message:send",
                    r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{}]}}"#,
                ),
            ],
        ),
        (
            "refused-batch",
            [
                request("POST", "/", "[]"),
                request("POST", "/", r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#),
            ],
        ),
    ] {
        hold(name, &record(&fixture, &requests).await);
    }
}
