//! What the tests are written with.

use sabir_engine::EntryKind;
use sabir_engine::store::{
    Append, AppendError, Appended, Condition, IdempotencyKey, IdempotencyRecord, NewEntry,
    RowChange, Scope, Store, TaskKey,
};
use sabir_types::{ContextId, MessageId, TaskId, TaskState, Timestamp};
use std::path::Path;
use tokio::sync::oneshot;

pub(crate) type Outcome = Result<Appended, AppendError>;

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

pub(crate) fn key(id: &str) -> TaskKey {
    let scope = Scope::new("agent", "", "alice");
    TaskKey { scope, id: TaskId::new(id) }
}

pub(crate) fn entry(kind: EntryKind, at: Timestamp, payload: &str) -> NewEntry {
    let payload = payload.as_bytes().to_vec().into();
    NewEntry { kind, turn: 1, at, state: TaskState::Unspecified, payload }
}

/// A new task with two entries, an open turn of epoch 1, and a record of a message of its name.
pub(crate) fn new_task(key: &TaskKey) -> Append {
    let scope = key.scope.clone();
    let message_id = MessageId::new(key.id.as_str());
    let message = IdempotencyKey { scope, message_id, content: None };
    let record = IdempotencyRecord {
        digest: [3; 32],
        task: key.id.clone(),
        turn: 1,
        expires: at(86_400_000),
    };
    Append {
        key: key.clone(),
        condition: Condition::New { context_id: ContextId::new("context") },
        entries: vec![
            entry(EntryKind::Accepted, at(0), "accepted"),
            entry(EntryKind::TurnStarted, at(0), "started"),
        ],
        row: RowChange { open_turn: Some((1, 1)), ..RowChange::default() },
        idempotency: Some((message, record)),
        push: None,
    }
}

/// An artifact by the worker of epoch 1 and turn 1.
pub(crate) fn work(key: &TaskKey, ordinal: u64, payload: &str) -> Append {
    Append {
        key: key.clone(),
        condition: Condition::Worker { epoch: 1, turn: 1, ordinal },
        entries: vec![entry(EntryKind::Artifact, at(0), payload)],
        row: RowChange::default(),
        idempotency: None,
        push: None,
    }
}

/// The end of the task, in two entries.
pub(crate) fn end(key: &TaskKey, ordinal: u64, state: TaskState, at: Timestamp) -> Append {
    Append {
        entries: vec![
            NewEntry { state, ..entry(EntryKind::Status, at, "status") },
            entry(EntryKind::TurnEnded, at, "ended"),
        ],
        row: RowChange {
            status: Some((state, at)),
            visible: true,
            close_turn: true,
            open_turn: None,
        },
        ..work(key, ordinal, "")
    }
}

pub(crate) fn send(store: &dyn Store, append: Append) -> oneshot::Receiver<Outcome> {
    let (done, outcome) = oneshot::channel();
    store.append(append, Box::new(move |result| drop(done.send(result))));
    outcome
}

pub(crate) async fn append(store: &dyn Store, append: Append) -> Outcome {
    send(store, append).await.expect("done is called")
}

/// The sequences and payloads of a task's log.
pub(crate) async fn log(store: &dyn Store, key: &TaskKey) -> Vec<(u64, String)> {
    let entries = store.entries(key, 0, usize::MAX).await.unwrap();
    let text = |payload: &[u8]| String::from_utf8_lossy(payload).into_owned();
    entries.iter().map(|entry| (entry.seq, text(&entry.payload))).collect()
}

/// Whether the message that [`new_task`] accepts is known.
pub(crate) async fn is_accepted(store: &dyn Store, key: &TaskKey) -> bool {
    let (message, _) = new_task(key).idempotency.unwrap();
    store.find_message(&message, at(0)).await.unwrap().is_some_and(|found| found.task == key.id)
}

/// How many rows each table has; `meta`, which has one, says what is summed there.
pub(crate) fn rows(path: &Path) -> Vec<(&'static str, i64)> {
    let connection = rusqlite::Connection::open(path).unwrap();
    let count = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    let tables =
        ["scopes", "tasks", "entries", "snapshots", "garbage", "messages", "pushes", "outbox"];
    let counts = tables.map(|table| (table, count(&format!("SELECT count(*) FROM {table}"))));
    let sums = [
        ("finished_tasks", "SELECT count(*) FROM tasks WHERE standing > 1"),
        ("finished_bytes", "SELECT ifnull(sum(bytes), 0) FROM tasks WHERE standing > 1"),
        ("messages", "SELECT count(*) FROM messages"),
    ];
    for (name, sum) in sums {
        let kept = count(&format!("SELECT {name} FROM meta"));
        assert_eq!(kept, count(sum), "the sum {name} is wrong");
    }
    let bytes = "SELECT count(*) FROM tasks AS t WHERE bytes != \
        (SELECT ifnull(sum(length(payload) + 32), 0) FROM entries AS e WHERE e.task = t.task) + \
        (SELECT ifnull(sum(length(body)), 0) FROM snapshots AS s WHERE s.task = t.task)";
    assert_eq!(count(bytes), 0, "the bytes of a task are wrong");
    counts.into()
}
