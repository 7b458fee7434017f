//! The webhook receiver, called over a raw connection.

use sabir_testkit::{Answer, RawConnection, Webhook};
use std::time::Duration;

async fn post(webhook: &Webhook, body: &str) -> u16 {
    let mut connection = RawConnection::open(webhook.addr()).await;
    connection.post_json("/webhook", body).await;
    connection.head().await.status
}

#[tokio::test]
async fn scripted_answers_come_first_and_once() {
    let webhook = Webhook::start().await;
    webhook.answer(Answer::status(503).with_header("retry-after", "1"));
    webhook.answer(Answer::redirect("http://example.com/"));
    assert_eq!(post(&webhook, "1").await, 503);
    assert_eq!(post(&webhook, "2").await, 307);
    assert_eq!(post(&webhook, "3").await, 200);
    webhook.answer_always(Answer::status(410));
    assert_eq!(post(&webhook, "4").await, 410);
    assert_eq!(post(&webhook, "5").await, 410);
}

#[tokio::test]
async fn what_arrives_is_kept_and_given_out_once_in_order() {
    let webhook = Webhook::start().await;
    let (first, _) = tokio::join!(webhook.next(), post(&webhook, r#"{"n": 1}"#));
    assert_eq!(first.json()["n"], 1);
    assert_eq!(first.header("a2a-version"), Some("1.0"));
    assert_eq!((first.method.as_str(), first.target.as_str()), ("POST", "/webhook"));
    assert!(webhook.try_next().is_none());
    post(&webhook, r#"{"n": 2}"#).await;
    assert_eq!(webhook.next().await.json()["n"], 2);
    assert_eq!(webhook.received().len(), 2);
}

#[tokio::test]
async fn silence_keeps_the_sender_waiting() {
    let webhook = Webhook::start().await;
    webhook.answer(Answer::silence());
    let answer = tokio::time::timeout(Duration::from_millis(50), post(&webhook, "1")).await;
    assert!(answer.is_err(), "it was answered with {answer:?}");
    assert_eq!(webhook.received().len(), 1);
}
