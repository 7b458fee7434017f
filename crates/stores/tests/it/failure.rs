//! Disks that take no more.

use crate::actors::{append, at, end, key, log, new_task, rows, send, work};
use crate::group::hold;
use sabir_engine::store::{AppendError, IndexStore, LogStore, Retention};
use sabir_stores::{SqliteOptions, SqliteStore, Synchronous};
use sabir_types::TaskState;
use std::path::Path;
use std::process::Command;

/// Appends artifacts of 64 KiB to a new task until one fails; returns its ordinal and the error.
async fn fill(store: &SqliteStore, id: &str) -> (u64, AppendError) {
    let payload = "x".repeat(64 << 10);
    append(store, new_task(&key(id))).await.unwrap();
    for ordinal in 1..10_000 {
        if let Err(error) = append(store, work(&key(id), ordinal, &payload)).await {
            return (ordinal, error);
        }
    }
    panic!("the disk was never full");
}

#[tokio::test]
async fn a_full_file_refuses_and_goes_on_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteOptions {
        retention: Retention { finished_secs: 60, ..Retention::durable() },
        max_bytes: Some(4 << 20),
        ..SqliteOptions::default()
    };
    let store = SqliteStore::open_in(dir.path(), options).unwrap();
    append(&store, new_task(&key("old"))).await.unwrap();
    for ordinal in 1..=20 {
        append(&store, work(&key("old"), ordinal, &"x".repeat(64 << 10))).await.unwrap();
    }
    append(&store, end(&key("old"), 21, TaskState::Completed, at(0))).await.unwrap();

    let (ordinal, error) = fill(&store, "full").await;
    assert!(
        matches!(&error, AppendError::Store(error) if error.message.contains("full")),
        "{error:?}"
    );
    // What is small still fits, and is refused: the log has no gap.
    let error = append(&store, work(&key("full"), ordinal + 1, "next")).await.unwrap_err();
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    assert_eq!(log(&store, &key("full")).await.len() as u64, 2 + ordinal - 1);

    assert_eq!(store.sweep(at(100_000), &|_, _, _| Ok("".into())).await.unwrap(), 1);
    let error = append(&store, work(&key("full"), ordinal + 1, "next")).await.unwrap_err();
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    append(&store, work(&key("full"), ordinal, &"x".repeat(64 << 10))).await.unwrap();
    append(&store, end(&key("full"), ordinal + 1, TaskState::Failed, at(1))).await.unwrap();
}

#[tokio::test]
async fn one_that_does_not_fit_does_not_take_the_others_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let options = SqliteOptions { max_bytes: Some(2 << 20), ..SqliteOptions::default() };
    let store = SqliteStore::open_in(dir.path(), options).unwrap();
    for id in ["a", "b", "c"] {
        append(&store, new_task(&key(id))).await.unwrap();
    }
    let held = hold(&store).await;
    let outcomes = [
        send(&store, end(&key("a"), 1, TaskState::Completed, at(0))),
        send(&store, new_task(&key("d"))),
        send(&store, work(&key("b"), 1, &"x".repeat(4 << 20))),
        send(&store, work(&key("c"), 1, "fits")),
        send(&store, new_task(&key("a"))),
    ];
    drop(held);
    let mut taken = Vec::new();
    for outcome in outcomes {
        taken.push(outcome.await.unwrap());
    }
    assert!(matches!(
        taken[..],
        [Ok(_), Ok(_), Err(AppendError::Store(_)), Ok(_), Err(AppendError::Repeated(_))]
    ));
    assert_eq!(log(&store, &key("b")).await.len(), 2);
    let counts = rows(&dir.path().join("sabir.db"));
    assert_eq!((counts[1], counts[5]), (("tasks", 4), ("messages", 4)));
}

/// The limit of the shell on the size of files makes the commit itself fail, as a broken disk does.
#[cfg(unix)]
#[test]
fn a_commit_that_fails_refuses_all_that_was_in_it() {
    let dir = tempfile::tempdir().unwrap();
    let status = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8192; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "failure::appends_under_a_limit", "--ignored", "--nocapture"])
        .env("SABIR_TEST_DIR", dir.path())
        .status()
        .unwrap();
    assert!(status.success());
}

#[tokio::test]
#[ignore = "runs in a process of its own, with a limit on the size of files"]
async fn appends_under_a_limit() {
    let Some(dir) = std::env::var_os("SABIR_TEST_DIR") else { return };
    let options = SqliteOptions { synchronous: Synchronous::Normal, ..SqliteOptions::default() };
    let store = SqliteStore::open_in(&dir, options).unwrap();
    append(&store, new_task(&key("other"))).await.unwrap();
    let (ordinal, error) = fill(&store, "full").await;
    assert!(matches!(error, AppendError::Store(_)), "{error:?}");
    // The write-ahead log starts anew, and there is room.
    let connection = rusqlite::Connection::open(Path::new(&dir).join("sabir.db")).unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
    let kept = log(&store, &key("full")).await;
    assert_eq!(kept.len() as u64, 2 + ordinal - 1);
    let error = append(&store, work(&key("full"), ordinal + 1, "next")).await.unwrap_err();
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    append(&store, work(&key("full"), ordinal, "again")).await.unwrap();
    append(&store, work(&key("other"), 1, "a")).await.unwrap();
    drop(store);
    let store = SqliteStore::open_in(&dir, SqliteOptions::default()).unwrap();
    assert_eq!(log(&store, &key("full")).await.len(), kept.len() + 1);
    assert!(store.load(&key("other")).await.unwrap().is_some());
}
