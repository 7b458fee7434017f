//! The server: its end, its connections, its protocols.

use crate::wire::{Fixture, envelope, message};
use sabir_bindings::{Drained, ServerConfig};
use sabir_testkit::patiently;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn a_closing_server_ends_streams_and_idle_connections_and_accepts_no_more() {
    let fixture = Fixture::new().await;
    let addr = fixture.addr();
    let mut stream = fixture.open().await;
    stream.post_json("/message:stream", &message("silent")).await;
    assert_eq!(stream.head().await.status, 200);
    assert_eq!(stream.event().await.unwrap().id(), Some("3"));
    let mut idle = fixture.open().await;
    idle.post_json("/", &envelope("ListTasks", "{}")).await;
    idle.head().await;
    idle.body().await;

    let drained = fixture.shutdown(Duration::from_secs(20)).await;
    assert_eq!(drained, Drained { cut: 0 });
    // The stream ended as a stream ends, not by a reset: it can be resumed.
    assert_eq!(stream.event().await, None);
    idle.closed().await;
    assert!(TcpStream::connect(addr).await.is_err());
}

#[tokio::test]
async fn a_call_that_is_not_answered_in_time_is_cut_and_counted() {
    let fixture = Fixture::new().await;
    let mut waiting = fixture.open().await;
    waiting.post_json("/message:send", &message("wait")).await;
    patiently("the call to arrive", async {
        while fixture.stub.count() == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let drained = fixture.shutdown(Duration::from_millis(50)).await;
    assert_eq!(drained, Drained { cut: 1 });
    waiting.closed().await;
}

#[tokio::test]
async fn a_call_that_is_under_way_is_answered_before_the_server_closes() {
    let fixture = Fixture::new().await;
    let mut connection = fixture.open().await;
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n\
                Content-Type: application/json\r\nContent-Length: ";
    let body = envelope("ListTasks", "{}");
    let (first, rest) = body.split_at(10);
    connection.send(format!("{head}{}\r\nExpect: 100-continue\r\n\r\n", body.len())).await;
    assert_eq!(connection.head().await.status, 100, "the server reads the body now");
    connection.send(first).await;
    let shutdown = tokio::spawn(fixture.shutdown(Duration::from_secs(20)));
    connection.send(rest).await;
    let head = connection.head().await;
    assert_eq!(head.status, 200);
    connection.body().await;
    assert_eq!(shutdown.await.unwrap(), Drained { cut: 0 });
}

#[tokio::test]
async fn more_connections_than_allowed_wait() {
    let fixture = Fixture::with(ServerConfig { connections: 1, ..ServerConfig::default() }).await;
    let mut first = fixture.open().await;
    first.post_json("/", &envelope("ListTasks", "{}")).await;
    first.head().await;
    first.body().await;
    let mut second = fixture.open().await;
    second.post_json("/", &envelope("ListTasks", "{}")).await;
    first.post_json("/", &envelope("ListTasks", "{}")).await;
    first.head().await;
    drop(first);
    assert_eq!(second.head().await.status, 200);
}

#[tokio::test]
async fn http_2_is_spoken_with_those_who_begin_with_it() {
    let fixture = Fixture::new().await;
    let stream = TcpStream::connect(fixture.addr()).await.unwrap();
    let executor = hyper_util::rt::TokioExecutor::new();
    let io = hyper_util::rt::TokioIo::new(stream);
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake(executor, io).await.unwrap();
    tokio::spawn(connection);
    let target = format!("http://{}/message:stream", fixture.addr());
    let request = http::Request::post(target)
        .header("a2a-version", "1.0")
        .header("content-type", "application/json")
        .body(axum::body::Body::from(message("x")))
        .unwrap();
    let response = sender.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let body = axum::body::Body::new(response.into_body());
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&body).matches("data: ").count(), 4);
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let fixture = Fixture::new().await;
    let mut connection = fixture.open().await;
    for _ in 0..3 {
        for target in ["/message:send", "/message:stream"] {
            connection.post_json(target, &message("x")).await;
            assert_eq!(connection.head().await.status, 200);
            assert!(!connection.body().await.is_empty());
        }
    }
}

#[tokio::test]
async fn an_agent_that_panics_is_an_internal_error_and_the_server_goes_on() {
    let fixture = Fixture::new().await;
    let rpc = fixture.rpc("SendMessage", &message("panic")).await;
    assert_eq!((rpc.status(), rpc.code(), &rpc.json()["id"]), (200, -32603, &1.into()));
    let rest = fixture.post("/message:stream", message("panic")).await;
    assert_eq!((rest.status(), rest.reason()), (500, "INTERNAL_ERROR".to_owned()));
    let stream = fixture.post("/message:stream", message("faulty")).await;
    let frames = String::from_utf8(stream.body).unwrap();
    assert!(frames.contains("INTERNAL_ERROR") && frames.ends_with("}\n\n"), "{frames}");
    assert_eq!(fixture.post("/message:send", message("x")).await.status(), 200);
}

#[tokio::test]
async fn what_is_no_http_is_400() {
    let fixture = Fixture::new().await;
    let mut stream = TcpStream::connect(fixture.addr()).await.unwrap();
    stream.write_all(b"\x16\x03\x01\x00\x00 what\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    patiently("an answer", stream.read_to_string(&mut answer)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}
