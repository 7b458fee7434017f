//! Cancellation against whatever else happens to the task at that moment.

use crate::agent::Store;
use crate::caller::{BINDINGS, Caller};
use crate::dice;
use crate::events::ends;
use crate::send::Send;
use crate::task;
use sabir_testkit::Running;
use std::time::Duration;
use tokio::task::JoinSet;

/// How many races are under way at once.
const LANES: usize = 8;

#[tokio::test]
async fn cancellation_and_completion_never_both_win() {
    race_completion(40).await;
}

#[tokio::test]
#[ignore = "long"]
async fn cancellation_and_completion_never_both_win_long() {
    race_completion(300).await;
}

async fn race_completion(races: usize) {
    for store in Store::both() {
        let server = store.puppet().start().await;
        let canceled = in_lanes(&server, races, one_against_completion).await;
        let canceled = canceled.into_iter().filter(|canceled| *canceled).count();
        println!("{}: of {races} tasks {canceled} were canceled in time", store.name());
    }
}

/// Runs races in lanes, on both bindings.
async fn in_lanes<T, F>(server: &Running, races: usize, race: impl Fn(Caller) -> F) -> Vec<T>
where
    T: std::marker::Send + 'static,
    F: Future<Output = T> + std::marker::Send + 'static,
{
    let mut running = JoinSet::new();
    let mut results = Vec::new();
    for number in 0..races {
        if running.len() == LANES {
            results.push(running.join_next().await.unwrap().unwrap());
        }
        running.spawn(race(Caller::new(server, BINDINGS[number % 2])));
    }
    results.extend(running.join_all().await);
    results
}

/// Whether it was canceled.
async fn one_against_completion(caller: Caller) -> bool {
    let (script, time) = match dice::below(4) {
        0 => ("echo x".to_owned(), Duration::from_millis(1)),
        1 => ("ticks 1".to_owned(), Duration::from_millis(750)),
        _ => (format!("burst {}", 1 + dice::below(500)), Duration::from_millis(20)),
    };
    let mut stream = caller.stream(&Send::new(script)).await.unwrap();
    let first = stream.next().await.unwrap().unwrap();
    let id = task::id(&first.task()).to_owned();
    let canceling = async {
        tokio::time::sleep(dice::time_below(time)).await;
        caller.cancel(&id).await
    };
    let (answer, rest) = tokio::join!(canceling, stream.rest());
    let rest = rest.unwrap();
    assert_eq!(ends(&rest), 1, "{rest:?}");
    let last = rest.last().unwrap().state().unwrap();
    match &answer {
        Ok(task) => {
            assert_eq!(task::state(task), "CANCELED");
            assert_eq!(last, "CANCELED");
        }
        Err(failure) => {
            assert_eq!(failure.reason(), Some("TASK_NOT_CANCELABLE"), "{failure:?}");
            assert_eq!(last, "COMPLETED");
        }
    }
    let task = caller.get(&id).await.unwrap();
    assert_eq!(task::state(&task), last);
    let log = caller.subscribe(&id, Some(first.seq)).await.unwrap().rest().await.unwrap();
    assert_eq!(log[1..], rest, "the log has what the stream had");
    answer.is_ok()
}

#[tokio::test]
async fn cancellation_is_not_lost_in_a_turn_that_comes_to_rest() {
    race_rest(24).await;
}

#[tokio::test]
#[ignore = "long"]
async fn cancellation_is_not_lost_in_a_turn_that_comes_to_rest_long() {
    race_rest(300).await;
}

async fn race_rest(races: usize) {
    for store in Store::both() {
        let server = store.puppet().start().await;
        in_lanes(&server, races, one_against_rest).await;
    }
}

/// A task that waits is sent a message, after which it waits again; meanwhile it is canceled.
async fn one_against_rest(caller: Caller) {
    let id = caller.start("ask").await;
    let ask = Send::new("ask").to(&id);
    let canceling = async {
        tokio::time::sleep(dice::time_below(Duration::from_millis(8))).await;
        caller.cancel(&id).await
    };
    let (asked, answer) = tokio::join!(caller.send(&ask), canceling);
    let task = answer.unwrap_or_else(|failure| panic!("{failure:?}; the message: {asked:?}"));
    assert_eq!(task::state(&task), "CANCELED", "{task}");
    assert_eq!(caller.get(&id).await.unwrap(), task);
}
