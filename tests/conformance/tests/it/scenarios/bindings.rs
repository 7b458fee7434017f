//! What concerns one binding alone.

use crate::world::{TOKEN, agent};
use sabir::types::ErrorTable;
use sabir_conformance::Profile;
use sabir_testkit::{Head, RawConnection};
use serde_json::{Value, json};
use std::net::SocketAddr;

async fn ask(
    addr: SocketAddr,
    method: &str,
    target: &str,
    content_type: &str,
    body: &str,
) -> (Head, Value) {
    let mut connection = RawConnection::open(addr).await;
    let bearer = format!("Bearer {TOKEN}");
    let headers =
        [("Content-Type", content_type), ("A2A-Version", "1.0"), ("Authorization", &bearer)];
    connection.request(method, target, &headers, body.as_bytes()).await;
    let head = connection.head().await;
    (head, serde_json::from_slice(&connection.body().await).unwrap_or_default())
}

async fn rpc(addr: SocketAddr, body: &str) -> (Head, Value) {
    ask(addr, "POST", "/", "application/json", body).await
}

// acts: JSONRPC-ERR-001, JSONRPC-ERR-002, JSONRPC-ERR-003, CORE-ERR-006, CORE-ERR-008
// tck: JSONRPC-ERR-001, JSONRPC-ERR-002, JSONRPC-ERR-003, JSONRPC-SSE-002, JSONRPC-FMT-001
#[tokio::test]
async fn json_rpc_refuses_with_its_own_codes_and_http_says_200() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let unknown = json!({"message": {
        "messageId": "m", "role": "ROLE_USER", "taskId": "x", "parts": [{"text": "a"}],
    }});
    for (body, code) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"#.to_owned(), -32700),
        (json!({"jsonrpc": "2.0", "id": 1, "params": {}}).to_string(), -32600),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "Nobody", "params": {}}).to_string(), -32601),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {}}).to_string(), -32602),
        (
            json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": unknown})
                .to_string(),
            -32001,
        ),
    ] {
        let (head, answer) = rpc(addr, &body).await;
        assert_eq!((head.status, &answer["error"]["code"]), (200, &json!(code)), "{body}");
        let info = "type.googleapis.com/google.rpc.ErrorInfo";
        assert_eq!(answer["error"]["data"][0]["@type"], info, "{answer}");
    }
}

// acts: JSONRPC-ENV-001, JSONRPC-CT-001
// tck: JSONRPC-FMT-002, JSONRPC-SVC-002, HTTP_JSON-SVC-002, GRPC-META-001, VER-CLIENT-001
#[tokio::test]
async fn json_rpc_echoes_the_id_and_answers_at_both_spellings_of_the_path() {
    let (_serving, addr) = agent(&Profile::default()).await;
    for (target, id) in
        [("/", json!("a")), ("//", json!(7)), ("/jsonrpc", json!(1)), ("/jsonrpc/", json!(2))]
    {
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "ListTasks", "params": {}});
        let (head, answer) = ask(addr, "POST", target, "application/json", &body.to_string()).await;
        assert_eq!((head.status, &answer["id"]), (200, &id), "{target}");
        assert_eq!(head.header("content-type"), Some("application/json"));
    }
}

// acts: JSONRPC-SSE-001
#[tokio::test]
async fn every_event_of_json_rpc_is_a_whole_answer() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let message =
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tck-stream-basic"}]});
    let body = json!({
        "jsonrpc": "2.0", "id": 5, "method": "SendStreamingMessage",
        "params": {"message": message},
    });
    let mut connection = RawConnection::open(addr).await;
    connection.post_json("/", &body.to_string()).await;
    assert_eq!(connection.head().await.header("content-type"), Some("text/event-stream"));
    let mut events = 0;
    while let Some(event) = connection.event().await {
        assert_eq!((&event.json()["jsonrpc"], &event.json()["id"]), (&json!("2.0"), &json!(5)));
        events += 1;
    }
    assert!(events >= 2);
}

