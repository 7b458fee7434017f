//! A2A 0.3 beside 1.0: which is meant, and where they behave differently.

use crate::stub::EXTENSION;
use crate::wire::{Fixture, Reply, envelope, message};
use sabir_bindings::ServerConfig;
use sabir_compat::FileBytes;
use sabir_testkit::{GrpcConnection, RawConnection};
use sabir_types::Version;
use serde_json::{Value, json};

const NAMED: &str = r#"{"id":"task-1"}"#;

fn config() -> ServerConfig {
    ServerConfig { v0_3: true, ..ServerConfig::default() }
}

async fn fixture() -> Fixture {
    Fixture::with(config()).await
}

fn send(text: &str) -> String {
    format!(
        r#"{{"message":{{"kind":"message","messageId":"m-0","role":"user","parts":[{{"kind":"text","text":"{text}"}}]}}}}"#
    )
}

fn content(text: &str) -> String {
    format!(
        r#"{{"message":{{"messageId":"m-0","role":"ROLE_USER","content":[{{"text":"{text}"}}]}}}}"#
    )
}

/// A request with this `A2A-Version`, or without.
async fn ask(fixture: &Fixture, version: &str, method: &str, target: &str, body: &str) -> Reply {
    let mut headers = vec![("Content-Type", "application/json")];
    if !version.is_empty() {
        headers.push(("A2A-Version", version));
    }
    fixture.ask(method, target, &headers, body.as_bytes()).await
}

async fn rpc(fixture: &Fixture, version: &str, method: &str, params: &str) -> Reply {
    ask(fixture, version, "POST", "/", &envelope(method, params)).await
}

#[tokio::test]
async fn in_json_rpc_the_header_and_the_spelling_of_the_method_must_agree() {
    let fixture = fixture().await;
    for (version, method, code) in [
        ("", "tasks/get", None),
        ("0.3", "tasks/get", None),
        ("0.3.0", "tasks/get", None),
        ("1.0", "tasks/get", Some(-32009)),
        ("99.0", "tasks/get", Some(-32009)),
        ("0.2", "tasks/get", Some(-32009)),
        ("", "GetTask", Some(-32009)),
        ("0.3", "GetTask", Some(-32009)),
        ("1.0", "GetTask", None),
        ("99.0", "GetTask", Some(-32009)),
        ("", "tasks/list", Some(-32601)),
        ("0.3", "Explode", Some(-32601)),
        ("1.0", "Explode", Some(-32601)),
        ("latest", "Explode", Some(-32009)),
    ] {
        let answer = rpc(&fixture, version, method, NAMED).await.json();
        let found = answer["error"]["code"].as_i64();
        assert_eq!(found, code, "{version:?} {method}: {answer}");
    }
}

#[tokio::test]
async fn in_http_json_the_path_tells_and_v1_is_a_tenant_for_clients_of_1_0() {
    let fixture = fixture().await;
    for (version, path, status) in [
        ("", "/v1/tasks/task-1", 200),
        ("0.3.1", "/v1/tasks/task-1", 200),
        ("1.0", "/v1/tasks/task-1", 200),
        ("99.0", "/v1/tasks/task-1", 400),
        ("", "/tasks/task-1", 400),
        ("0.3", "/tasks/task-1", 400),
        ("1.0", "/tasks/task-1", 200),
        ("", "/v1/explode", 404),
        ("", "/v1/card", 200),
        ("", "/v1/extendedAgentCard", 404),
        ("", "/v1/acme/tasks/task-1", 404),
    ] {
        let reply = ask(&fixture, version, "GET", path, "").await;
        assert_eq!(reply.status(), status, "{version:?} {path}: {reply:?}");
    }
    ask(&fixture, "1.0", "GET", "/v1/tasks/task-1", "").await;
    assert_eq!(fixture.stub.last().request["tenant"], "v1");
    ask(&fixture, "", "GET", "/v1/tasks/task-1", "").await;
    assert_eq!(fixture.stub.last().request, json!({"id": "task-1"}));
    assert_eq!(fixture.stub.last().call.version, Version::V0_3);
}

