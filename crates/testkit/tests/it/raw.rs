//! The raw connection against a server that is not ours.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::routing::{get, post};
use futures_util::stream;
use sabir_testkit::RawConnection;
use std::convert::Infallible;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Sent in chunks, because a stream has no length.
async fn events() -> Body {
    let pieces = ["id: 1\ndata: a\n\n", ": beat\n\n", "id: 2\ndata: b", "\n\n"];
    Body::from_stream(stream::iter(pieces.map(Ok::<_, Infallible>)))
}

async fn serve() -> SocketAddr {
    let app = Router::new()
        .route("/echo", post(|request: Request<Body>| async { request.into_body() }))
        .route("/events", get(events));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    addr
}

#[tokio::test]
async fn one_connection_carries_several_answers() {
    let mut connection = RawConnection::open(serve().await).await;
    for text in ["first", "second"] {
        connection.request("POST", "/echo", &[("X-Name", "v")], text.as_bytes()).await;
        let head = connection.head().await;
        assert_eq!(head.status, 200);
        assert!(head.raw.starts_with("HTTP/1.1 200 OK\r\n"));
        assert_eq!(connection.body().await, text.as_bytes());
    }
}

#[tokio::test]
async fn events_are_read_one_by_one_until_the_stream_ends() {
    let mut connection = RawConnection::open_with_receive_buffer(serve().await, 4096).await;
    connection.request("GET", "/events", &[], b"").await;
    assert_eq!(connection.head().await.header("Transfer-Encoding"), Some("chunked"));
    let first = connection.event().await.unwrap();
    assert_eq!((first.id(), first.data().as_str()), (Some("1"), "a"));
    let second = connection.event().await.unwrap();
    assert_eq!((second.id(), second.data().as_str()), (Some("2"), "b"));
    assert_eq!(connection.event().await, None);
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_seen_to_end() {
    let mut connection = RawConnection::open(serve().await).await;
    connection
        .send("POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
        .await;
    connection.head().await;
    assert_eq!(connection.body().await, b"hi");
    connection.closed().await;
}