// tck: JSONRPC-FMT-002, HTTP_JSON-SVC-001, HTTP_JSON-STATUS-001
#[tokio::test]
async fn a_body_of_another_type_is_refused_before_it_is_read() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let (head, answer) = ask(addr, "POST", "/", "text/plain", "{'jsonrpc': '2.0'}").await;
    assert_eq!((head.status, &answer["error"]["code"]), (200, &json!(-32005)));
    let (head, answer) = ask(addr, "POST", "/message:send", "text/plain", "x").await;
    assert_eq!(head.status, 415);
    assert_eq!(answer["error"]["details"][0]["reason"], "CONTENT_TYPE_NOT_SUPPORTED");
}

// acts: REST-STATUS-001, REST-PD-001, REST-CT-001
// tck: HTTP_JSON-URL-001, HTTP_JSON-URL-002, HTTP_JSON-ERR-001, HTTP_JSON-ERR-002
// tck: HTTP_JSON-SVC-001, HTTP_JSON-QP-001
#[tokio::test]
async fn http_json_answers_in_the_type_of_the_request_and_says_what_is_not_there() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let message =
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tck-complete-task"}]});
    let body = json!({ "message": message }).to_string();
    for media in ["application/a2a+json", "application/json"] {
        let (head, answer) = ask(addr, "POST", "/message:send", media, &body).await;
        assert_eq!((head.status, head.header("content-type")), (200, Some(media)));
        let id = answer["task"]["id"].as_str().unwrap();
        let (head, read) =
            ask(addr, "GET", &format!("/tasks/{id}?historyLength=0"), media, "").await;
        assert_eq!((head.status, &read["id"]), (200, &json!(id)));
    }
    let (head, answer) = ask(addr, "GET", "/tasks/nobody-knows-this", "application/json", "").await;
    assert_eq!(head.status, 404);
    let error = &answer["error"];
    assert_eq!((&error["code"], &error["status"]), (&json!(404), &json!("NOT_FOUND")));
    assert_eq!(error["details"][0]["reason"], "TASK_NOT_FOUND");
    assert_eq!(error["details"][0]["domain"], "a2a-protocol.org");
}

// acts: REST-SUB-GET-001, REST-SUB-POST-001
#[tokio::test]
async fn a_task_is_followed_by_get_and_by_post() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let message =
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tck-multi-turn"}]});
    let body = json!({ "message": message }).to_string();
    let (_, answer) = ask(addr, "POST", "/message:send", "application/json", &body).await;
    let target = format!("/tasks/{}:subscribe", answer["task"]["id"].as_str().unwrap());
    for method in ["GET", "POST"] {
        let mut connection = RawConnection::open(addr).await;
        connection.request(method, &target, &[("A2A-Version", "1.0")], b"").await;
        assert_eq!(connection.head().await.header("content-type"), Some("text/event-stream"));
        assert!(connection.event().await.unwrap().json()["task"].is_object(), "{method}");
    }
}

// tck: GRPC-SVC-001, GRPC-SVC-002, GRPC-ERR-001, GRPC-ERR-002, HTTP_JSON-STATUS-001
// tck: BIND-EQUIV-001, BIND-EQUIV-002, BIND-EQUIV-003
#[tokio::test]
async fn the_older_table_of_errors_is_answered_where_it_is_asked_for() {
    let profile = Profile { error_table: ErrorTable::V1_0_0, ..Profile::default() };
    let (_serving, addr) = agent(&profile).await;
    let message =
        json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "tck-complete-task"}]});
    let body = json!({ "message": message }).to_string();
    let (_, answer) = ask(addr, "POST", "/message:send", "application/json", &body).await;
    let target = format!("/tasks/{}:cancel", answer["task"]["id"].as_str().unwrap());
    let (head, answer) = ask(addr, "POST", &target, "application/json", "").await;
    assert_eq!((head.status, &answer["error"]["code"]), (409, &json!(409)));
}
