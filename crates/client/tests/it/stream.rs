//! Streams: however they are cut, every event arrives once.

use crate::fixture::{
    QUICK, Server, TEXTUAL, broken_events, builder, card, client, dribbled_events, events,
    interface, json_answer, open_events, result, state_of, status, task, typed,
};
use axum::response::Response;
use futures_util::StreamExt;
use sabir_client::{Client, Failure, Transport};
use sabir_engine::{Agent, Call, EventStream};
use sabir_types::{Error, ErrorKind, ErrorTable, StreamResponse, SubscribeToTaskRequest};
use serde_json::{Value, json};
use std::time::Duration;

/// An event in HTTP+JSON.
fn event(id: Option<u64>, data: &Value) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}data: {data}\n\n")
}

/// What a stream says, in short: states and texts, and an error as its kind.
async fn read(stream: EventStream) -> Vec<String> {
    stream
        .map(|item| match item {
            Err(error) => format!("error {:?}", error.kind()),
            Ok(event) => match event.response().expect("readable") {
                StreamResponse::Task(task) => format!("task {}", task.state()),
                StreamResponse::Message(message) => format!("message {}", message.text()),
                StreamResponse::StatusUpdate(update) => format!("status {}", update.status.state),
                StreamResponse::ArtifactUpdate(update) => {
                    format!("artifact {}", update.artifact.artifact_id)
                }
                other => format!("{other:?}"),
            },
        })
        .collect()
        .await
}

async fn stream(server: &Server) -> EventStream {
    client(server, Transport::HttpJson).await.stream("hi").await.expect("opened")
}

fn artifact(id: &str) -> Value {
    json!({"artifactUpdate": {"taskId": "t", "contextId": "c",
        "artifact": {"artifactId": id, "parts": [{"text": "x"}]}}})
}

fn snapshot(state: &str) -> Value {
    json!({"task": task("t", state)})
}

fn refusal(error: &Error) -> Response {
    let code = error.kind().http_status(ErrorTable::V1_0_1);
    typed(code, "application/json", error.to_status_json(ErrorTable::V1_0_1).to_string())
}

