//! `kill -9` while appends are under way.

use crate::actors::{append, at, end, is_accepted, key, log, new_task, work};
use sabir_engine::store::{LogStore, Store};
use sabir_stores::{SqliteOptions, SqliteStore};
use sabir_types::TaskState;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

const WRITERS: u64 = 8;

/// The process that is killed writes a line for each append that it was told is durable.
#[tokio::test]
async fn what_was_acknowledged_is_there_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let mut acknowledged = HashMap::new();
    for (round, lines) in [1, 40, 333, 700].into_iter().enumerate() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::appends_until_it_is_killed", "--ignored", "--nocapture"])
            .env("SABIR_TEST_DIR", dir.path())
            .env("SABIR_TEST_ROUND", round.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let acks = |line: String| {
            let (id, head) = line.strip_prefix("ack ")?.split_once(' ')?;
            Some((id.to_owned(), head.parse::<u64>().ok()?))
        };
        acknowledged.extend(output.by_ref().filter_map(acks).take(lines));
        child.kill().unwrap();
        child.wait().unwrap();
        // What was told before it died counts; a line that was cut off does not.
        acknowledged.extend(output.filter_map(acks));
        let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
        assert_eq!(store.begin().await.unwrap(), 2 * (round as u64 + 1));
        check(&store, &acknowledged).await;
    }
    assert!(acknowledged.len() > 100, "{}", acknowledged.len());
}

async fn check(store: &SqliteStore, acknowledged: &HashMap<String, u64>) {
    for (id, head) in acknowledged {
        let key = key(id);
        let record = store.load(&key).await.unwrap().unwrap_or_else(|| panic!("{id} is lost"));
        let log = log(store, &key).await;
        assert!(record.row.head >= *head, "{id}: {head} was told, {} is there", record.row.head);
        // Appends are there whole or not at all.
        assert!([2, 3, 5].contains(&record.row.head), "{id}: {log:?}");
        assert!(log.iter().map(|(seq, _)| *seq).eq(1..=record.row.head), "{id}: {log:?}");
        assert_eq!(record.row.state.is_terminal(), record.row.head == 5, "{id}");
        assert_eq!(record.row.turn_open, record.row.head < 5, "{id}");
        assert!(is_accepted(store, &key).await, "{id}");
    }
}

#[tokio::test]
#[ignore = "runs in a process of its own, which is killed"]
async fn appends_until_it_is_killed() {
    let Some(dir) = std::env::var_os("SABIR_TEST_DIR") else { return };
    let round = std::env::var("SABIR_TEST_ROUND").unwrap();
    let store = Arc::new(SqliteStore::open_in(dir, SqliteOptions::default()).unwrap());
    store.begin().await.unwrap();
    let writers = (0..WRITERS).map(|writer| {
        let (store, round) = (Arc::clone(&store), round.clone());
        tokio::spawn(async move {
            for number in 0.. {
                run(&*store, &format!("{round}-{writer}-{number}")).await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

async fn run(store: &dyn Store, id: &str) {
    let key = key(id);
    let end = end(&key, 2, TaskState::Completed, at(1));
    for (change, head) in [(new_task(&key), 2), (work(&key, 1, "a"), 3), (end, 5)] {
        append(store, change).await.unwrap();
        // In one piece, so that a line is there or not.
        std::io::stdout().write_all(format!("\nack {id} {head}\n").as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
    }
}