#[tokio::test]
async fn in_grpc_the_package_tells() {
    let fixture = fixture().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let name = b"\x0a\x0ctasks/task-1";
    let id = b"\x12\x06task-1";
    let failed_precondition = 9;
    for (service, message, version, code) in [
        ("a2a.v1", &name[..], "", 0),
        ("a2a.v1", name, "0.3", 0),
        ("a2a.v1", name, "1.0", failed_precondition),
        ("a2a.v1", name, "x", failed_precondition),
        ("lf.a2a.v1", id, "", failed_precondition),
        ("lf.a2a.v1", id, "0.3", failed_precondition),
        ("lf.a2a.v1", id, "1.0", 0),
    ] {
        let metadata = [("a2a-version", version)];
        let path = format!("/{service}.A2AService/GetTask");
        let answer = connection.call(&path, &metadata, message).await;
        assert_eq!(answer.code(), code, "{service} {version:?}: {answer:?}");
    }
    let unknown = connection.call("/a2a.v1.A2AService/ListTasks", &[], b"").await;
    assert_eq!(unknown.code(), 12);
}

#[tokio::test]
async fn a_call_of_the_other_version_is_told_which_header_to_send() {
    let fixture = fixture().await;
    let message = rpc(&fixture, "", "GetTask", NAMED).await.message();
    assert!(message.contains("send `A2A-Version: 1.0`"), "{message}");
    let refused = ask(&fixture, "", "GET", "/tasks/task-1", "").await;
    assert_eq!(refused.reason(), "VERSION_NOT_SUPPORTED");
    assert!(refused.message().contains("send `A2A-Version: 1.0`"), "{refused:?}");
    let message = rpc(&fixture, "1.0", "tasks/get", NAMED).await.message();
    assert!(message.contains("leave out the header"), "{message}");
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn without_0_3_nothing_of_it_is_served() {
    let fixture = Fixture::new().await;
    assert_eq!(rpc(&fixture, "1.0", "tasks/get", NAMED).await.code(), -32601);
    assert_eq!(rpc(&fixture, "", "tasks/get", NAMED).await.code(), -32009);
    assert_eq!(ask(&fixture, "", "GET", "/v1/tasks/task-1", "").await.status(), 400);
    assert_eq!(ask(&fixture, "", "GET", "/.well-known/agent.json", "").await.status(), 404);
    let connection = GrpcConnection::open(fixture.addr()).await;
    assert_eq!(connection.call("/a2a.v1.A2AService/GetTask", &[], b"").await.code(), 12);
    let card = ask(&fixture, "", "GET", "/.well-known/agent-card.json", "").await;
    assert_eq!(card.header("vary"), None);
    assert_eq!(card.json().get("url"), None);
}

#[tokio::test]
async fn a_body_that_says_nothing_may_be_absent_or_null_and_needs_no_type() {
    let fixture = fixture().await;
    for body in ["", "{}", "null", " null ", r#"{"name":"tasks/task-1"}"#] {
        for headers in [&[][..], &[("Content-Type", "application/json")]] {
            let reply =
                fixture.ask("POST", "/v1/tasks/task-1:cancel", headers, body.as_bytes()).await;
            assert_eq!(reply.status(), 200, "{body}: {reply:?}");
            assert_eq!(reply.json()["status"]["state"], "TASK_STATE_CANCELLED");
        }
    }
    let other = fixture.ask("POST", "/v1/tasks/task-1:cancel", &[], br#"{"name":"tasks/x"}"#);
    assert_eq!(other.await.status(), 400);
    let body = content("hello");
    let headers = [("Content-Type", "text/plain")];
    let refused = fixture.ask("POST", "/v1/message:send", &headers, body.as_bytes()).await;
    assert_eq!(refused.status(), 415);
    assert_eq!(refused.json()["code"], -32005, "{refused:?}");
}

#[tokio::test]
async fn http_json_takes_every_spelling_and_answers_in_one() {
    let fixture = fixture().await;
    let kind = send("hello");
    let camel = content("hello");
    let snake =
        r#"{"request":{"message_id":"m-0","role":"ROLE_USER","content":[{"text":"hello"}]}}"#;
    for body in [&kind, &camel, snake] {
        let reply = ask(&fixture, "", "POST", "/v1/message:send", body).await;
        assert_eq!(reply.header("content-type"), Some("application/json"));
        let json = reply.json();
        assert_eq!(json["task"]["status"]["message"]["content"][0]["text"], "Hello ü", "{json}");
        let request = fixture.stub.last().request;
        assert_eq!(request["message"]["parts"], json!([{"text": "hello"}]), "{body}");
    }
    ask(&fixture, "", "GET", "/v1/tasks/task-1?history_length=3", "").await;
    assert_eq!(fixture.stub.last().request["historyLength"], 3);
    let list = ask(&fixture, "", "GET", "/v1/tasks?page_size=3", "").await;
    assert_eq!(list.json()["pageSize"], 3);
}

#[tokio::test]
async fn what_is_missing_is_named_by_the_same_path_as_in_1_0() {
    let fixture = fixture().await;
    let kind =
        r#"{"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":"a"},{}]}}"#;
    let rpc = rpc(&fixture, "", "message/send", kind).await;
    let body = r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"a"},{}]}}"#;
    let rest = ask(&fixture, "", "POST", "/v1/message:send", body).await;
    let expected = "message.parts[1].content: must be present and valid";
    let mut expected = json!({"code": -32602, "message": expected});
    assert_eq!(rpc.json()["error"], expected);
    expected["type"] = "InvalidParamsError".into();
    assert_eq!((rest.status(), rest.json()), (400, expected));
}

