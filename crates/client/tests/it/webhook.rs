//! Deliveries: what a receiver sees, and what its answer means.

use crate::fixture::{Server, open_events, redirect, status, with_header};
use sabir_client::{Guard, GuardConfig, Webhooks};
use sabir_engine::{Delivery, DeliveryError, Parcel};
use sabir_types::{AuthenticationInfo, ErrorKind, TaskPushNotificationConfig, Version};
use std::time::Duration;

fn webhooks(timeout: Duration) -> Webhooks {
    let config = GuardConfig { allow_loopback: true, timeout, ..GuardConfig::default() };
    Webhooks::new(Guard::new(config).expect("TLS"))
}

fn config(url: String) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        url,
        token: Some("n0tify".into()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: Some("cr3d".into()),
        }),
        ..Default::default()
    }
}

fn parcel() -> Parcel {
    Parcel {
        body: r#"{"statusUpdate":{}}"#.into(),
        version: Version::V1_0,
        seq: 42,
        delivery_id: "d-1".into(),
        attempts: 0,
    }
}

#[tokio::test]
async fn a_webhook_of_0_3_gets_the_bare_task_as_json() {
    let server = Server::start(|_, _| status(200, "")).await;
    let task = r#"{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}}"#;
    let parcel = Parcel { body: task.into(), version: Version::V0_3, ..parcel() };
    let webhooks = webhooks(Duration::from_secs(15));
    webhooks.deliver(&config(server.url("/h")), parcel).await.expect("taken");
    let seen = server.only();
    let bare = r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}"#;
    assert_eq!(seen.body, bare);
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("x-a2a-notification-token"), Some("n0tify"));
}

async fn outcome_of(answer: fn() -> axum::response::Response) -> Result<(), DeliveryError> {
    let server = Server::start(move |_, _| answer()).await;
    let outcome =
        webhooks(Duration::from_secs(15)).deliver(&config(server.url("/h")), parcel()).await;
    assert_eq!(server.seen().len(), 1, "one attempt, and no redirect followed");
    outcome
}

