use crate::support::{
    Player, all, at_once, engine, get, kind, on_task, request, say, send, stream, subscribe, word,
};
use futures_util::StreamExt;
use sabir_engine::{Agent, Call};
use sabir_types::{Artifact, ErrorKind, TaskId};
use std::time::Duration;

fn player() -> Player {
    Player::default()
        .on("ask", |turn| async move { Ok(turn.input_required("which?").await?) })
        .on("auth", |turn| async move { Ok(turn.auth_required("log in").await?) })
        .on("ticks", |turn| async move {
            for n in 1..=5 {
                turn.working(format!("tick {n}")).await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            Ok(turn.completed("done").await?)
        })
        .on("quiet", |turn| async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Ok(turn.reply("late").await?)
        })
        .on("burst", |turn| async move {
            for n in 0..20_000 {
                turn.working(n.to_string()).await?;
            }
            Ok(turn.completed(()).await?)
        })
        .on("chunks", |turn| async move {
            let id = turn.append(Artifact::new("c").text("a"), false).await?;
            turn.append(Artifact::new("c").with_id(id.clone()).text("b"), false).await?;
            turn.append(Artifact::new("c").with_id(id).text("c"), true).await?;
            Ok(turn.completed(()).await?)
        })
}

const TICKS: [&str; 7] = [
    "task submitted",
    "working tick 1",
    "working tick 2",
    "working tick 3",
    "working tick 4",
    "working tick 5",
    "completed done",
];

#[tokio::test]
async fn a_stream_begins_with_the_task_and_ends_by_itself() {
    let engine = engine(&player()).await;
    let words = all(stream(&engine, request("x")).await).await;
    assert_eq!(words, ["task submitted", "working on it", "artifact x", "completed done"]);
}

#[tokio::test(start_paused = true)]
async fn events_arrive_in_order_each_once() {
    let engine = engine(&player()).await;
    assert_eq!(all(stream(&engine, request("ticks")).await).await, TICKS);
}

#[tokio::test(start_paused = true)]
async fn a_stream_opens_with_the_task_after_a_second_of_silence() {
    let engine = engine(&player()).await;
    let words = all(stream(&engine, request("quiet")).await).await;
    assert_eq!(words, ["task submitted", "completed late"]);
}

#[tokio::test(start_paused = true)]
async fn subscribers_see_a_snapshot_and_then_the_same_events() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("ticks"))).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    let (one, two) = (
        subscribe(&engine, &task.id, None).await.unwrap(),
        subscribe(&engine, &task.id, None).await.unwrap(),
    );
    let mut dropped = subscribe(&engine, &task.id, None).await.unwrap();
    dropped.next().await.unwrap().unwrap();
    drop(dropped);
    let (one, two) = tokio::join!(all(one), all(two));
    assert_eq!(one, two);
    assert_eq!(one, ["task working", "working tick 4", "working tick 5", "completed done"]);
}

#[tokio::test(start_paused = true)]
async fn a_broken_stream_goes_on_after_the_last_event_also_when_the_task_has_ended() {
    let engine = engine(&player()).await;
    let mut first = stream(&engine, request("ticks")).await;
    let mut last = 0;
    let mut id = TaskId::default();
    for _ in 0..3 {
        let event = first.next().await.unwrap().unwrap();
        last = event.seq.unwrap();
        id = event.response().unwrap().task_id().cloned().unwrap();
    }
    drop(first);
    let rest = subscribe(&engine, &id, Some(last)).await.unwrap();
    assert_eq!(all(rest).await[1..], TICKS[3..]);
    let again = subscribe(&engine, &id, Some(last)).await.unwrap();
    let again = all(again).await;
    assert_eq!(again[0], "task working");
    assert_eq!(again[1..], TICKS[3..]);
    assert_eq!(
        kind(subscribe(&engine, &id, Some(9_999)).await.map(drop)),
        ErrorKind::InvalidParams
    );
}

#[tokio::test(start_paused = true)]
async fn the_senders_own_stream_can_be_resumed_by_sending_again() {
    let engine = engine(&player()).await;
    let sent = request("ticks");
    let mut first = stream(&engine, sent.clone()).await;
    first.next().await.unwrap().unwrap();
    let last = first.next().await.unwrap().unwrap().seq;
    drop(first);
    let call = Call { resume_after: last, ..Call::default() };
    let rest = engine.send_streaming_message(&call, sent).await.unwrap();
    assert!(rest.replayed);
    assert_eq!(all(rest.value).await[1..], TICKS[2..]);
    let unknown = engine.send_streaming_message(&call, request("ticks")).await;
    assert_eq!(unknown.map(drop).unwrap_err().violations()[0].field, "Last-Event-ID");
}

#[tokio::test(start_paused = true)]
async fn a_question_ends_the_senders_stream_and_not_the_subscribers() {
    let engine = engine(&player()).await;
    let mut sender = stream(&engine, request("ask")).await;
    let task = sender.next().await.unwrap().unwrap();
    let id = task.response().unwrap().task_id().cloned().unwrap();
    assert_eq!(all(sender).await, ["input-required which?"]);
    let subscriber = subscribe(&engine, &id, None).await.unwrap();
    let answer = send(&engine, on_task("x", &id));
    let (words, _) = tokio::join!(all(subscriber), answer);
    assert_eq!(
        words,
        ["task input-required", "working", "working on it", "artifact x", "completed done"]
    );
    let auth = stream(&engine, request("auth")).await;
    let open = tokio::time::timeout(Duration::from_secs(60), all(auth)).await;
    assert!(open.is_err(), "a stream stays open at AUTH_REQUIRED");
}

#[tokio::test]
async fn finished_and_unknown_tasks_cannot_be_subscribed_to() {
    let engine = engine(&player()).await;
    let done = say(&engine, "x").await;
    let finished = subscribe(&engine, &done.id, None).await.map(drop);
    assert_eq!(kind(finished), ErrorKind::UnsupportedOperation);
    let unknown = subscribe(&engine, &TaskId::from("none"), None).await.map(drop);
    assert_eq!(kind(unknown), ErrorKind::TaskNotFound);
}

#[tokio::test]
async fn a_reader_that_falls_far_behind_loses_nothing() {
    let engine = engine(&player()).await;
    let mut slow = stream(&engine, request("burst")).await;
    slow.next().await.unwrap().unwrap();
    let id = slow.next().await.unwrap().unwrap().response().unwrap().task_id().cloned().unwrap();
    while !get(&engine, &id).await.unwrap().status.state.is_terminal() {
        tokio::task::yield_now().await;
    }
    let mut expected = 1;
    while let Some(event) = slow.next().await {
        let said = word(&event.unwrap());
        if expected < 20_000 {
            assert_eq!(said, format!("working {expected}"));
        } else {
            assert_eq!(said, "completed");
        }
        expected += 1;
    }
    assert_eq!(expected, 20_001);
}

#[tokio::test]
async fn chunks_become_one_artifact() {
    let engine = engine(&player()).await;
    let task = say(&engine, "chunks").await;
    let parts: Vec<_> = task.artifacts[0].parts.iter().filter_map(|p| p.as_text()).collect();
    assert_eq!((task.artifacts.len(), parts.concat().as_str()), (1, "abc"));
}