/// The data of the events of a stream that ends by itself.
async fn events(fixture: &Fixture, target: &str, body: &str) -> Vec<Value> {
    let mut connection = RawConnection::open(fixture.addr()).await;
    let headers = [("Content-Type", "application/json")];
    connection.request("POST", target, &headers, body.as_bytes()).await;
    let head = connection.head().await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    let mut events = Vec::new();
    while let Some(event) = connection.event().await {
        events.push(event.json());
    }
    events
}

#[tokio::test]
async fn a_stream_ends_with_a_final_event_where_the_task_waits() {
    let fixture = fixture().await;
    let body = envelope("message/stream", &send("waits"));
    let found = events(&fixture, "/", &body).await;
    let said: Vec<_> = found.iter().map(|event| &event["result"]).collect();
    // What the task was when the message came ends nothing.
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said[0]["kind"], "task");
    assert_eq!(
        (&said[1]["status"]["state"], &said[1]["final"]),
        (&json!("working"), &json!(false))
    );
    assert_eq!(said[2]["final"], true);
    assert_eq!(said[2]["status"]["state"], "input-required");
    let found = events(&fixture, "/v1/message:stream", &content("waits")).await;
    assert_eq!(found.len(), 3);
    assert_eq!(found[2]["statusUpdate"]["final"], true);
    // There is nothing to be expected of a task that waits.
    let found = events(&fixture, "/v1/tasks/waits:subscribe", "").await;
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn subscribing_to_a_task_that_has_ended_gives_it_and_ends() {
    let fixture = fixture().await;
    let body = envelope("tasks/resubscribe", r#"{"id":"ended"}"#);
    let found = events(&fixture, "/", &body).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["result"]["status"]["state"], "completed", "{found:?}");
    let found = events(&fixture, "/v1/tasks/ended:subscribe", "").await;
    assert_eq!(found[0]["task"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn in_json_rpc_the_error_of_a_stream_stands_in_the_stream() {
    let fixture = fixture().await;
    let body = envelope("message/stream", &send("error-UNSUPPORTED_OPERATION"));
    let found = events(&fixture, "/", &body).await;
    assert_eq!(found[0]["error"]["code"], -32004, "{found:?}");
    assert_eq!(found[0]["error"].get("data"), None);
    let unary = rpc(&fixture, "", "message/send", &send("error-UNSUPPORTED_OPERATION")).await;
    assert_eq!(unary.header("content-type"), Some("application/json"));
    let body = content("error-TASK_NOT_FOUND");
    let rest = ask(&fixture, "", "POST", "/v1/message:stream", &body).await;
    assert_eq!((rest.status(), &rest.json()["code"]), (404, &json!(-32001)));
}

#[tokio::test]
async fn a_push_config_without_a_name_has_that_of_its_task() {
    let fixture = fixture().await;
    let params = r#"{"taskId":"task-1","pushNotificationConfig":{"url":"https://h.example/"}}"#;
    let set = rpc(&fixture, "", "tasks/pushNotificationConfig/set", params).await.json();
    assert_eq!(fixture.stub.last().request["id"], "task-1");
    assert_eq!(set["result"]["pushNotificationConfig"]["id"], "hook-1", "{set}");
    rpc(&fixture, "", "tasks/pushNotificationConfig/get", NAMED).await;
    assert_eq!(fixture.stub.last().request["id"], "task-1");
    // Where there is none of that name, the first is meant.
    let first = r#"{"id":"unnamed"}"#;
    let got = rpc(&fixture, "", "tasks/pushNotificationConfig/get", first).await.json();
    assert_eq!(got["result"]["pushNotificationConfig"]["id"], "hook-1", "{got}");
}

#[tokio::test]
async fn extensions_are_echoed_under_the_name_of_the_version() {
    let fixture = fixture().await;
    let headers = [("Content-Type", "application/json"), ("X-A2A-Extensions", EXTENSION)];
    let body = envelope("tasks/get", NAMED);
    let reply = fixture.ask("POST", "/", &headers, body.as_bytes()).await;
    assert_eq!(reply.header("x-a2a-extensions"), Some(EXTENSION));
    assert_eq!(reply.header("a2a-extensions"), None);
}

#[tokio::test]
async fn the_bytes_of_files_are_written_as_the_settings_say() {
    for (v0_3_file_bytes, base64) in [(FileBytes::Text, "dGNr"), (FileBytes::Plain, "ZEdOcg==")] {
        let fixture = Fixture::with(ServerConfig { v0_3_file_bytes, ..config() }).await;
        let body = r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"ZEdOcg=="}}]}}"#;
        ask(&fixture, "", "POST", "/v1/message:send", body).await;
        assert_eq!(fixture.stub.last().request["message"]["parts"][0]["raw"], base64);
    }
}

