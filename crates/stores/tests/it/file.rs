//! The file: what it keeps, and who may open it.

use crate::actors::{append, at, end, entry, is_accepted, key, log, new_task, rows, work};
use sabir_engine::EntryKind;
use sabir_engine::store::{
    Append, IndexStore, LogStore, PushRow, PushStore, Retention, Scope, Settled, TaskFilter,
};
use sabir_stores::{SqliteOptions, SqliteStore};
use sabir_types::{TaskState, Version};

fn webhook() -> PushRow {
    PushRow { id: "hook".into(), config: "{}".into(), version: Version::V0_3 }
}

#[tokio::test]
async fn everything_is_there_when_the_file_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let open = || SqliteStore::open_in(dir.path().join("data"), SqliteOptions::default()).unwrap();
    let (one, two) = (key("one"), key("two"));
    let store = open();
    assert_eq!(store.begin().await.unwrap(), 1);
    let push = webhook();
    append(&store, Append { push: Some(push), ..new_task(&one) }).await.unwrap();
    let later = Append {
        entries: vec![entry(EntryKind::from_number(200), at(1), "of a later version")],
        ..work(&one, 1, "")
    };
    append(&store, later).await.unwrap();
    append(&store, work(&one, 2, "a")).await.unwrap();
    append(&store, new_task(&two)).await.unwrap();
    append(&store, end(&two, 1, TaskState::Completed, at(5))).await.unwrap();
    store.snapshot(&two, 4, "snapshot".into()).await.unwrap();
    let (row, _) = store.due("agent", at(0), 9).await.unwrap();
    store.settle(&row[0], Settled::Retry(at(100))).await.unwrap();
    let before = (store.load(&one).await.unwrap(), store.load(&two).await.unwrap());
    drop(store);

    let store = open();
    assert_eq!(store.begin().await.unwrap(), 2);
    assert_eq!((store.load(&one).await.unwrap(), store.load(&two).await.unwrap()), before);
    let entries = store.entries(&one, 2, 1).await.unwrap();
    assert_eq!(
        (entries[0].kind, &*entries[0].payload),
        (EntryKind::Other(200), &b"of a later version"[..])
    );
    assert!(is_accepted(&store, &one).await && is_accepted(&store, &two).await);
    assert_eq!(store.unfinished("agent").await.unwrap(), std::slice::from_ref(&one));
    assert_eq!(store.list(&one.scope, &TaskFilter::default(), None, 9).await.unwrap().total, 1);
    let (rows, next) = store.due("agent", at(50), 9).await.unwrap();
    assert_eq!((rows, next), (vec![], Some(at(100))));
    assert_eq!(store.due("agent", at(100), 9).await.unwrap().0[0].attempts, 1);
    // The worker's ordinals go on, and a new task does not get the number of an old one.
    append(&store, work(&one, 3, "b")).await.unwrap();
    append(&store, new_task(&key("three"))).await.unwrap();
    assert_eq!(log(&store, &one).await.len(), 5);
    assert_eq!(log(&store, &key("three")).await.len(), 2);
}

#[tokio::test]
async fn the_counts_of_retention_are_kept_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let retention = Retention { tasks: 3, messages: 4, ..Retention::durable() };
    for round in 0..3 {
        let options = SqliteOptions { retention: retention.clone(), ..SqliteOptions::default() };
        let store = SqliteStore::open_in(dir.path(), options).unwrap();
        for number in 0..2 {
            let task = key(&format!("{round} {number}"));
            append(&store, new_task(&task)).await.unwrap();
            append(&store, end(&task, 1, TaskState::Completed, at(round * 10 + number)))
                .await
                .unwrap();
        }
    }
    let options = SqliteOptions { retention, ..SqliteOptions::default() };
    let store = SqliteStore::open_in(dir.path(), options).unwrap();
    assert_eq!(store.sweep(at(100), &|_, _, _| Ok("".into())).await.unwrap(), 3);
    let page = store.list(&key("").scope, &TaskFilter::default(), None, 9).await.unwrap();
    let ids: Vec<_> = page.tasks.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["2 1", "2 0", "1 1"]);
    let mut accepted = 0;
    for round in 0..3 {
        for number in 0..2 {
            let task = key(&format!("{round} {number}"));
            accepted += usize::from(is_accepted(&store, &task).await);
        }
    }
    assert_eq!(accepted, 4);
}

#[tokio::test]
async fn a_file_in_use_is_not_opened_twice() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).unwrap_err().to_string();
    assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
    assert!(error.contains("store"), "{error}");
    // Another file is another matter.
    SqliteStore::open(dir.path().join("other"), SqliteOptions::default()).unwrap();
    drop(store);
    SqliteStore::open(&path, SqliteOptions::default()).unwrap();
}

#[tokio::test]
async fn webhooks_of_a_file_that_knows_no_versions_are_of_1_0() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    append(&store, Append { push: Some(webhook()), ..new_task(&key("task")) }).await.unwrap();
    drop(store);
    let first = rusqlite::Connection::open(&path).unwrap();
    first.execute_batch("ALTER TABLE pushes DROP COLUMN version; PRAGMA user_version = 1").unwrap();
    drop(first);
    let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    let expected = PushRow { version: Version::V1_0, ..webhook() };
    assert_eq!(store.pushes(&key("task")).await.unwrap(), [expected]);
}

