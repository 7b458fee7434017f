//! What is sent again, how often, and what never is.

use crate::fixture::{QUICK, Server, builder, client, cut, json_answer, status, task, with_header};
use sabir_client::{Failure, RetryPolicy, Transport};
use sabir_types::{Error, ErrorKind, ErrorTable, TaskState};
use serde_json::json;
use std::time::Duration;

fn error(error: &Error) -> axum::response::Response {
    let code = error.kind().http_status(ErrorTable::V1_0_1);
    let body = error.to_status_json(ErrorTable::V1_0_1).to_string();
    crate::fixture::typed(code, "application/json", body)
}

#[tokio::test]
async fn a_read_is_repeated_while_the_way_fails() {
    let answers = vec![status(503, ""), cut(), json_answer(&task("t", "WORKING"))];
    let server = Server::script(answers).await;
    client(&server, Transport::HttpJson).await.get("t").await.expect("the third time");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn repetitions_are_bounded() {
    let server = Server::start(|_, _| status(503, "")).await;
    let client = client(&server, Transport::HttpJson).await;
    client.get("t").await.expect_err("never");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn what_the_agent_says_is_not_asked_again_unless_it_says_later() {
    let server = Server::start(|_, _| error(&Error::internal("no"))).await;
    client(&server, Transport::HttpJson).await.get("t").await.expect_err("no");
    assert_eq!(server.seen().len(), 1);
    let answers = vec![error(&Error::unavailable("soon")), json_answer(&task("t", "WORKING"))];
    let server = Server::script(answers).await;
    client(&server, Transport::HttpJson).await.get("t").await.expect("later");
}

#[tokio::test]
async fn a_message_is_never_sent_twice() {
    for answer in [|| status(503, ""), cut, || status(429, ""), || status(502, "")] {
        for transport in Transport::ALL {
            let server = Server::start(move |_, _| answer()).await;
            let client = client(&server, transport).await;
            client.send("hi").await.expect_err("fails");
            client.stream("hi").await.map(drop).expect_err("fails");
            assert_eq!(server.seen().len(), 2, "one each");
        }
    }
}

#[tokio::test]
async fn a_push_config_is_not_created_twice() {
    let server = Server::start(|_, _| status(503, "")).await;
    let client = client(&server, Transport::JsonRpc).await;
    let config =
        sabir_types::TaskPushNotificationConfig { task_id: Some("t".into()), ..Default::default() };
    let call = sabir_engine::Call::default();
    sabir_engine::Agent::create_task_push_notification_config(&client, &call, config)
        .await
        .expect_err("fails");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_pause_the_server_asks_for_is_kept_and_one_too_long_ends_it() {
    let slow = RetryPolicy { max_pause: Duration::from_secs(3), ..QUICK };
    let answers =
        vec![with_header(status(429, ""), "retry-after", "1"), json_answer(&task("t", "WORKING"))];
    let server = Server::script(answers).await;
    let patient = builder(&server, Transport::HttpJson).retry(slow).connect().await;
    let before = std::time::Instant::now();
    patient.expect("set up").get("t").await.expect("later");
    assert!(before.elapsed() >= Duration::from_secs(1));

    let server = Server::start(|_, _| with_header(status(429, ""), "retry-after", "3600")).await;
    let patient = builder(&server, Transport::HttpJson).retry(slow).connect().await;
    let error = patient.expect("set up").get("t").await.expect_err("too long");
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_timeout_is_not_waited_for_again() {
    let server = Server::start(|_, _| crate::fixture::open_events("")).await;
    let client = builder(&server, Transport::HttpJson).timeout(Duration::from_millis(50));
    let error = client.connect().await.expect("set up").get("t").await.expect_err("silent");
    assert!(matches!(Failure::of(&error), Some(Failure::Timeout { .. })), "{error:?}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_cancel_whose_answer_was_lost_is_known_to_have_worked() {
    let refusal = Error::task_not_cancelable(&"t".into(), TaskState::Canceled);
    let answers = vec![cut(), error(&refusal), json_answer(&task("t", "CANCELED"))];
    let server = Server::script(answers).await;
    let task = client(&server, Transport::HttpJson).await.cancel("t").await.expect("canceled");
    assert_eq!(task.state(), TaskState::Canceled);
    let expected = ["POST /tasks/t:cancel", "POST /tasks/t:cancel", "GET /tasks/t"];
    assert_eq!(server.targets(), expected);
}

#[tokio::test]
async fn a_cancel_that_is_refused_at_once_is_refused() {
    let refusal = Error::task_not_cancelable(&"t".into(), TaskState::Canceled);
    let server = Server::script(vec![error(&refusal)]).await;
    let error = client(&server, Transport::HttpJson).await.cancel("t").await.expect_err("ended");
    assert_eq!(error.kind(), ErrorKind::TaskNotCancelable);
}

#[tokio::test]
async fn a_caller_may_send_the_same_message_again_itself() {
    let answer = json!({"task": task("t", "COMPLETED")});
    let server = Server::script(vec![cut(), json_answer(&answer)]).await;
    let client = client(&server, Transport::HttpJson).await;
    let message = sabir_types::Message::user("hi").with_id("m1");
    client.send(message.clone()).await.expect_err("cut");
    client.send(message).await.expect("sent");
    let ids: Vec<_> =
        server.seen().iter().map(|seen| seen.json()["message"]["messageId"].clone()).collect();
    assert_eq!(ids, ["m1", "m1"]);
}
