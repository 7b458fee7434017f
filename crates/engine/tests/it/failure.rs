use crate::support::{Player, all, engine, get, request, say, state, stream, text_of};
use sabir_engine::EmitError;
use sabir_types::TaskState;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn player() -> Player {
    Player::default()
        .on("fail-before", |_| async move { Err(sabir_engine::ExecutorError::new("no fuel")) })
        .on("fail-after", |turn| async move {
            turn.working(()).await?;
            Err(sabir_engine::ExecutorError::new("no fuel left"))
        })
        .on("panic", |_| async move { panic!("on purpose") })
        .on("panic-later", |_| async move {
            tokio::task::yield_now().await;
            panic!("on purpose")
        })
        .on("nothing", |_| async move { Ok(()) })
        .on("detach", |turn| async move {
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_secs(4)).await;
                turn.completed("in the background").await
            });
            Ok(())
        })
}

#[tokio::test]
async fn however_an_executor_fails_every_caller_sees_failed() {
    let engine = engine(&player()).await;
    let cases = [
        ("fail-before", "no fuel"),
        ("fail-after", "no fuel left"),
        ("panic", "the agent panicked"),
        ("panic-later", "the agent panicked"),
        ("nothing", "the agent ended without a result"),
    ];
    for (word, why) in cases {
        let task = say(&engine, word).await;
        assert_eq!((state(&task), text_of(&task).as_str()), (TaskState::Failed, why), "{word}");
        assert_eq!(get(&engine, &task.id).await.unwrap(), task);
        let last = all(stream(&engine, request(word)).await).await.pop().unwrap();
        assert_eq!(last, format!("failed {why}"));
    }
}

#[tokio::test(start_paused = true)]
async fn background_work_may_outlive_execute() {
    let engine = engine(&player()).await;
    let task = say(&engine, "detach").await;
    assert_eq!(
        (state(&task), text_of(&task).as_str()),
        (TaskState::Completed, "in the background")
    );
}

#[tokio::test]
async fn an_event_after_the_end_is_an_error_that_the_author_sees() {
    let seen = Arc::new(Mutex::new(None));
    let keep = seen.clone();
    let player = Player::default().on("late", move |turn| {
        let keep = keep.clone();
        async move {
            turn.completed("done").await?;
            *keep.lock().unwrap() = Some(turn.working("more").await);
            Ok(())
        }
    });
    let engine = engine(&player).await;
    let task = say(&engine, "late").await;
    assert_eq!(state(&task), TaskState::Completed);
    while seen.lock().unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    assert!(matches!(seen.lock().unwrap().take(), Some(Err(EmitError::Ended))));
    assert_eq!(get(&engine, &task.id).await.unwrap(), task);
}

#[tokio::test]
async fn draining_refuses_messages_and_counts_what_is_left() {
    let player = Player::default().on("hang", |turn| async move {
        turn.canceled().await;
        Ok(())
    });
    let engine = engine(&player).await;
    assert_eq!(engine.drain(Duration::ZERO).await, 0);
    let refused = crate::support::send(&engine, request("x")).await;
    assert_eq!(refused.unwrap_err().kind(), sabir_types::ErrorKind::Unavailable);
}
