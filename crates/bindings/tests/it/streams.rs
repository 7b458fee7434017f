//! Event streams.

use crate::wire::{Fixture, envelope, message};
use sabir_bindings::ServerConfig;
use sabir_testkit::{RawConnection, patiently};
use std::time::Duration;

/// A stream on each binding.
async fn both(fixture: &Fixture, text: &str) -> [RawConnection; 2] {
    let (mut rpc, mut rest) = (fixture.open().await, fixture.open().await);
    rpc.post_json("/", &envelope("SendStreamingMessage", &message(text))).await;
    rest.post_json("/message:stream", &message(text)).await;
    [rpc, rest]
}

#[tokio::test]
async fn a_stream_has_its_head_its_events_with_their_sequence_and_its_end() {
    let fixture = Fixture::new().await;
    for text in ["x", "one-by-one"] {
        let [mut rpc, mut rest] = both(&fixture, text).await;
        for connection in [&mut rpc, &mut rest] {
            let head = connection.head().await;
            assert_eq!(head.status, 200);
            assert_eq!(head.header("content-type"), Some("text/event-stream"));
            assert_eq!(head.header("cache-control"), Some("no-cache"));
            assert_eq!(head.header("x-accel-buffering"), Some("no"));
            assert_eq!(head.header("content-encoding"), None);
        }
        for seq in ["3", "4", "5", "6"] {
            let (framed, bare) = (rpc.event().await.unwrap(), rest.event().await.unwrap());
            assert_eq!((framed.id(), bare.id()), (Some(seq), Some(seq)));
            assert_eq!(framed.json()["result"], bare.json());
            assert_eq!(framed.json()["id"], 1);
        }
        assert_eq!((rpc.event().await, rest.event().await), (None, None));
    }
}

#[tokio::test]
async fn the_head_comes_before_the_first_event() {
    let fixture = Fixture::new().await;
    let mut connection = fixture.open().await;
    connection.request("GET", "/tasks/silent:subscribe", &[("A2A-Version", "1.0")], b"").await;
    assert_eq!(connection.head().await.status, 200);
    assert!(connection.event().await.is_some());
}

#[tokio::test]
async fn an_error_before_a_stream_is_a_plain_answer() {
    let fixture = Fixture::new().await;
    let [mut rpc, mut rest] = both(&fixture, "error-UNSUPPORTED_OPERATION").await;
    let (head, body) = (rpc.head().await, rpc.body().await);
    assert_eq!((head.status, head.header("content-type")), (200, Some("application/json")));
    assert!(String::from_utf8_lossy(&body).contains("-32004"));
    let (head, body) = (rest.head().await, rest.body().await);
    assert_eq!((head.status, head.header("content-type")), (400, Some("application/json")));
    assert!(String::from_utf8_lossy(&body).contains("UNSUPPORTED_OPERATION"));
}

#[tokio::test]
async fn an_error_within_a_stream_is_its_last_event_in_the_form_of_the_binding() {
    let fixture = Fixture::new().await;
    let [mut rpc, mut rest] = both(&fixture, "later UNAVAILABLE").await;
    rpc.head().await;
    rest.head().await;
    assert!(rpc.event().await.is_some() && rest.event().await.is_some());
    let framed = rpc.event().await.unwrap().json();
    assert_eq!((&framed["id"], &framed["error"]["code"]), (&1.into(), &(-32055).into()));
    let bare = rest.event().await.unwrap().json();
    assert_eq!(bare["error"]["status"], "UNAVAILABLE");
    assert_eq!((rpc.event().await, rest.event().await), (None, None));
}

#[tokio::test]
async fn a_silent_stream_is_kept_alive_by_comments() {
    let config = ServerConfig { heartbeat: Duration::from_millis(20), ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    for mut connection in both(&fixture, "silent").await {
        connection.head().await;
        assert_eq!(connection.frame().await.unwrap().id(), Some("3"));
        for _ in 0..3 {
            assert_eq!(connection.frame().await.unwrap().raw, ": ping");
        }
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_slows_only_itself() {
    let fixture = Fixture::new().await;
    let mut slow = RawConnection::open_with_receive_buffer(fixture.addr(), 4096).await;
    slow.post_json("/message:stream", &message("endless")).await;
    slow.head().await;
    for _ in 0..50 {
        assert_eq!(fixture.rpc("ListTasks", "{}").await.status(), 200);
    }
    for _ in 0..1000 {
        assert_eq!(slow.event().await.unwrap().id(), Some("9"));
    }
}

#[tokio::test]
async fn a_reader_that_hangs_up_leaves_nothing_behind() {
    let fixture = Fixture::new().await;
    let framed = envelope("SendStreamingMessage", &message("silent"));
    for (target, body) in [("/", framed), ("/message:stream", message("silent"))] {
        let mut connection = fixture.open().await;
        connection.post_json(target, &body).await;
        connection.head().await;
        connection.event().await;
        assert_eq!(fixture.stub.open_streams(), 1);
        drop(connection);
        patiently("the stream to be dropped", async {
            while fixture.stub.open_streams() > 0 {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}
