use crate::support::{
    Player, all, at_once, engine, engine_with, get, kind, memory, on_task, request, say, send,
    state, stream, text_of,
};
use sabir_engine::{Agent, Call, Engine, EngineConfig};
use sabir_types::{CancelTaskRequest, Error, ErrorKind, Task, TaskId, TaskState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

async fn cancel(engine: &Engine, id: &TaskId) -> Result<Task, Error> {
    let request = CancelTaskRequest { id: id.clone(), ..CancelTaskRequest::default() };
    engine.cancel_task(&Call::default(), request).await
}

fn player(effects: &Arc<AtomicUsize>) -> Player {
    let stubborn = effects.clone();
    let deaf = effects.clone();
    Player::default()
        .on("ask", |turn| async move { Ok(turn.input_required("which?").await?) })
        .on("polite", |turn| async move {
            turn.working(()).await?;
            turn.canceled().await;
            Ok(())
        })
        .on("wins", |turn| async move {
            turn.working(()).await?;
            turn.canceled().await;
            Ok(turn.completed("just done").await?)
        })
        .on("asks", |turn| async move {
            turn.working(()).await?;
            turn.canceled().await;
            Ok(turn.input_required("shall I really stop?").await?)
        })
        .on("deaf", move |turn| {
            let effects = deaf.clone();
            async move {
                turn.working(()).await?;
                loop {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    effects.fetch_add(1, Ordering::SeqCst);
                }
            }
        })
        .on("stubborn", move |turn| {
            let effects = stubborn.clone();
            async move {
                turn.working(()).await?;
                let work = turn.clone();
                tokio::spawn(async move {
                    for _ in 0..100 {
                        tokio::time::sleep(Duration::from_millis(100)).await;
                        effects.fetch_add(1, Ordering::SeqCst);
                    }
                    drop(work);
                });
                Ok(())
            }
        })
}

#[tokio::test(start_paused = true)]
async fn a_polite_executor_is_canceled_at_once() {
    let engine = engine(&player(&Arc::default())).await;
    let task = send(&engine, at_once(request("polite"))).await.unwrap();
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert_eq!(state(&canceled), TaskState::Canceled);
    assert_eq!(state(&get(&engine, &task.id).await.unwrap()), TaskState::Canceled);
    assert_eq!(kind(cancel(&engine, &task.id).await), ErrorKind::TaskNotCancelable);
}

#[tokio::test(start_paused = true)]
async fn a_deaf_executor_is_dropped_after_the_grace_period() {
    let effects = Arc::new(AtomicUsize::new(0));
    let engine = engine(&player(&effects)).await;
    let task = send(&engine, at_once(request("deaf"))).await.unwrap();
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert_eq!(state(&canceled), TaskState::Canceled);
    let before = effects.load(Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(effects.load(Ordering::SeqCst), before);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_not_called_canceled_while_its_work_goes_on() {
    let effects = Arc::new(AtomicUsize::new(0));
    let engine = engine(&player(&effects)).await;
    let task = send(&engine, at_once(request("stubborn"))).await.unwrap();
    let answer = cancel(&engine, &task.id).await.unwrap();
    assert_eq!(state(&answer), TaskState::Working);
    loop {
        let seen = state(&get(&engine, &task.id).await.unwrap());
        if seen == TaskState::Canceled {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(effects.load(Ordering::SeqCst), 100);
}

#[tokio::test(start_paused = true)]
async fn completion_may_win_and_then_everybody_says_so() {
    let engine = engine(&player(&Arc::default())).await;
    let follower = stream(&engine, request("wins")).await;
    let follower = tokio::spawn(all(follower));
    tokio::time::sleep(Duration::from_millis(10)).await;
    let listed = engine.list_tasks(&Call::default(), Default::default()).await.unwrap();
    let id = listed.tasks[0].id.clone();
    assert_eq!(kind(cancel(&engine, &id).await), ErrorKind::TaskNotCancelable);
    assert_eq!(follower.await.unwrap().pop().unwrap(), "completed just done");
    assert_eq!(state(&get(&engine, &id).await.unwrap()), TaskState::Completed);
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_asks_back_is_canceled_all_the_same() {
    let engine = engine(&player(&Arc::default())).await;
    let task = send(&engine, at_once(request("asks"))).await.unwrap();
    assert_eq!(state(&cancel(&engine, &task.id).await.unwrap()), TaskState::Canceled);
    assert_eq!(state(&get(&engine, &task.id).await.unwrap()), TaskState::Canceled);
}

#[tokio::test]
async fn a_waiting_task_is_canceled_and_takes_no_more_messages() {
    let engine = engine(&player(&Arc::default())).await;
    let task = say(&engine, "ask").await;
    assert_eq!(state(&cancel(&engine, &task.id).await.unwrap()), TaskState::Canceled);
    let refused = send(&engine, on_task("x", &task.id)).await;
    assert_eq!(kind(refused), ErrorKind::UnsupportedOperation);
    assert_eq!(kind(cancel(&engine, &TaskId::from("none")).await), ErrorKind::TaskNotFound);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_stops_the_executor() {
    let effects = Arc::new(AtomicUsize::new(0));
    let engine = engine(&player(&effects)).await;
    let call = Call { deadline: Some(Duration::from_secs(2)), ..Call::default() };
    let answer = engine.send_message(&call, request("deaf")).await.unwrap().value;
    let sabir_types::SendMessageResponse::Task(task) = answer else { panic!("a task") };
    assert_eq!(state(&task), TaskState::Canceled);
    assert_eq!(text_of(&task), "the deadline of the task has passed");
    let before = effects.load(Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(effects.load(Ordering::SeqCst), before);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_task_is_canceled_and_a_read_one_is_not() {
    let effects = Arc::new(AtomicUsize::new(0));
    let config =
        EngineConfig { abandoned: Some(Duration::from_secs(10)), ..EngineConfig::default() };
    let engine = engine_with(&player(&effects), memory(), config).await;
    let read = send(&engine, at_once(request("polite"))).await.unwrap();
    let abandoned = send(&engine, at_once(request("polite"))).await.unwrap();
    for _ in 0..10 {
        tokio::time::sleep(Duration::from_secs(3)).await;
        get(&engine, &read.id).await.unwrap();
    }
    assert_eq!(state(&get(&engine, &abandoned.id).await.unwrap()), TaskState::Canceled);
    assert_eq!(state(&get(&engine, &read.id).await.unwrap()), TaskState::Working);
}