#[tokio::test]
async fn a_file_of_another_program_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("theirs");
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    drop(theirs);
    let before = std::fs::read(&path).unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("another program"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::write(&path, "no database at all, but long enough to be looked at").unwrap();
    let error = SqliteStore::open(&path, SqliteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("not a database"), "{error}");
}

#[tokio::test]
async fn a_file_of_a_later_version_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    drop(SqliteStore::open(&path, SqliteOptions::default()).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let error = SqliteStore::open(&path, SqliteOptions::default()).unwrap_err().to_string();
    assert!(error.contains("later version") && error.contains("99"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    append(&store, new_task(&key("task"))).await.unwrap();
    let mut names = Vec::new();
    for file in std::fs::read_dir(dir.path()).unwrap() {
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{file:?}");
        names.push(file.file_name());
    }
    assert_eq!(names.len(), 4, "{names:?}");
}

/// As an outcome that holds the last handle does.
#[tokio::test]
async fn a_store_may_be_dropped_where_outcomes_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let store =
        std::sync::Arc::new(SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap());
    let (told, outcome) = tokio::sync::oneshot::channel();
    let (handed, last) = std::sync::mpsc::channel::<std::sync::Arc<SqliteStore>>();
    store.append(
        new_task(&key("task")),
        Box::new(move |_| {
            drop(last.recv());
            let _ = told.send(());
        }),
    );
    handed.send(store).unwrap();
    outcome.await.unwrap();
}

#[tokio::test]
async fn nothing_is_left_of_what_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let retention = Retention { resume_secs: 1, finished_secs: 60, ..Retention::durable() };
    let options = SqliteOptions { retention, ..SqliteOptions::default() };
    let store = SqliteStore::open_in(dir.path(), options).unwrap();
    let path = dir.path().join("sabir.db");
    for number in 0..5 {
        let mut task = key(&number.to_string());
        task.scope = Scope::new(&*task.scope.agent, "", number.to_string());
        let push = (number > 0).then(webhook);
        append(&store, Append { push, ..new_task(&task) }).await.unwrap();
        let chunks = (0..700 * number).map(|_| entry(EntryKind::Trace, at(0), "chunk"));
        let long = Append { entries: chunks.collect(), ..work(&task, 1, "") };
        append(&store, long).await.unwrap();
        append(&store, work(&task, 700 * number as u64 + 1, "a")).await.unwrap();
        append(&store, end(&task, 700 * number as u64 + 2, TaskState::Failed, at(number)))
            .await
            .unwrap();
        if number == 0 {
            store.snapshot(&task, 3, "a snapshot before the end".into()).await.unwrap();
        }
    }
    let fold = |_: &_, _: Option<&_>, _: &[_]| Ok("a snapshot".into());
    assert_eq!(store.sweep(at(2_000), &fold).await.unwrap(), 0);
    let counts = rows(&path);
    let expected = [5, 5, 0, 5, 0, 5, 4, 8];
    assert!(counts.iter().map(|(_, count)| *count).eq(expected), "{counts:?}");
    assert_eq!(store.sweep(at(200_000_000), &fold).await.unwrap(), 5);
    // What is still to be delivered is all there is, and goes with the deliveries.
    let counts = rows(&path);
    let expected = [4, 0, 0, 0, 0, 0, 4, 8];
    assert!(counts.iter().map(|(_, count)| *count).eq(expected), "{counts:?}");
    for settled in [Settled::Dead("gone".into()), Settled::Delivered] {
        for row in store.due("agent", at(0), 9).await.unwrap().0 {
            store.settle(&row, settled.clone()).await.unwrap();
        }
    }
    let counts = rows(&path);
    assert!(counts.iter().all(|(_, count)| *count == 0), "{counts:?}");
}

/// A sweep was cut off after the task of that number had gone and before its entries had.
#[tokio::test]
async fn what_an_interrupted_sweep_left_is_not_taken_for_another_task() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sabir.db");
    let open = || SqliteStore::open_in(dir.path(), SqliteOptions::default()).unwrap();
    let store = open();
    append(&store, new_task(&key("old"))).await.unwrap();
    drop(store);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch("INSERT INTO garbage VALUES (2), (3)").unwrap();
    let left = "INSERT INTO entries SELECT n, seq, turn, epoch, at, kind, state, payload \
                FROM entries, (SELECT 2 AS n UNION SELECT 3)";
    connection.execute_batch(left).unwrap();
    drop(connection);
    let store = open();
    append(&store, new_task(&key("new"))).await.unwrap();
    assert_eq!(store.sweep(at(0), &|_, _, _| Ok("".into())).await.unwrap(), 0);
    assert_eq!(log(&store, &key("new")).await.len(), 2);
    assert_eq!(log(&store, &key("old")).await.len(), 2);
    let counts = rows(&path);
    assert_eq!((counts[2], counts[4]), (("entries", 4), ("garbage", 0)));
}
