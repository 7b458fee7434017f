use crate::support::{
    Player, all, at_once, engine, get, kind, on_task, request, say, send, state, stream, text_of,
};
use sabir_engine::{Agent, Call};
use sabir_types::{ErrorKind, TaskState};
use std::time::Duration;

fn player() -> Player {
    Player::default()
        .on("slow", |turn| async move {
            turn.working(()).await?;
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(turn.completed("slept").await?)
        })
        .on("ask-late", |turn| async move {
            turn.working(()).await?;
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(turn.input_required("which?").await?)
        })
        .on("steer", |turn| async move {
            turn.working(()).await?;
            let said = turn.next_message().await.map(|message| message.text());
            Ok(turn.completed(said.unwrap_or_default()).await?)
        })
}

#[tokio::test(start_paused = true)]
async fn a_message_to_a_running_task_waits_for_its_turn() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("ask-late"))).await.unwrap();
    let waiting = send(&engine, on_task("next", &task.id)).await.unwrap();
    assert_eq!(state(&waiting), TaskState::Completed);
    let said: Vec<_> = waiting.history.iter().map(|message| message.text()).collect();
    assert_eq!(said, ["ask-late", "which?", "next", "on it"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_task_ends_first_is_refused_and_stays_out_of_the_history() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("slow"))).await.unwrap();
    let streamed = stream(&engine, on_task("streamed", &task.id)).await;
    let blocked = send(&engine, on_task("blocked", &task.id));
    let (blocked, streamed) = tokio::join!(blocked, all(streamed));
    assert_eq!(kind(blocked), ErrorKind::UnsupportedOperation);
    assert_eq!(streamed, ["task working", "completed slept", "error UnsupportedOperation"]);
    assert_eq!(get(&engine, &task.id).await.unwrap().history.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_will_not_wait_is_refused() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("slow"))).await.unwrap();
    let refused = send(&engine, at_once(on_task("x", &task.id))).await;
    assert_eq!(kind(refused), ErrorKind::UnsupportedOperation);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_messages_may_wait() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("slow"))).await.unwrap();
    let mut open = Vec::new();
    for n in 0..16 {
        open.push(stream(&engine, on_task(&n.to_string(), &task.id)).await);
    }
    let more = engine.send_streaming_message(&Call::default(), on_task("17", &task.id)).await;
    assert_eq!(kind(more.map(drop)), ErrorKind::RateLimited);
}

#[tokio::test(start_paused = true)]
async fn a_caller_who_hangs_up_while_waiting_leaves_the_queue_usable() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("ask-late"))).await.unwrap();
    let hung_up = send(&engine, on_task("gone", &task.id));
    assert!(tokio::time::timeout(Duration::from_millis(10), hung_up).await.is_err());
    tokio::time::sleep(Duration::from_secs(3)).await;
    let task = get(&engine, &task.id).await.unwrap();
    assert_eq!(state(&task), TaskState::Completed, "the message was kept and had its turn");
}

#[tokio::test(start_paused = true)]
async fn a_steering_message_reaches_the_running_turn() {
    let player = Player { steered: true, ..player() };
    let engine = engine(&player).await;
    let task = send(&engine, at_once(request("steer"))).await.unwrap();
    let steered = send(&engine, on_task("left", &task.id)).await.unwrap();
    assert_eq!((state(&steered), text_of(&steered).as_str()), (TaskState::Completed, "left"));
    assert_eq!(player.starts(), 1);
    assert_eq!(say(&engine, "x").await.history.len(), 2);
}
