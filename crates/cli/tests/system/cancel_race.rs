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
/// The sequence of the first entry of a log.
const FIRST: u64 = 1;

#[tokio::test]
async fn cancellation_and_completion_never_both_win() {
    race_completion(40).await;
}

#[tokio::test]
#[ignore = "long"]
async fn cancellation_and_completion_never_both_win_long() {
    for canceled in race_completion(300).await {
        assert!(0 < canceled && canceled < 300, "it was no race");
    }
}

/// Gives for each store how many tasks were canceled in time.
async fn race_completion(races: usize) -> Vec<usize> {
    let mut counts = Vec::new();
    for store in Store::both() {
        let server = store.puppet().start().await;
        let canceled = in_lanes(&server, races, one_against_completion).await;
        let canceled = canceled.into_iter().filter(|canceled| *canceled).count();
        println!("{}: of {races} tasks {canceled} were canceled in time", store.name());
        counts.push(canceled);
    }
    counts
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
    let (script, from, to) = match dice::below(3) {
        0 => ("slow 1".to_owned(), 995, 1_010),
        1 => ("ticks 1".to_owned(), 0, 750),
        _ => (format!("burst {}", 1 + dice::below(4_000)), 0, 15),
    };
    let id = caller.start(&script).await;
    let stream = caller.subscribe(&id, Some(FIRST)).await.unwrap();
    let canceling = async {
        let range = Duration::from_millis(to - from);
        tokio::time::sleep(Duration::from_millis(from) + dice::time_below(range)).await;
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
    let log = caller.subscribe(&id, Some(FIRST)).await.unwrap().rest().await.unwrap();
    assert_eq!(log, rest, "the log has what the stream had");
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