#[tokio::test]
async fn a_delivery_carries_the_event_the_credentials_and_its_identity() {
    let server = Server::start(|_, _| status(202, "thanks")).await;
    let webhooks = webhooks(Duration::from_secs(15));
    webhooks.deliver(&config(server.url("/h?a=b")), parcel()).await.expect("taken");
    let seen = server.only();
    assert_eq!(format!("{} {}", seen.method, seen.target), "POST /h?a=b");
    assert_eq!(seen.body, r#"{"statusUpdate":{}}"#);
    for (name, value) in [
        ("content-type", "application/a2a+json"),
        ("authorization", "Bearer cr3d"),
        ("x-a2a-notification-token", "n0tify"),
        ("a2a-notification-token", "n0tify"),
        ("sabir-delivery-id", "d-1"),
        ("sabir-event-seq", "42"),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
}

#[tokio::test]
async fn without_credentials_and_token_there_are_no_such_headers() {
    let server = Server::start(|_, _| status(200, "")).await;
    let plain = TaskPushNotificationConfig { url: server.url("/"), ..Default::default() };
    webhooks(Duration::from_secs(15)).deliver(&plain, parcel()).await.expect("taken");
    let seen = server.only();
    for name in ["authorization", "x-a2a-notification-token", "a2a-notification-token"] {
        assert_eq!(seen.header(name), None);
    }
}

#[tokio::test]
async fn an_answer_means_taken_never_or_not_now() {
    assert_eq!(outcome_of(|| status(204, "")).await, Ok(()));
    let never: [fn() -> axum::response::Response; 7] = [
        || status(400, ""),
        || status(401, ""),
        || status(404, ""),
        || status(410, ""),
        || redirect(302, "/elsewhere"),
        || redirect(307, "http://127.0.0.1:9/"),
        || status(304, ""),
    ];
    for answer in never {
        let outcome = outcome_of(answer).await;
        assert!(matches!(outcome, Err(DeliveryError::Refused { .. })), "{outcome:?}");
    }
    let later: [fn() -> axum::response::Response; 6] = [
        || status(408, ""),
        || status(425, ""),
        || status(429, ""),
        || status(500, ""),
        || status(503, ""),
        || status(599, ""),
    ];
    for answer in later {
        let outcome = outcome_of(answer).await;
        assert!(matches!(outcome, Err(DeliveryError::Later { .. })), "{outcome:?}");
    }
    let outcome = outcome_of(|| with_header(status(503, ""), "retry-after", "120")).await;
    let Err(DeliveryError::Later { retry_after, .. }) = outcome else { panic!("{outcome:?}") };
    assert_eq!(retry_after, Some(Duration::from_secs(120)));
}

#[tokio::test]
async fn no_answer_in_time_is_later_and_no_connection_unreachable() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    let webhooks = webhooks(Duration::from_millis(50));
    let outcome = webhooks.deliver(&config(url.clone()), parcel()).await;
    assert!(matches!(outcome, Err(DeliveryError::Later { .. })), "{outcome:?}");
    drop(listener);
    let outcome = webhooks.deliver(&config(url), parcel()).await;
    assert!(matches!(outcome, Err(DeliveryError::Unreachable { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_body_that_does_not_end_does_not_hold_a_delivery_that_was_taken() {
    let server = Server::start(|_, _| open_events("ok")).await;
    let webhooks = webhooks(Duration::from_millis(100));
    webhooks.deliver(&config(server.url("/")), parcel()).await.expect("the status says it");
}

#[tokio::test]
async fn deliveries_to_one_receiver_share_a_connection() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("bound"));
    // One connection is accepted, ever: a second delivery comes over it or not at all.
    let receiver = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("one");
        let mut taken = 0;
        let mut bytes = [0; 4096];
        while taken < 3 {
            let n = socket.read(&mut bytes).await.expect("read");
            assert_ne!(n, 0, "the connection was closed");
            if bytes[..n].ends_with(b"}}") {
                taken += 1;
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nthank";
                socket.write_all(answer).await.expect("written");
            }
        }
    });
    let webhooks = webhooks(Duration::from_secs(5));
    for _ in 0..3 {
        webhooks.deliver(&config(url.clone()), parcel()).await.expect("taken");
    }
    receiver.await.expect("three over one");
}

#[tokio::test]
async fn what_would_break_out_of_its_header_is_refused_by_its_field() {
    let good = || config("http://127.0.0.1:1/".into());
    let webhooks = webhooks(Duration::from_secs(1));
    webhooks.check(&good()).await.expect("fine as it is");
    let authentication = |scheme: &str, credentials: &str| {
        let credentials = Some(credentials.to_owned());
        let authentication = AuthenticationInfo { scheme: scheme.into(), credentials };
        TaskPushNotificationConfig { authentication: Some(authentication), ..good() }
    };
    let token = |token: &str| TaskPushNotificationConfig { token: Some(token.into()), ..good() };
    let url = |url: &str| TaskPushNotificationConfig { url: url.into(), ..good() };
    for (config, field) in [
        (authentication("Bearer\r\nX-Evil: 1", "c"), "authentication.scheme"),
        (authentication("Bearer x", "c"), "authentication.scheme"),
        (authentication("", "c"), "authentication.scheme"),
        (authentication("Bearer", "c\r\nX-Evil: 1"), "authentication.credentials"),
        (authentication("Bearer", "c\nd"), "authentication.credentials"),
        (authentication("Bearer", "c\u{0}"), "authentication.credentials"),
        (authentication("Bearer", "c\u{7f}"), "authentication.credentials"),
        (authentication("Bearer", "c\u{85}"), "authentication.credentials"),
        (token("t\r\nX-Evil: 1"), "token"),
        (token("t\u{1b}[31m"), "token"),
        (token(&"t".repeat(5_000)), "token"),
        (url("http://10.0.0.1/"), "url"),
        (url("ftp://example.com/"), "url"),
        (url("http://u:p@example.com/"), "url"),
        (url("/relative"), "url"),
        (url(""), "url"),
        (url(&format!("http://example.com/{}", "x".repeat(5_000))), "url"),
    ] {
        let error = webhooks.check(&config).await.expect_err(field);
        assert_eq!(error.kind(), ErrorKind::InvalidParams);
        assert_eq!(error.violations()[0].field, field);
        assert!(!error.message().contains("X-Evil"), "{error}");
        let outcome = webhooks.deliver(&config, parcel()).await;
        if field != "url" || config.url.len() < 5_000 {
            assert!(matches!(outcome, Err(DeliveryError::Refused { .. })), "{outcome:?}");
        }
    }
}
