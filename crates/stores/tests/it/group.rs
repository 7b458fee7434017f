//! Groups: many appends in one commit.

use crate::actors::{append, at, end, key, log, new_task, send, work};
use sabir_engine::store::{AppendError, LogStore};
use sabir_stores::{SqliteOptions, SqliteStore};
use sabir_types::TaskState;
use std::sync::mpsc;

/// Holds the writing thread until the sender is dropped, so that what follows waits together.
pub(crate) async fn hold(store: &SqliteStore) -> mpsc::Sender<()> {
    let (release, held) = mpsc::channel::<()>();
    let (told, outcome) = tokio::sync::oneshot::channel();
    store.append(
        work(&key("nobody"), 1, ""),
        Box::new(move |_| {
            let _ = told.send(());
            let _ = held.recv();
        }),
    );
    outcome.await.unwrap();
    release
}

#[tokio::test]
async fn appends_that_wait_share_a_commit() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    let held = hold(&store).await;
    let before = store.commits();
    let outcomes: Vec<_> = (0..200).map(|n| send(&store, new_task(&key(&n.to_string())))).collect();
    assert!(store.backlog() > 200 * 16);
    drop(held);
    for outcome in outcomes {
        outcome.await.unwrap().unwrap();
    }
    assert_eq!(store.commits() - before, 1);
    // Any operation after them is done when the backlog has been counted down.
    store.begin().await.unwrap();
    store.begin().await.unwrap();
    assert!(store.backlog() < 200, "{}", store.backlog());
}

#[tokio::test]
async fn an_append_that_loses_its_condition_fails_alone() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    let (one, two) = (key("one"), key("two"));
    let held = hold(&store).await;
    let outcomes = [
        send(&store, new_task(&one)),
        send(&store, work(&one, 2, "a gap")),
        send(&store, new_task(&two)),
        send(&store, end(&one, 1, TaskState::Completed, at(1))),
        send(&store, work(&one, 3, "too late")),
        send(&store, new_task(&two)),
        send(&store, work(&two, 1, "a")),
    ];
    let before = store.commits();
    drop(held);
    let mut taken = Vec::new();
    for outcome in outcomes {
        taken.push(outcome.await.unwrap().map(|appended| appended.first));
    }
    assert_eq!(store.commits() - before, 1);
    assert!(matches!(
        taken[..],
        [
            Ok(1),
            Err(AppendError::Fenced),
            Ok(1),
            Ok(3),
            Err(AppendError::Terminal(TaskState::Completed)),
            Err(AppendError::Repeated(_)),
            Ok(3),
        ]
    ));
    assert_eq!(log(&store, &one).await.len(), 4);
    assert_eq!(log(&store, &two).await.len(), 3);
}

#[tokio::test]
async fn an_outcome_that_panics_keeps_nobody_from_being_told() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    let held = hold(&store).await;
    let before = send(&store, new_task(&key("before")));
    store.append(new_task(&key("panics")), Box::new(|_| panic!("on purpose")));
    let after = send(&store, new_task(&key("after")));
    drop(held);
    before.await.unwrap().unwrap();
    after.await.unwrap().unwrap();
    append(&store, work(&key("panics"), 1, "a")).await.unwrap();
}

#[tokio::test]
async fn what_was_handed_over_is_written_before_the_file_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    let held = hold(&store).await;
    let outcomes: Vec<_> =
        (0..3_000).map(|n| send(&store, new_task(&key(&n.to_string())))).collect();
    drop(held);
    drop(store);
    for mut outcome in outcomes {
        outcome.try_recv().unwrap().unwrap();
    }
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    assert!(store.load(&key("2999")).await.unwrap().is_some());
}