#[tokio::test]
async fn a_stream_arrives_byte_by_byte_over_both_textual_transports() {
    let frames = [snapshot("WORKING"), artifact("ä🦀"), state_of("t", "COMPLETED")];
    for transport in TEXTUAL {
        let text: String = frames
            .iter()
            .zip(1..)
            .map(|(frame, id)| match transport {
                Transport::HttpJson => event(Some(id), frame),
                _ => event(Some(id), &json!({"jsonrpc": "2.0", "id": 1, "result": frame})),
            })
            .collect();
        let text = format!("\u{FEFF}: hello\r\n\r\n{}", text.replace('\n', "\r\n"));
        let server = Server::start(move |_, _| dribbled_events(&text)).await;
        let client = client(&server, transport).await;
        let items: Vec<_> = client.stream("hi").await.expect("opened").collect().await;
        let items: Vec<_> = items.into_iter().map(|item| item.expect("no error")).collect();
        assert_eq!(items.iter().map(|e| e.seq).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        for (item, frame) in items.iter().zip(&frames) {
            assert_eq!(item.json(), frame.to_string().as_bytes());
        }
        let seen = server.only();
        assert_eq!(seen.header("accept"), Some("text/event-stream"));
    }
}

#[tokio::test]
async fn a_subscription_is_a_post_without_a_body() {
    let server = Server::start(|_, _| events(event(None, &snapshot("COMPLETED")))).await;
    let client = client(&server, Transport::HttpJson).await;
    let stream = client.task("t").follow().await.expect("opened");
    assert_eq!(read(stream).await, ["task completed"]);
    let seen = server.only();
    assert_eq!(server.targets(), ["POST /tasks/t:subscribe"]);
    assert!(seen.body.is_empty());
    assert_eq!(seen.header("content-type"), None);
}

#[tokio::test]
async fn a_caller_can_resume_by_itself() {
    let server = Server::start(|_, _| {
        events(event(Some(7), &snapshot("WORKING")) + &event(Some(8), &state_of("t", "COMPLETED")))
    })
    .await;
    let client = client(&server, Transport::HttpJson).await;
    let call = Call { resume_after: Some(7), ..Call::default() };
    let request = SubscribeToTaskRequest { tenant: None, id: "t".into() };
    let stream = client.subscribe_to_task(&call, request).await.expect("opened");
    assert_eq!(read(stream).await, ["task working", "status completed"]);
    assert_eq!(server.only().header("last-event-id"), Some("7"));
}

#[tokio::test]
async fn a_broken_stream_goes_on_after_the_last_id_and_repeats_nothing() {
    for end in [broken_events, |pieces: &[&str]| events(pieces.concat())] {
        let first = event(Some(1), &snapshot("WORKING")) + &event(Some(2), &artifact("a"));
        let second = event(Some(2), &snapshot("WORKING"))
            + &event(Some(2), &artifact("a"))
            + &event(Some(3), &artifact("b"));
        let third =
            event(Some(3), &snapshot("WORKING")) + &event(Some(4), &state_of("t", "COMPLETED"));
        let answers = vec![end(&[&first, "data: {\"half"]), end(&[&second]), events(third)];
        let server = Server::script(answers).await;
        let client = client(&server, Transport::HttpJson).await;
        let stream = client.stream("hi").await.expect("opened");
        let expected = ["task working", "artifact a", "artifact b", "status completed"];
        assert_eq!(read(stream).await, expected);
        let expected =
            ["POST /message:stream", "POST /tasks/t:subscribe", "POST /tasks/t:subscribe"];
        assert_eq!(server.targets(), expected);
        let ids: Vec<_> = server
            .seen()
            .iter()
            .map(|seen| seen.header("last-event-id").map(str::to_owned))
            .collect();
        assert_eq!(ids, [None, Some("2".into()), Some("3".into())]);
    }
}

#[tokio::test]
async fn a_snapshot_beyond_the_last_id_is_passed_on() {
    let first = event(Some(1), &snapshot("WORKING")) + &event(Some(2), &artifact("a"));
    let second = event(Some(9), &snapshot("WORKING")) + &event(Some(10), &state_of("t", "FAILED"));
    let server = Server::script(vec![broken_events(&[&first]), events(second)]).await;
    let expected = ["task working", "artifact a", "task working", "status failed"];
    assert_eq!(read(stream(&server).await).await, expected);
}

#[tokio::test]
async fn a_server_that_numbers_each_connection_anew_loses_no_event() {
    let connection = |states: &[&str]| -> String {
        let updates = states[1..].iter().map(|state| state_of("t", state));
        let all = std::iter::once(snapshot(states[0])).chain(updates).zip(1..);
        all.map(|(data, id)| event(Some(id), &data)).collect()
    };
    let server = Server::script(vec![
        broken_events(&[&connection(&["SUBMITTED"])]),
        broken_events(&[&connection(&["WORKING", "WORKING", "INPUT_REQUIRED"])]),
        events(connection(&["WORKING", "COMPLETED"])),
    ])
    .await;
    let expected = [
        "task submitted",
        "task working",
        "status working",
        "status input-required",
        "task working",
        "status completed",
    ];
    assert_eq!(read(stream(&server).await).await, expected);
}

#[tokio::test]
async fn without_ids_the_task_is_subscribed_to_as_it_is() {
    let first = event(None, &snapshot("SUBMITTED")) + &event(None, &artifact("a"));
    let second = event(None, &snapshot("WORKING")) + &event(None, &state_of("t", "COMPLETED"));
    let server = Server::script(vec![broken_events(&[&first]), events(second)]).await;
    let expected = ["task submitted", "artifact a", "task working", "status completed"];
    assert_eq!(read(stream(&server).await).await, expected);
    assert_eq!(server.seen()[1].header("last-event-id"), None);
}

#[tokio::test]
async fn a_task_that_ended_meanwhile_is_fetched() {
    let gone = refusal(&Error::unsupported_operation("it has ended"));
    let first = event(None, &snapshot("WORKING"));
    let answers = vec![broken_events(&[&first]), gone, json_answer(&task("t", "COMPLETED"))];
    let server = Server::script(answers).await;
    assert_eq!(read(stream(&server).await).await, ["task working", "task completed"]);
    assert_eq!(server.targets()[2], "GET /tasks/t");
}

#[tokio::test]
async fn an_id_the_server_has_forgotten_is_dropped() {
    let first = event(Some(5), &snapshot("WORKING"));
    let second =
        event(Some(1), &snapshot("WORKING")) + &event(Some(2), &state_of("t", "COMPLETED"));
    let forgotten = refusal(&Error::invalid_params("Last-Event-ID", "is beyond the head"));
    let server = Server::script(vec![broken_events(&[&first]), forgotten, events(second)]).await;
    let expected = ["task working", "status completed"];
    assert_eq!(read(stream(&server).await).await, expected);
}

#[tokio::test]
async fn a_stream_that_breaks_again_and_again_ends_with_the_failure() {
    let first = event(None, &snapshot("WORKING"));
    let server = Server::start(move |_, _| broken_events(&[&first])).await;
    let items = read(stream(&server).await).await;
    assert_eq!(items.last().map(String::as_str), Some("error Unavailable"));
    assert_eq!(server.seen().len(), 1 + QUICK.attempts as usize);
}

#[tokio::test]
async fn a_stream_that_breaks_before_it_names_a_task_ends_with_the_failure() {
    let server = Server::start(|_, _| broken_events(&[": nothing yet\n\n"])).await;
    assert_eq!(read(stream(&server).await).await, ["error Unavailable"]);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn resubscription_can_be_switched_off() {
    let first = event(Some(1), &snapshot("WORKING"));
    let server = Server::start(move |_, _| broken_events(&[&first])).await;
    let client = builder(&server, Transport::HttpJson).resubscribe(None).connect().await;
    let mut stream = client.expect("set up").stream("hi").await.expect("opened");
    stream.next().await.expect("an item").expect("the task");
    let error = stream.next().await.expect("an item").expect_err("the failure");
    assert!(matches!(Failure::of(&error), Some(Failure::Cut { .. })), "{error:?}");
    assert!(stream.next().await.is_none());
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_break_after_the_end_is_no_failure() {
    let all = event(None, &snapshot("WORKING")) + &event(None, &state_of("t", "COMPLETED"));
    let server = Server::start(move |_, _| broken_events(&[&all])).await;
    assert_eq!(read(stream(&server).await).await, ["task working", "status completed"]);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_stream_that_is_left_open_after_the_end_ends_all_the_same() {
    let message = json!({"message": {"messageId": "r", "role": "ROLE_AGENT",
        "parts": [{"text": "yo"}]}});
    let server = Server::start(move |_, _| open_events(&event(None, &message))).await;
    assert_eq!(read(stream(&server).await).await, ["message yo"]);
}

#[tokio::test]
async fn a_stream_may_close_at_a_question_but_a_cut_there_is_resumed() {
    let all =
        event(Some(1), &snapshot("WORKING")) + &event(Some(2), &state_of("t", "INPUT_REQUIRED"));
    let server = Server::start(move |_, _| events(all.clone())).await;
    assert_eq!(read(stream(&server).await).await, ["task working", "status input-required"]);
    assert_eq!(server.seen().len(), 1);

    let first = event(Some(1), &snapshot("INPUT_REQUIRED"));
    let second =
        event(Some(1), &snapshot("INPUT_REQUIRED")) + &event(Some(2), &state_of("t", "COMPLETED"));
    let server = Server::script(vec![broken_events(&[&first]), events(second)]).await;
    assert_eq!(read(stream(&server).await).await, ["task input-required", "status completed"]);
}

#[tokio::test]
async fn an_error_in_a_stream_is_its_last_item_and_the_agents_own_word() {
    let error = Error::task_not_found(&"t".into());
    let first = event(None, &snapshot("WORKING"));
    let rest = event(None, &error.to_status_json(ErrorTable::V1_0_1));
    let more = event(None, &artifact("never"));
    let named = format!("event: error\n{rest}");
    for rest in [rest, named] {
        let all = first.clone() + &rest + &more;
        let server = Server::start(move |_, _| events(all.clone())).await;
        assert_eq!(read(stream(&server).await).await, ["task working", "error TaskNotFound"]);
        assert_eq!(server.seen().len(), 1);
    }
    let frame = |member: &str, value: &Value| json!({"jsonrpc": "2.0", "id": 1, member: value});
    let all = event(None, &frame("result", &snapshot("WORKING")))
        + &event(None, &frame("error", &Error::unavailable("stopping").to_jsonrpc_json()));
    let server = Server::start(move |_, _| events(all.clone())).await;
    let client = client(&server, Transport::JsonRpc).await;
    let items = read(client.stream("hi").await.expect("opened")).await;
    assert_eq!(items, ["task working", "error Unavailable"]);
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_ends_the_stream() {
    for data in ["{", "{\"task\":7}", "\u{0}"] {
        let all = event(None, &snapshot("WORKING")) + &format!("data: {data}\n\n");
        let server = Server::start(move |_, _| events(all.clone())).await;
        let items = read(stream(&server).await).await;
        assert_eq!(items, ["task working", "error InvalidAgentResponse"], "{data}");
    }
}

#[tokio::test]
async fn an_error_before_the_stream_is_an_answer() {
    let error = Error::unsupported_operation("it is over");
    let answers = vec![
        refusal(&error),
        status(502, "<html>"),
        json_answer(&json!({"task": task("t", "COMPLETED")})),
    ];
    let server = Server::script(answers).await;
    let client = client(&server, Transport::HttpJson).await;
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(client.stream("hi").await.map(drop).expect_err("no stream").kind());
    }
    let expected =
        [ErrorKind::UnsupportedOperation, ErrorKind::Unavailable, ErrorKind::InvalidAgentResponse];
    assert_eq!(kinds, expected);

    let body = json!({"jsonrpc": "2.0", "id": 1, "error": error.to_jsonrpc_json()});
    let server = Server::script(vec![json_answer(&body), result(&snapshot("WORKING"))]).await;
    let client = crate::fixture::client(&server, Transport::JsonRpc).await;
    let got = client.stream("hi").await.map(drop).expect_err("no stream");
    assert_eq!((got.kind(), got.message()), (ErrorKind::UnsupportedOperation, "it is over"));
    let got = client.stream("hi").await.map(drop).expect_err("no stream");
    assert!(got.message().contains("content type is application/json"), "{got}");
}

#[tokio::test]
async fn a_stream_ends_with_a_timeout_only_if_one_is_set() {
    let first = event(None, &snapshot("WORKING"));
    let server = Server::start(move |_, _| open_events(&first)).await;
    let client = builder(&server, Transport::HttpJson).timeout(Duration::from_millis(100));
    let stream = client.connect().await.expect("set up").stream("hi").await.expect("opened");
    let items: Vec<_> = stream.collect().await;
    let error = items[1].as_ref().expect_err("the timeout");
    assert!(matches!(Failure::of(error), Some(Failure::Timeout { .. })), "{error:?}");
    assert_eq!(items.len(), 2);
}

#[tokio::test]
async fn a_stream_of_a_card_that_streams_is_opened() {
    let first = event(None, &snapshot("COMPLETED"));
    let server = Server::start(move |_, _| events(first.clone())).await;
    let found = card(&[interface(&server.url("/x"), Transport::HttpJson)]);
    let reference = "https://a.example".parse().expect("a reference");
    let found = sabir_client::FoundCard::read(found.to_string().into(), reference).expect("a card");
    let client = Client::builder().found_card(found.into()).connect().await.expect("fits");
    assert_eq!(read(client.stream("hi").await.expect("opened")).await, ["task completed"]);
    assert_eq!(server.targets(), ["POST /x/message:stream"]);
}
