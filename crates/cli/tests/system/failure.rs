//! Executors that go wrong: every caller learns it at once, and the task can be fetched.

use crate::agent::Store;
use crate::caller::Caller;
use crate::events::ends;
use crate::send::Send;
use crate::task;
use sabir_testkit::patiently;
use serde_json::Value;
use std::time::{Duration, Instant};

const SCRIPTS: [&str; 3] = ["panic", "fail-before", "fail-after"];

#[tokio::test]
async fn a_failed_executor_is_a_failed_task_for_every_caller() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        for caller in Caller::both(&server) {
            for script in SCRIPTS {
                for task in [
                    blocking(&caller, script).await,
                    streaming(&caller, script).await,
                    polling(&caller, script).await,
                ] {
                    assert_eq!(task::state(&task), "FAILED", "{script}: {task}");
                    let fetched = caller.get(task::id(&task)).await.unwrap();
                    assert_eq!(fetched, task, "{script}");
                }
            }
        }
    }
}

#[tokio::test]
#[ignore = "long"]
async fn a_failed_executor_is_a_failed_task_within_a_tenth_of_a_second_long() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        let [caller, _] = Caller::both(&server);
        for script in SCRIPTS {
            let mut times = [const { Vec::new() }; 3];
            for _ in 0..50 {
                times[0].push(timed(blocking(&caller, script)).await);
                times[1].push(timed(streaming(&caller, script)).await);
                times[2].push(timed(polling(&caller, script)).await);
            }
            times.iter_mut().for_each(|times| times.sort_unstable());
            let [blocking, streaming, polling] = &times.map(|times| (times[25], times[49]));
            println!(
                "{script}, {}: FAILED after (median, worst) blocking {blocking:?}, \
                 streaming {streaming:?}, polling {polling:?}",
                store.name()
            );
            for (median, _) in [blocking, streaming, polling] {
                assert!(*median < Duration::from_millis(100));
            }
        }
    }
}

async fn timed<T>(work: impl Future<Output = T>) -> Duration {
    let begin = Instant::now();
    work.await;
    begin.elapsed()
}

async fn blocking(caller: &Caller, script: &str) -> Value {
    task::of(&caller.send(&Send::new(script)).await.unwrap()).clone()
}

/// The task as the stream left it, fetched.
async fn streaming(caller: &Caller, script: &str) -> Value {
    let events = caller.stream(&Send::new(script)).await.unwrap().rest().await.unwrap();
    let id = task::id(&events[0].task()).to_owned();
    assert_eq!(events.last().unwrap().state().as_deref(), Some("FAILED"), "{events:?}");
    assert_eq!(ends(&events), 1, "{events:?}");
    caller.get(&id).await.unwrap()
}

async fn polling(caller: &Caller, script: &str) -> Value {
    let id = caller.start(script).await;
    caller.ended(&id).await
}

#[tokio::test]
async fn an_author_who_says_something_after_the_end_is_told() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        let [caller, _] = Caller::both(&server);
        let late = blocking(&caller, "late").await;
        assert_eq!((task::state(&late), &*task::said(&late)), ("COMPLETED", "done"));
        // The answer came at the end, and the agent was late after it.
        let told = async {
            loop {
                let count = task::said(&blocking(&caller, "count").await);
                if let Some((_, told)) = count.split_once("when late: ") {
                    return told.to_owned();
                }
            }
        };
        let told = patiently("the agent to be late", told).await;
        assert!(told.contains("the turn has ended"), "{told}");
        assert_eq!(caller.get(task::id(&late)).await.unwrap(), late);
    }
}
