use crate::support::{
    Player, all, at_once, card, engine, engine_with, get, kind, memory, on_task, request, say,
    send, state, stream, text_of,
};
use sabir_engine::{Agent, Call, Engine, EngineConfig, Idempotency};
use sabir_types::{ErrorKind, Message, Principal, SendMessageRequest, TaskState};
use std::time::Duration;

fn player() -> Player {
    Player::default()
        .on("ask", |turn| async move { Ok(turn.input_required("which?").await?) })
        .on("msg", |turn| async move { Ok(turn.reply("hello").await?) })
        .on("slow", |turn| async move {
            turn.working(()).await?;
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(turn.completed("slept").await?)
        })
}

#[tokio::test(start_paused = true)]
async fn the_same_message_many_times_at_once_starts_once_and_answers_all() {
    let player = player();
    let engine = engine(&player).await;
    let sent = request("slow");
    let calls = (0..100).map(|_| {
        let (engine, sent) = (engine.clone(), sent.clone());
        tokio::spawn(async move { send(&engine, sent).await.unwrap() })
    });
    let mut tasks = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        tasks.push(call.await.unwrap());
    }
    assert!(tasks.iter().all(|task| *task == tasks[0]));
    assert_eq!(player.starts(), 1);
    let again = engine.send_message(&Call::default(), sent.clone()).await.unwrap();
    assert!(again.replayed);
    let streamed = all(stream(&engine, sent).await).await;
    assert_eq!(streamed, ["task submitted", "working", "completed slept"]);
    assert_eq!(player.starts(), 1);
}

#[tokio::test]
async fn a_repeat_gets_the_task_as_of_the_end_of_its_turn() {
    let engine = engine(&player()).await;
    let first = request("ask");
    let asked = send(&engine, first.clone()).await.unwrap();
    send(&engine, on_task("x", &asked.id)).await.unwrap();
    let repeat = send(&engine, first).await.unwrap();
    assert_eq!(repeat, asked);
}

#[tokio::test]
async fn a_repeat_to_a_finished_task_is_recognised_before_its_state_is_looked_at() {
    let engine = engine(&player()).await;
    let asked = say(&engine, "ask").await;
    let answer = on_task("x", &asked.id);
    let done = send(&engine, answer.clone()).await.unwrap();
    assert_eq!(send(&engine, answer).await.unwrap(), done);
}

#[tokio::test]
async fn a_direct_reply_is_given_again() {
    let player = player();
    let engine = engine(&player).await;
    let sent = request("msg");
    for _ in 0..2 {
        let answer = engine.send_message(&Call::default(), sent.clone()).await.unwrap().value;
        assert!(matches!(answer, sabir_types::SendMessageResponse::Message(_)));
        assert_eq!(all(stream(&engine, sent.clone()).await).await, ["message hello"]);
    }
    assert_eq!(player.starts(), 1);
}

fn named(id: &str, text: &str) -> SendMessageRequest {
    SendMessageRequest { message: Message::user(text).with_id(id), ..Default::default() }
}

#[tokio::test]
async fn another_content_is_refused_for_a_principal_and_new_for_a_stranger() {
    let player = player();
    let engine = engine(&player).await;
    let call = Call { principal: Principal::new("ann"), ..Call::default() };
    engine.send_message(&call, named("1", "a")).await.unwrap();
    let other = engine.send_message(&call, named("1", "b")).await;
    assert_eq!(kind(other), ErrorKind::InvalidParams);
    assert_eq!(player.starts(), 1);
    send(&engine, named("1", "a")).await.unwrap();
    send(&engine, named("1", "b")).await.unwrap();
    assert_eq!(player.starts(), 3);
}

#[tokio::test]
async fn switched_off_every_message_is_new() {
    let player = player();
    let config = EngineConfig { idempotency: Idempotency::Off, ..EngineConfig::default() };
    let engine = engine_with(&player, memory(), config).await;
    let one = send(&engine, named("1", "ask")).await.unwrap();
    let two = send(&engine, named("1", "ask")).await.unwrap();
    assert_ne!(one.id, two.id);
    let mut again = named("1", "ask");
    again.message.task_id = Some(one.id.clone());
    let again = send(&engine, again).await.unwrap();
    assert_eq!(again.history.iter().filter(|m| m.message_id.as_str() == "1").count(), 2);
}

#[tokio::test]
async fn a_repeat_after_a_restart_starts_nothing() {
    let (player, store) = (player(), memory());
    let engine = engine_with(&player, store.clone(), EngineConfig::default()).await;
    let sent = request("x");
    let task = send(&engine, sent.clone()).await.unwrap();
    drop(engine);
    let engine: Engine =
        Engine::builder(card(), player.clone()).store(store).start().await.unwrap();
    assert_eq!(send(&engine, sent).await.unwrap(), task);
    assert_eq!(player.starts(), 1);
    assert_eq!(state(&get(&engine, &task.id).await.unwrap()), TaskState::Completed);
    let at_once = at_once(request("msg"));
    engine.send_message(&Call::default(), at_once).await.unwrap();
    assert_eq!(text_of(&task), "done");
}
