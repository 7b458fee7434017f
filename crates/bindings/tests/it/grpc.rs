//! gRPC: the same agent, the same rules, another form.

use crate::golden::params;
use crate::grpc_wire::{VERSION, begin, call, error, kind, request, response, stream};
use crate::stub::{self, EXTENSION};
use crate::wire::{Fixture, message};
use sabir_bindings::{Binding, Drained, ServerConfig, StaticTokens};
use sabir_testkit::{GrpcConnection, patiently};
use sabir_types::wire::MAX_DEPTH;
use sabir_types::{ErrorKind, ErrorTable, Operation, Principal};
use serde_json::{Value, json};
use std::time::Duration;

/// Parameters that send this data.
fn data(value: &Value) -> String {
    let part = json!({"data": value});
    json!({"message": {"messageId": "m-0", "role": "ROLE_USER", "parts": [part]}}).to_string()
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({ "k": inner }))
}

#[tokio::test]
async fn every_operation_answers_what_jsonrpc_answers() {
    let fixture = Fixture::new().await;
    for operation in Operation::ALL.into_iter().filter(|operation| !operation.streams()) {
        let params = params(operation);
        let rpc = fixture.rpc(operation.name(), &params).await.json();
        let asked = fixture.stub.last().request;
        let answer = call(&fixture, operation, &[], &params).await;
        assert_eq!(answer.code(), 0, "{operation}: {answer:?}");
        assert_eq!(answer.headers["content-type"], "application/grpc");
        assert_eq!(fixture.stub.last().request, asked, "{operation}");
        let [message] = &answer.messages[..] else { panic!("{operation}: {answer:?}") };
        assert_eq!(response(operation, message), rpc["result"], "{operation}");
    }
}

