//! Bodies and heads that are too large, too slow or packed.

use crate::wire::{Fixture, envelope, message};
use sabir_bindings::ServerConfig;
use sabir_testkit::patiently;
use std::time::Duration;

const JSON: &str = "A2A-Version: 1.0\r\nContent-Type: application/json\r\n";

fn small() -> ServerConfig {
    ServerConfig { body_bytes: 1 << 20, ..ServerConfig::default() }
}

#[tokio::test]
async fn a_body_that_is_announced_as_too_large_is_refused_unread() {
    let fixture = Fixture::with(small()).await;
    for target in ["/", "/message:send"] {
        let mut connection = fixture.open().await;
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\n{JSON}Content-Length: 1073741824\r\n\r\n"
        );
        connection.send(head).await;
        // Not a byte of it was sent.
        let head = connection.head().await;
        assert_eq!(head.status, 413, "{target}");
        assert_eq!(head.header("connection"), Some("close"));
        let body = String::from_utf8(connection.body().await).unwrap();
        assert!(body.contains("TOO_LARGE") && body.contains("1048576"), "{body}");
        connection.closed().await;
    }
}

#[tokio::test]
async fn an_endless_body_is_refused_when_it_is_too_large_while_others_are_served() {
    let fixture = Fixture::with(small()).await;
    let mut connection = fixture.open().await;
    let head =
        format!("POST / HTTP/1.1\r\nHost: localhost\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n");
    connection.send(head).await;
    let chunk = [b"10000\r\n".to_vec(), vec![b'a'; 0x10000], b"\r\n".to_vec()].concat();
    for _ in 0..8 {
        connection.send(&chunk).await;
        assert_eq!(fixture.rpc("ListTasks", "{}").await.status(), 200);
    }
    let mut sent = 8;
    while connection.try_send(&chunk).await.is_ok() && sent < 1000 {
        sent += 1;
    }
    assert!(sent < 1000, "it never ended");
    assert_eq!(connection.head().await.status, 413);
}

#[tokio::test]
async fn a_client_that_sends_all_of_a_body_that_is_a_little_too_large_reads_the_refusal() {
    let fixture = Fixture::with(small()).await;
    for _ in 0..20 {
        let reply = fixture.post("/", vec![b' '; 3 << 20]).await;
        assert_eq!((reply.status(), reply.reason()), (413, "TOO_LARGE".to_owned()));
    }
}

#[tokio::test]
async fn a_body_of_just_the_limit_is_read_however_it_is_cut() {
    let fixture = Fixture::with(ServerConfig { body_bytes: 10_000, ..small() }).await;
    let call = envelope("ListTasks", "{}");
    let body = format!("{call}{}", " ".repeat(10_000 - call.len()));
    assert_eq!(fixture.post("/", &body).await.status(), 200);
    assert_eq!(fixture.post("/", format!("{body} ")).await.status(), 413);
    let mut connection = fixture.open().await;
    let head =
        format!("POST / HTTP/1.1\r\nHost: localhost\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n");
    connection.send(head).await;
    for piece in body.as_bytes().chunks(999) {
        connection.send(format!("{:x}\r\n", piece.len())).await;
        connection.send(piece).await;
        connection.send("\r\n").await;
    }
    connection.send("0\r\n\r\n").await;
    assert_eq!(connection.head().await.status, 200);
}

#[tokio::test]
async fn a_packed_body_is_refused() {
    let fixture = Fixture::new().await;
    for coding in ["gzip", "br", "deflate, gzip"] {
        for target in ["/", "/message:send"] {
            let headers = [
                ("A2A-Version", "1.0"),
                ("Content-Type", "application/json"),
                ("Content-Encoding", coding),
            ];
            let reply = fixture.ask("POST", target, &headers, b"\x1f\x8b").await;
            assert_eq!(reply.status(), 415, "{coding}");
            assert_eq!(reply.reason(), "CONTENT_TYPE_NOT_SUPPORTED");
            assert_eq!(reply.header("accept-encoding"), Some("identity"));
        }
    }
}

#[tokio::test]
async fn a_body_that_stalls_ends_its_request() {
    let config =
        ServerConfig { body_timeout: Duration::from_millis(50), ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    let mut connection = fixture.open().await;
    let head = format!("POST / HTTP/1.1\r\nHost: localhost\r\n{JSON}Content-Length: 100\r\n\r\n{{");
    connection.send(head).await;
    assert_eq!(connection.head().await.status, 408);
    connection.body().await;
    connection.closed().await;
}

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let config =
        ServerConfig { header_timeout: Duration::from_millis(50), ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    // Nothing, what may become HTTP/2, and half a head.
    for start in ["", "P", "POST / HTTP/1.1\r\nHost: local"] {
        let mut connection = fixture.open().await;
        connection.send(start).await;
        connection.closed().await;
    }
    // And a connection that was used and then says nothing.
    let mut connection = fixture.open().await;
    connection.post_json("/", &envelope("ListTasks", "{}")).await;
    connection.head().await;
    connection.body().await;
    connection.closed().await;
}

#[tokio::test]
async fn a_head_that_is_too_large_is_431() {
    let fixture = Fixture::new().await;
    let many: String = (0..200).map(|n| format!("X-{n}: y\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "y".repeat(70_000));
    for headers in [many, long] {
        let mut connection = fixture.open().await;
        connection.send(format!("GET /tasks HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n")).await;
        assert_eq!(connection.head().await.status, 431);
    }
    assert_eq!(fixture.call("GET", "/tasks").await.status(), 200);
}

#[tokio::test]
async fn a_message_of_megabytes_goes_through() {
    let fixture = Fixture::new().await;
    let text = "a".repeat(9 << 20);
    let reply = patiently("the answer", fixture.post("/message:send", message(&text))).await;
    assert_eq!(reply.status(), 200);
    let parts = fixture.stub.last().request["message"]["parts"][0]["text"].clone();
    assert_eq!(parts.as_str().unwrap().len(), text.len());
}