#[tokio::test]
async fn a_card_is_hybrid_for_those_who_do_not_say_1_0() {
    let fixture = fixture().await;
    let mut tags = Vec::new();
    for (version, path, hybrid) in [
        ("", "/.well-known/agent-card.json", true),
        ("0.3", "/.well-known/agent.json", true),
        ("1.0", "/.well-known/agent-card.json", false),
    ] {
        let reply = ask(&fixture, version, "GET", path, "").await;
        let card = reply.json();
        assert_eq!(reply.header("vary"), Some("A2A-Version"));
        assert_eq!(card.get("url").is_some(), hybrid, "{version:?}: {card}");
        let spoken: Vec<_> = card["supportedInterfaces"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (one["protocolBinding"].as_str().unwrap(), &one["protocolVersion"]))
            .collect();
        let all = ["JSONRPC", "HTTP+JSON", "GRPC"];
        let both = ["1.0", "0.3"].into_iter().flat_map(|version| all.map(|name| (name, version)));
        let expected: Vec<_> = both.collect();
        assert_eq!(spoken.len() - 1, expected.len(), "and one that is served elsewhere");
        assert!(spoken.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && a.1 == b.1), "{spoken:?}");
        tags.push(reply.header("etag").unwrap().to_owned());
    }
    assert_eq!(tags[0], tags[1]);
    assert_ne!(tags[0], tags[2]);
    let headers = [("If-None-Match", tags[0].as_str()), ("A2A-Version", "1.0")];
    let reply = fixture.ask("GET", "/.well-known/agent-card.json", &headers, b"").await;
    assert_eq!(reply.status(), 200);
}

#[tokio::test]
async fn clients_of_both_versions_are_served_on_one_connection() {
    let fixture = fixture().await;
    let mut connection = RawConnection::open(fixture.addr()).await;
    for _ in 0..3 {
        let body = envelope("message/send", &send("hello"));
        let headers = [("Content-Type", "application/json")];
        connection.request("POST", "/", &headers, body.as_bytes()).await;
        connection.head().await;
        let older: Value = serde_json::from_slice(&connection.body().await).unwrap();
        assert_eq!(older["result"]["kind"], "task");
        connection.post_json("/", &envelope("SendMessage", &message("hello"))).await;
        connection.head().await;
        let newer: Value = serde_json::from_slice(&connection.body().await).unwrap();
        assert_eq!(newer["result"]["task"]["id"], "task-1");
    }
}
