//! JSON-RPC, byte by byte.

use super::{borrowed, headers};
use crate::fault::Fault;
use crate::world::{Events, Terms};
use sabir::types::{ErrorKind, Operation};
use sabir_testkit::{Head, RawConnection};
use serde_json::{Value, json};
use std::net::SocketAddr;

/// The id of every request.
pub(crate) const ID: &str = "question-1";

/// Asks and reads one answer.
pub(crate) async fn ask(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let (head, mut connection) = post(addr, operation, request, terms).await;
    let body = connection.body().await;
    answer(&head, &serde_json::from_slice(&body).expect("a JSON answer"))
}

async fn post(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> (Head, RawConnection) {
    let envelope =
        json!({"jsonrpc": "2.0", "id": ID, "method": operation.name(), "params": request});
    let headers = headers(terms, "application/json");
    let mut connection = RawConnection::open(addr).await;
    let body = envelope.to_string();
    connection.request("POST", "/", &borrowed(&headers), body.as_bytes()).await;
    (connection.head().await, connection)
}

/// Takes the envelope off.
fn answer(head: &Head, envelope: &Value) -> Result<Value, Fault> {
    assert_eq!(head.header("content-type"), Some("application/json"));
    assert_eq!(envelope["jsonrpc"], "2.0");
    let Some(error) = envelope.get("error") else {
        assert_eq!((head.status, &envelope["id"]), (200, &json!(ID)));
        return Ok(envelope["result"].clone());
    };
    let keys: Vec<_> = error.as_object().expect("an error object").keys().collect();
    assert_eq!(keys, ["code", "data", "message"]);
    let fault = Fault::read(&error["data"], &error["message"]);
    assert_eq!(error["code"], fault.kind.jsonrpc_code(), "{error}");
    // HTTP says more only to those who have to act on it.
    let status = match fault.kind {
        ErrorKind::Unauthenticated => 401,
        ErrorKind::Forbidden => 403,
        _ => 200,
    };
    assert_eq!(head.status, status, "{error}");
    assert_eq!(head.header("www-authenticate").is_some(), status == 401, "{error}");
    Err(fault)
}

/// Asks and follows the answers.
pub(crate) async fn follow(
    addr: SocketAddr,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let (head, mut connection) = post(addr, operation, request, terms).await;
    if head.header("content-type") == Some("text/event-stream") {
        return Ok(Events::JsonRpc(Box::new(connection)));
    }
    // A refusal is a plain answer, not a stream with an error in it.
    let body = connection.body().await;
    Err(answer(&head, &serde_json::from_slice(&body).expect("a JSON answer"))
        .expect_err("what is no stream is a refusal"))
}
