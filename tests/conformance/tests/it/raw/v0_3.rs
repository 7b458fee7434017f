//! A2A 0.3 on every binding. The dialects are translated by our own code, which tests of its own
//! hold to the wire of other SDKs; what is shown here is that an agent behaves in 0.3 as in 1.0.

mod translate;

use super::{borrowed, headers, service_parameters};
use crate::fault::Fault;
use crate::world::{Events, Terms};
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sabir::bindings::Binding;
use sabir::types::{Error, GrpcCode, Operation};
use sabir_compat::error::{read_grpc, read_http_json};
use sabir_compat::proto::GRPC_SERVICE;
use sabir_testkit::{GrpcCall, GrpcConnection, Head, RawConnection};
use serde_json::{Value, json};
use std::net::SocketAddr;
pub(crate) use translate::{Form, event};

/// As clients of 0.3 do, without a version.
fn older(terms: &Terms) -> Terms {
    Terms { version: None, ..terms.clone() }
}

/// Asks and reads one answer.
pub(crate) async fn ask(
    addr: SocketAddr,
    binding: Binding,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let (form, terms) = (Form::of(binding), older(terms));
    if binding == Binding::Grpc {
        let answer = begin(addr, operation, request, &terms).await.rest().await;
        return match answer.messages.first() {
            Some(message) if answer.code() == 0 => Ok(form.answer(operation, message)),
            _ => Err(grpc_fault(&answer)),
        };
    }
    let (head, mut connection) = send(addr, binding, operation, request, &terms).await;
    let body = connection.body().await;
    result(&head, &body, binding, operation)
}

/// Asks and follows the answers.
pub(crate) async fn follow(
    addr: SocketAddr,
    binding: Binding,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let terms = older(terms);
    if binding == Binding::Grpc {
        let mut call = begin(addr, operation, request, &terms).await;
        return match call.message().await {
            Some(first) => Ok(Events::GrpcV0_3(Some(first), Box::new(call))),
            None => Err(grpc_fault(&call.rest().await)),
        };
    }
    let (head, mut connection) = send(addr, binding, operation, request, &terms).await;
    if head.header("content-type") == Some("text/event-stream") {
        let first = connection.event().await.expect("an event").json();
        if first.get("error").is_some() {
            return Err(refusal(&first, 200, binding, operation));
        }
        return Ok(Events::SseV0_3(binding, Some(first), Box::new(connection)));
    }
    let body = connection.body().await;
    Err(result(&head, &body, binding, operation).expect_err("what is no stream is a refusal"))
}

async fn begin(addr: SocketAddr, operation: Operation, request: &Value, terms: &Terms) -> GrpcCall {
    let method = operation.v0_3_rpc().expect("an operation of 0.3");
    let message = Form::Protobuf.request(operation, request);
    let connection = GrpcConnection::open(addr).await;
    let metadata = service_parameters(terms);
    let path = format!("/{GRPC_SERVICE}/{method}");
    connection.begin(&path, &borrowed(&metadata), &message).await
}

fn grpc_fault(answer: &sabir_testkit::GrpcAnswer) -> Fault {
    let details = STANDARD_NO_PAD.decode(answer.details().trim_end_matches('=')).expect("base64");
    read_grpc(GrpcCode::from_number(answer.code()), "", &details).into()
}

async fn send(
    addr: SocketAddr,
    binding: Binding,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> (Head, RawConnection) {
    let body = Form::of(binding).request(operation, request);
    let (verb, target, body) = if binding == Binding::JsonRpc {
        let method = operation.v0_3_method().expect("an operation of 0.3");
        let params: Value = serde_json::from_slice(&body).expect("JSON");
        let envelope = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        ("POST", "/".to_owned(), envelope.to_string().into_bytes())
    } else {
        let mut target = operation.v0_3_path().to_owned();
        for field in ["id", "taskId"] {
            let value = request[field].as_str().unwrap_or_default();
            target = target.replace(&format!("{{{field}}}"), value);
        }
        if let Some(length) = request["historyLength"].as_i64() {
            target = format!("{target}?historyLength={length}");
        }
        let body = if operation.has_body() { body } else { Vec::new() };
        (operation.verb().as_str(), target, body)
    };
    let headers = headers(terms, "application/json");
    let mut connection = RawConnection::open(addr).await;
    connection.request(verb, &target, &borrowed(&headers), &body).await;
    (connection.head().await, connection)
}

fn result(
    head: &Head,
    body: &[u8],
    binding: Binding,
    operation: Operation,
) -> Result<Value, Fault> {
    let form = Form::of(binding);
    let answer: Value = serde_json::from_slice(body).expect("a JSON answer");
    match binding {
        Binding::HttpJson if head.status == 200 => Ok(form.answer(operation, body)),
        Binding::JsonRpc if answer.get("error").is_none() => {
            Ok(form.answer(operation, answer["result"].to_string().as_bytes()))
        }
        _ => Err(refusal(&answer, head.status, binding, operation)),
    }
}

fn refusal(answer: &Value, status: u16, binding: Binding, operation: Operation) -> Fault {
    if binding == Binding::HttpJson {
        let names_task = operation.v0_3_path().contains("/tasks/");
        return read_http_json(status, answer.to_string().as_bytes(), names_task).into();
    }
    let error = &answer["error"];
    let code = error["code"].as_i64().expect("a code");
    let message = error["message"].as_str().expect("a message");
    Error::from_jsonrpc(code, message, error.get("data")).into()
}
