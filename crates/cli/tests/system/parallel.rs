//! Many tasks in the background: the server stays responsive, and all of them end.

use crate::agent::Store;
use crate::caller::{BINDINGS, Caller};
use crate::{http, task};
use sabir_testkit::Running;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::Instant;

const TASKS: usize = 60;

#[tokio::test]
async fn tasks_in_the_background_all_end_and_the_card_answers_throughout() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        rounds(&server, 2, 1).await;
    }
}

#[tokio::test]
#[ignore = "long"]
async fn tasks_in_the_background_all_end_and_the_card_answers_throughout_long() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        let (slowest, asked) = rounds(&server, 20, 2).await;
        println!("{}: the card {asked} times, at most {slowest:?}", store.name());
        assert!(slowest < Duration::from_secs(2), "{slowest:?}");
    }
}

/// Rounds of `slow` in parallel; gives the longest time that the card took, and how often it was
/// asked for.
async fn rounds(server: &Running, rounds: usize, seconds: u64) -> (Duration, usize) {
    let (mut slowest, mut asked) = (Duration::ZERO, 0);
    let card = async {
        loop {
            let begin = Instant::now();
            http::get(server.addr(), "/.well-known/agent-card.json").await;
            slowest = slowest.max(begin.elapsed());
            asked += 1;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let work = async {
        for _ in 0..rounds {
            round(server, seconds).await;
        }
    };
    tokio::select! {
        () = work => {}
        () = card => {}
    }
    assert!(asked > 0);
    (slowest, asked)
}

async fn round(server: &Running, seconds: u64) {
    let mut tasks = JoinSet::new();
    for number in 0..TASKS {
        let caller = Caller::new(server, BINDINGS[number % 2]);
        tasks.spawn(async move {
            let id = caller.start(&format!("slow {seconds}")).await;
            let task = caller.ended(&id).await;
            assert_eq!(task::state(&task), "COMPLETED", "{task}");
            id
        });
    }
    let mut ids = tasks.join_all().await;
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), TASKS);
}