#[tokio::test]
async fn a_stream_has_the_events_of_the_others_and_tells_its_last_sequence() {
    let fixture = Fixture::new().await;
    for text in ["x", "one-by-one"] {
        let mut rpc = fixture.open().await;
        rpc.post_json("/message:stream", &message(text)).await;
        rpc.head().await;
        let answer = stream(&fixture, text, &[]).await.rest().await;
        assert_eq!(answer.code(), 0);
        assert_eq!(answer.messages.len(), 4);
        for message in &answer.messages {
            let event = rpc.event().await.unwrap().json();
            assert_eq!(response(Operation::SendStreamingMessage, message), event);
        }
        assert_eq!(answer.trailers["last-event-id"], "6");
    }
    let subscribed = call(&fixture, Operation::SubscribeToTask, &[], r#"{"id":"x"}"#).await;
    assert_eq!((subscribed.code(), subscribed.messages.len()), (0, 4));
}

#[tokio::test]
async fn every_error_has_its_code_and_its_details_in_both_editions() {
    for table in [ErrorTable::V1_0_1, ErrorTable::V1_0_0] {
        let config = ServerConfig { error_table: table, ..ServerConfig::default() };
        let fixture = Fixture::with(config).await;
        for kind in ErrorKind::all() {
            let params = format!(r#"{{"id":"error-{}"}}"#, kind.reason());
            let answer = call(&fixture, Operation::GetTask, &[], &params).await;
            let expected = stub::error(kind.reason());
            assert_eq!(answer.code(), kind.grpc_code(table).number(), "{kind:?}");
            let found = error(&answer);
            assert_eq!(found.kind(), kind);
            assert_eq!(found.message(), expected.message());
            assert_eq!(found.metadata(), expected.metadata());
            assert_eq!(found.violations(), expected.violations());
            assert_eq!(found.retry_after(), expected.retry_after());
            assert!(!format!("{answer:?}").contains("only the log"));
        }
    }
}

#[tokio::test]
async fn an_error_and_a_panic_within_a_stream_are_its_status() {
    let fixture = Fixture::new().await;
    for (text, expected) in
        [("later UNAVAILABLE", ErrorKind::Unavailable), ("faulty", ErrorKind::Internal)]
    {
        let answer = stream(&fixture, text, &[]).await.rest().await;
        assert_eq!(answer.messages.len(), 1, "{text}");
        assert_eq!(kind(&answer), expected);
        assert_eq!(answer.trailers["last-event-id"], "3");
    }
    let answer = call(&fixture, Operation::GetTask, &[], r#"{"id":"panic-now"}"#).await;
    assert_eq!((answer.code(), kind(&answer)), (13, ErrorKind::Internal));
    let answer = stream(&fixture, "error-UNSUPPORTED_OPERATION", &[]).await.rest().await;
    assert_eq!((answer.code(), answer.messages.len()), (9, 0));
}

#[tokio::test]
async fn only_version_1_0_is_served_and_it_must_be_said() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let path = Operation::ListTasks.grpc_path();
    for version in ["1.0", "1.0.7"] {
        assert_eq!(connection.call(&path, &[("a2a-version", version)], b"").await.code(), 0);
    }
    let nothing = connection.call(&path, &[], b"").await;
    assert_eq!(kind(&nothing), ErrorKind::VersionNotSupported);
    assert!(error(&nothing).message().contains("A2A-Version: 1.0"));
    for version in ["0.3", "1.1", "nonsense"] {
        let answer = connection.call(&path, &[("a2a-version", version)], b"").await;
        assert_eq!((answer.code(), kind(&answer)), (9, ErrorKind::VersionNotSupported));
    }
}

#[tokio::test]
async fn service_parameters_stand_in_the_metadata() {
    let fixture = Fixture::new().await;
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let metadata = [
        ("a2a-extensions", EXTENSION),
        ("x-a2a-extensions", "https://ext.example/b"),
        ("sabir-task-deadline", "1.5"),
        ("traceparent", trace),
        ("last-event-id", "7"),
    ];
    let answer = stream(&fixture, "x", &metadata).await.rest().await;
    assert_eq!(answer.headers["a2a-extensions"], EXTENSION);
    let seen = fixture.stub.last().call;
    assert_eq!(seen.extensions, [EXTENSION, "https://ext.example/b"]);
    assert_eq!(seen.deadline, Some(Duration::from_millis(1500)));
    assert_eq!(seen.trace.as_deref(), Some(trace));
    assert_eq!(seen.resume_after, Some(7));
    let refused = stream(&fixture, "x", &[("last-event-id", "x")]).await.rest().await;
    assert_eq!(error(&refused).violations()[0].field, "Last-Event-ID");
}

#[tokio::test]
async fn a_repeat_says_that_it_is_one_and_a_tenant_arrives() {
    let fixture = Fixture::new().await;
    let answer = call(&fixture, Operation::SendMessage, &[], &message("again")).await;
    assert_eq!(answer.headers["idempotent-replayed"], "true");
    let first = call(&fixture, Operation::SendMessage, &[], &message("x")).await;
    assert_eq!(first.headers.get("idempotent-replayed"), None);
    call(&fixture, Operation::ListTasks, &[], r#"{"tenant":"acme"}"#).await;
    assert_eq!(fixture.stub.last().request["tenant"], "acme");
}

#[tokio::test]
async fn callers_prove_who_they_are_by_metadata() {
    let tokens = StaticTokens::new().bearer("secret", Principal::new("alice"));
    let fixture = Fixture::of(ServerConfig::default(), |routes| {
        routes.authenticator(std::sync::Arc::new(tokens))
    })
    .await;
    let answer = call(&fixture, Operation::ListTasks, &[], "{}").await;
    assert_eq!((answer.code(), kind(&answer)), (16, ErrorKind::Unauthenticated));
    assert!(answer.headers.contains_key("www-authenticate"));
    let wrong = [("authorization", "Bearer wrong")];
    assert_eq!(call(&fixture, Operation::ListTasks, &wrong, "{}").await.code(), 16);
    let right = [("authorization", "Bearer secret")];
    assert_eq!(call(&fixture, Operation::ListTasks, &right, "{}").await.code(), 0);
    assert_eq!(fixture.stub.last().call.principal, Principal::new("alice"));
}

#[tokio::test]
async fn a_missing_field_has_the_path_that_it_has_elsewhere() {
    let fixture = Fixture::new().await;
    let params = r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"},{}]}}"#;
    let elsewhere = fixture.rpc("SendMessage", params).await.message();
    let answer = call(&fixture, Operation::SendMessage, &[], params).await;
    assert_eq!((answer.code(), error(&answer).message()), (3, &*elsewhere));
    assert_eq!(error(&answer).violations()[0].field, "message.parts[1].content");
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn what_is_no_call_of_the_service_is_refused() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    for path in ["/lf.a2a.v1.A2AService/Explode", "/x.Y/Z", "/"] {
        let answer = connection.call(path, &[VERSION], b"").await;
        assert_eq!((answer.code(), kind(&answer)), (12, ErrorKind::MethodNotFound), "{path}");
    }
    let path = Operation::ListTasks.grpc_path();
    for (body, code, expected) in [
        (&b""[..], 3, ErrorKind::InvalidRequest),
        (b"\0\0\0\0\x05ab", 3, ErrorKind::InvalidRequest),
        (b"\0\0\0\0\0\0\0\0\0\0", 3, ErrorKind::InvalidRequest),
        (b"\x01\0\0\0\0", 9, ErrorKind::UnsupportedOperation),
        (b"\0\0\0\0\x02\xff\xff", 3, ErrorKind::InvalidParams),
    ] {
        let answer = connection.send(&path, &[VERSION], body.to_vec()).await.rest().await;
        assert_eq!((answer.code(), kind(&answer)), (code, expected), "{body:?}");
    }
    let json = [VERSION, ("content-type", "application/grpc+json")];
    let answer = connection.call(&path, &json, b"").await;
    assert_eq!(kind(&answer), ErrorKind::ContentTypeNotSupported);
    let proto = [VERSION, ("content-type", "application/grpc+proto")];
    assert_eq!(connection.call(&path, &proto, b"").await.code(), 0);
    let soon = [VERSION, ("grpc-timeout", "soon")];
    let answer = connection.call(&path, &soon, b"").await;
    assert_eq!(error(&answer).violations()[0].field, "grpc-timeout");
}

#[tokio::test]
async fn where_grpc_is_not_served_it_is_unimplemented_and_not_listed() {
    let config = ServerConfig { bindings: vec![Binding::HttpJson], ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    assert_eq!(call(&fixture, Operation::ListTasks, &[], "{}").await.code(), 12);
}

#[tokio::test]
async fn a_foreign_authority_is_refused_on_loopback() {
    let fixture = Fixture::new().await;
    let path = Operation::ListTasks.grpc_path();
    for (authority, code) in [("localhost:1", 0), ("evil.example", 7)] {
        let connection = GrpcConnection::open(fixture.addr()).await.with_authority(authority);
        assert_eq!(connection.call(&path, &[VERSION], b"").await.code(), code, "{authority}");
    }
}

#[tokio::test]
async fn a_message_may_be_as_large_as_a_body_and_no_larger() {
    let config = ServerConfig { body_bytes: 1000, ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let path = Operation::SendMessage.grpc_path();
    let room = 1000 - 5 - request(Operation::SendMessage, &message("")).len() - 6;
    for (text, code) in [("x".repeat(room), 0), ("x".repeat(room + 7), 8)] {
        let message = request(Operation::SendMessage, &message(&text));
        let answer = connection.call(&path, &[VERSION], &message).await;
        assert_eq!(answer.code(), code, "{}", message.len());
    }
    let answer = connection.call(&path, &[VERSION], &[0; 5000]).await;
    assert_eq!(error(&answer).metadata()["limitBytes"], "1000");
}

#[tokio::test]
async fn data_comes_through_as_it_is_as_deep_as_in_json() {
    let fixture = Fixture::new().await;
    for value in [json!(null), json!(0), json!([1, null]), nested(MAX_DEPTH)] {
        let answer = call(&fixture, Operation::SendMessage, &[], &data(&value)).await;
        assert_eq!(answer.code(), 0, "{answer:?}");
        assert_eq!(fixture.stub.last().request["message"]["parts"][0]["data"], value);
    }
    let before = fixture.stub.count();
    let deeper = data(&nested(MAX_DEPTH + 1));
    let answer = call(&fixture, Operation::SendMessage, &[], &deeper).await;
    assert_eq!((answer.code(), kind(&answer)), (3, ErrorKind::InvalidRequest));
    assert_eq!(fixture.stub.count(), before);
}

#[tokio::test]
async fn a_reader_with_a_small_window_loses_nothing_and_blocks_nobody() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open_with_window(fixture.addr(), 100).await;
    let mut slow = begin(&connection, "endless", &[]).await;
    slow.message().await.unwrap();
    // Another call on the same connection, and on others, while the stream stands still.
    let answer = connection.call(&Operation::ListTasks.grpc_path(), &[VERSION], b"").await;
    assert_eq!(answer.code(), 0);
    for _ in 0..50 {
        assert_eq!(fixture.rpc("ListTasks", "{}").await.status(), 200);
    }
    for _ in 0..1000 {
        slow.message().await.unwrap();
    }
}

#[tokio::test]
async fn a_reader_that_hangs_up_leaves_nothing_behind() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let mut call = begin(&connection, "silent", &[]).await;
    call.message().await.unwrap();
    assert_eq!(fixture.stub.open_streams(), 1);
    drop(call);
    patiently("the stream to be dropped", async {
        while fixture.stub.open_streams() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_timeout_ends_the_call() {
    let fixture = Fixture::new().await;
    let soon = [("grpc-timeout", "20m")];
    let answer = call(&fixture, Operation::SendMessage, &soon, &message("wait")).await;
    assert_eq!((answer.code(), answer.details()), (4, ""));
    for text in ["silent", "endless"] {
        let answer = stream(&fixture, text, &soon).await.rest().await;
        assert_eq!(answer.code(), 4, "{text}");
    }
}

#[tokio::test]
async fn a_closing_server_answers_what_is_under_way_and_ends_streams_as_unavailable() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let mut silent = begin(&connection, "silent", &[]).await;
    silent.message().await.unwrap();
    let drained = fixture.shutdown(Duration::from_secs(20)).await;
    assert_eq!(drained, Drained { cut: 0 });
    let answer = silent.rest().await;
    // Without details: it is the way that ends, not the task.
    assert_eq!((answer.code(), answer.details()), (14, ""));
    assert_eq!(answer.trailers["last-event-id"], "3");
}
