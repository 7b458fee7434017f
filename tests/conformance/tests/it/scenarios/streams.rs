//! Streams: what they begin with, in which order they go on, and when they end.

use crate::world::{Following, World, everywhere, in_both_versions, in_v0_3, says, state};
use sabir::types::{ErrorKind, Operation};
use serde_json::{Value, json};

/// What kind of event it is, with the state where it has one.
fn kinds(events: &[Value]) -> Vec<String> {
    let kind = |event: &Value| {
        let name = event.as_object().unwrap().keys().next().unwrap().clone();
        if state(event).is_empty() { name } else { format!("{name} {}", state(event)) }
    };
    events.iter().map(kind).collect()
}

/// Follows a task that works for a while; what it begins with depends on the moment.
async fn follow_long(w: &World) -> (Value, Following) {
    let task = w.begin("tck-long-running").await;
    let following = w.unseen().subscribe(&task).await;
    (task, following)
}

// acts: STREAM-SSE-001, STREAM-SSE-002, GRPC-STREAM-001
// tck: CORE-STREAM-001, CORE-STREAM-003, STREAM-ORDER-001, HTTP_JSON-SSE-001, JSONRPC-SSE-001
// tck: GRPC-ERR-003
#[tokio::test]
async fn a_stream_begins_with_the_task_and_tells_all_in_order() {
    in_both_versions(|w| async move {
        let events = w.stream("tck-stream-basic").await;
        let expected =
            ["task SUBMITTED", "statusUpdate WORKING", "artifactUpdate", "statusUpdate COMPLETED"];
        assert_eq!(kinds(&events), expected);
    })
    .await;
}

// acts: STREAM-SSE-003, CORE-MULTI-001
#[tokio::test]
async fn an_artifact_comes_in_chunks_and_the_last_one_says_so() {
    in_both_versions(|w| async move {
        let events = w.stream("tck-stream-chunked").await;
        let chunks: Vec<_> = events.iter().filter_map(|e| e.get("artifactUpdate")).collect();
        let told: Vec<_> = chunks
            .iter()
            .map(|chunk| (chunk["append"] == true, chunk["lastChunk"] == true))
            .collect();
        assert_eq!(told, [(false, false), (true, false), (true, true)]);
        assert!(chunks.iter().all(|c| c["artifact"]["artifactId"] == "chunks"));
        let id = &events[0]["task"];
        let whole = &w.task(id).await["artifacts"][0]["parts"];
        assert_eq!(whole.as_array().unwrap().len(), 3);
    })
    .await;
}

// acts: STREAM-MSG-001
// tck: CORE-STREAM-002
#[tokio::test]
async fn a_direct_answer_is_the_only_event_of_its_stream() {
    in_both_versions(|w| async move {
        assert_eq!(kinds(&w.stream("tck-message-response").await), ["message"]);
    })
    .await;
}

// acts: STREAM-SSE-004, STREAM-SUB-001, STREAM-SUB-002
// tck: STREAM-SUB-001, STREAM-SUB-002
#[tokio::test]
async fn who_follows_a_task_gets_it_first_and_then_its_end() {
    in_both_versions(|w| async move {
        let (task, following) = follow_long(&w).await;
        let events = following.rest().await;
        assert_eq!(events[0]["task"]["id"], task["id"]);
        assert_eq!(kinds(&events)[1..], ["artifactUpdate", "statusUpdate COMPLETED"]);
        w.task(&task).await;
    })
    .await;
}

// tck: STREAM-SUB-001, STREAM-SUB-002, STREAM-ORDER-002
#[tokio::test]
async fn who_follows_a_waiting_task_gets_what_follows_the_next_message() {
    everywhere(|w| async move {
        let task = w.send("tck-multi-turn").await;
        let mut following = w.subscribe(&task).await;
        assert_eq!(state(&following.next().await.unwrap()), "INPUT_REQUIRED");
        w.unseen().reply(&task, "done").await;
        let events = following.rest().await;
        assert_eq!(kinds(&events).last().unwrap(), "statusUpdate COMPLETED");
    })
    .await;
}

// acts: STREAM-SUB-003
// tck: STREAM-SUB-003
#[tokio::test]
async fn a_finished_task_cannot_be_followed() {
    everywhere(|w| async move {
        let task = w.send("tck-complete-task").await;
        let kind = ErrorKind::UnsupportedOperation;
        w.follow_refused_as(kind, Operation::SubscribeToTask, json!({"id": task["id"]})).await;
    })
    .await;
}

