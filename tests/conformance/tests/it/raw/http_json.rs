//! HTTP+JSON, byte by byte.

use super::{borrowed, headers};
use crate::fault::Fault;
use crate::world::{Events, Terms};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sabir::types::{ErrorTable, Operation};
use sabir_testkit::{Head, RawConnection};
use serde_json::Value;
use std::net::SocketAddr;

/// The media type of requests, which answers come back in.
const MEDIA: &str = "application/a2a+json";

/// Asks and reads one answer.
pub(crate) async fn ask(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let (head, mut connection) = send(addr, operation, request, terms).await;
    let body = connection.body().await;
    answer(&head, &serde_json::from_slice(&body).expect("a JSON answer"), operation)
}

async fn send(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> (Head, RawConnection) {
    let mut rest = request.as_object().expect("a request is an object").clone();
    let mut target = operation.path().to_owned();
    for field in ["id", "taskId"] {
        let place = format!("{{{field}}}");
        if target.contains(&place) {
            let value = rest.remove(field).unwrap_or_default();
            target = target.replace(&place, &encoded(value.as_str().expect("an id")));
        }
    }
    let mut body = String::new();
    if operation.has_body() {
        body = Value::Object(rest).to_string();
    } else if !rest.is_empty() {
        let pairs = rest.iter().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            format!("{name}={}", encoded(&value))
        });
        target = format!("{target}?{}", pairs.collect::<Vec<_>>().join("&"));
    }
    let headers = headers(terms, MEDIA);
    let mut connection = RawConnection::open(addr).await;
    let verb = operation.verb().as_str();
    connection.request(verb, &target, &borrowed(&headers), body.as_bytes()).await;
    (connection.head().await, connection)
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

fn answer(head: &Head, body: &Value, operation: Operation) -> Result<Value, Fault> {
    let Some(error) = body.get("error").filter(|_| head.status != 200) else {
        assert_eq!(head.status, 200, "{body}");
        if operation.has_body() {
            assert_eq!(head.header("content-type"), Some(MEDIA));
        }
        return Ok(body.clone());
    };
    assert_eq!(head.header("content-type"), Some("application/json"));
    let fault = Fault::read(&error["details"], &error["message"]);
    let table = ErrorTable::V1_0_1;
    assert_eq!(head.status, fault.kind.http_status(table), "{error}");
    assert_eq!(error["code"], head.status, "{error}");
    assert_eq!(head.header("www-authenticate").is_some(), head.status == 401, "{error}");
    assert_eq!(error["status"], fault.kind.grpc_code(table).name(), "{error}");
    Err(fault)
}

/// Asks and follows the answers.
pub(crate) async fn follow(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let (head, mut connection) = send(addr, operation, request, terms).await;
    if head.header("content-type") == Some("text/event-stream") {
        return Ok(Events::HttpJson(Box::new(connection)));
    }
    let body = connection.body().await;
    Err(answer(&head, &serde_json::from_slice(&body).expect("a JSON answer"), operation)
        .expect_err("what is no stream is a refusal"))
}
