use crate::support::{
    Player, all, at_once, card, engine_with, get, memory, on_task, request, send, state, subscribe,
    text_of,
};
use sabir_engine::store::Store;
use sabir_engine::{Engine, EngineConfig};
use sabir_types::TaskState;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn player(effects: &Arc<AtomicUsize>) -> Player {
    let effects = effects.clone();
    Player::default()
        .on("ask", |turn| async move { Ok(turn.input_required("which?").await?) })
        .on("hang", |turn| async move {
            turn.working("1").await?;
            turn.canceled().await;
            Ok(())
        })
        .on("steps", move |turn| {
            let effects = effects.clone();
            async move {
                let step = || async {
                    effects.fetch_add(1, Ordering::SeqCst);
                    Ok("paid".to_owned())
                };
                let paid: String = turn.once("pay", step).await?;
                let round: u32 = turn.state().unwrap_or(0);
                turn.save(&(round + 1)).await?;
                turn.working(format!("{paid} {round}")).await?;
                if round == 0 {
                    turn.canceled().await;
                    return Ok(());
                }
                Ok(turn.completed("shipped").await?)
            }
        })
}

async fn restart(player: &Player, store: &Arc<dyn Store>) -> Engine {
    Engine::builder(card(), player.clone()).store(store.clone()).start().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_was_cut_off_ends_failed_and_says_why() {
    let (player, store) = (player(&Arc::default()), memory());
    let before = engine_with(&player, store.clone(), EngineConfig::default()).await;
    let task = send(&before, at_once(request("hang"))).await.unwrap();
    let after = restart(&player, &store).await;
    let task = get(&after, &task.id).await.unwrap();
    assert_eq!(state(&task), TaskState::Failed);
    assert!(text_of(&task).contains("restarted"), "{}", text_of(&task));
    assert_eq!(player.starts(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_resumable_executor_starts_again_and_does_no_step_twice() {
    let effects = Arc::new(AtomicUsize::new(0));
    let player = Player { resumable: true, ..player(&effects) };
    let store = memory();
    let before = engine_with(&player, store.clone(), EngineConfig::default()).await;
    let task = send(&before, at_once(request("steps"))).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1)).await;
    let after = restart(&player, &store).await;
    let task = get(&after, &task.id).await.unwrap();
    assert_eq!((state(&task), text_of(&task).as_str()), (TaskState::Completed, "shipped"));
    assert_eq!(effects.load(Ordering::SeqCst), 1);
    let said: Vec<_> = task.history.iter().map(|message| message.text()).collect();
    assert_eq!(said, ["steps", "paid 0", "paid 1"]);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_waited_has_its_turn_after_the_restart() {
    let (player, store) = (player(&Arc::default()), memory());
    let before = engine_with(&player, store.clone(), EngineConfig::default()).await;
    let task = send(&before, at_once(request("hang"))).await.unwrap();
    let waiting = send(&before, on_task("x", &task.id));
    assert!(tokio::time::timeout(Duration::from_millis(5), waiting).await.is_err());
    let after = restart(&player, &store).await;
    let task = get(&after, &task.id).await.unwrap();
    // The task failed with the turn that was cut off; the message stays out of its history.
    assert_eq!(state(&task), TaskState::Failed);
    assert_eq!(task.history.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_waiting_task_goes_on_and_its_streams_resume_after_a_restart() {
    let (player, store) = (player(&Arc::default()), memory());
    let before = engine_with(&player, store.clone(), EngineConfig::default()).await;
    let task = send(&before, request("ask")).await.unwrap();
    let after = restart(&player, &store).await;
    assert_eq!(get(&after, &task.id).await.unwrap(), task);
    let follower = subscribe(&after, &task.id, Some(2)).await.unwrap();
    let follower = tokio::spawn(all(follower));
    send(&after, on_task("x", &task.id)).await.unwrap();
    let words = follower.await.unwrap();
    assert_eq!(words[..2], ["task submitted", "input-required which?"]);
    assert_eq!(words.last().unwrap(), "completed done");
}