#[tokio::test]
async fn in_0_3_a_finished_task_is_given_once_more() {
    in_v0_3(|w| async move {
        let task = w.send("tck-complete-task").await;
        assert_eq!(kinds(&w.subscribe(&task).await.rest().await), ["task COMPLETED"]);
    })
    .await;
}

#[tokio::test]
async fn in_0_3_a_stream_ends_where_the_task_waits() {
    in_v0_3(|w| async move {
        for (text, waits) in
            [("tck-multi-turn", "INPUT_REQUIRED"), ("tck-auth-required", "AUTH_REQUIRED")]
        {
            assert_eq!(state(w.stream(text).await.last().unwrap()), waits);
        }
    })
    .await;
}

// tck: STREAM-SUB-004, CORE-GET-002, CORE-CANCEL-003, CORE-MULTI-004
// acts: CORE-ERR-001, CORE-ERR-002, CORE-ERR-005, GRPC-STATUS-001
#[tokio::test]
async fn a_task_that_nobody_knows_is_not_found() {
    in_both_versions(|w| async move {
        let request = json!({"id": "nobody-knows-this"});
        let kind = ErrorKind::TaskNotFound;
        w.refused_as(kind, Operation::GetTask, request.clone()).await;
        w.refused_as(kind, Operation::CancelTask, request.clone()).await;
        w.follow_refused_as(kind, Operation::SubscribeToTask, request).await;
        let mut message = says("more");
        message["message"]["taskId"] = "nobody-knows-this".into();
        w.refused_as(kind, Operation::SendMessage, message.clone()).await;
        w.follow_refused_as(kind, Operation::SendStreamingMessage, message).await;
    })
    .await;
}

// acts: STREAM-MULTI-001
// tck: STREAM-ORDER-002, STREAM-ORDER-003
#[tokio::test]
async fn two_readers_get_the_same_events() {
    everywhere(|w| async move {
        let task = w.send("tck-multi-turn").await;
        let (mut one, mut other) = (w.subscribe(&task).await, w.subscribe(&task).await);
        assert_eq!(one.next().await, other.next().await);
        w.unseen().reply(&task, "done").await;
        let (one, other) = (one.rest().await, other.rest().await);
        assert_eq!(one, other);
        assert_eq!(state(one.last().unwrap()), "COMPLETED");
    })
    .await;
}

// acts: STREAM-MULTI-002
// tck: STREAM-ORDER-004
#[tokio::test]
async fn a_reader_that_hangs_up_takes_nothing_from_the_other() {
    everywhere(|w| async move {
        let task = w.send("tck-multi-turn").await;
        let (mut one, mut other) = (w.subscribe(&task).await, w.subscribe(&task).await);
        one.next().await.unwrap();
        other.next().await.unwrap();
        drop(one);
        w.unseen().reply(&task, "done").await;
        assert_eq!(state(other.rest().await.last().unwrap()), "COMPLETED");
    })
    .await;
}

// acts: STREAM-RESUB-001
#[tokio::test]
async fn who_hung_up_can_follow_again() {
    in_both_versions(|w| async move {
        let request = says("tck-long-running");
        let mut events = w.unseen().follow(Operation::SendStreamingMessage, request).await;
        let task = events.next().await.unwrap()["task"].clone();
        drop(events);
        let events = w.unseen().subscribe(&task).await.rest().await;
        assert_eq!(events[0]["task"]["id"], task["id"]);
        assert_eq!(state(events.last().unwrap()), "COMPLETED");
        w.task(&task).await;
    })
    .await;
}

// tck: AUTH-INTASK-005
#[tokio::test]
async fn a_stream_stays_open_while_an_authorisation_is_wanted() {
    everywhere(|w| async move {
        let request = says("tck-auth-required");
        let mut events = w.follow(Operation::SendStreamingMessage, request).await;
        let task = events.next().await.unwrap()["task"].clone();
        assert_eq!(state(&events.next().await.unwrap()), "AUTH_REQUIRED");
        w.unseen().reply(&task, "tck-complete-task").await;
        assert_eq!(state(events.rest().await.last().unwrap()), "COMPLETED");
    })
    .await;
}
