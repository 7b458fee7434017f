//! What the cases are written with: keys, entries, appends, and a store that answers.

use crate::log::EntryKind;
use crate::store::{
    Append, AppendError, Appended, Condition, IdempotencyKey, IdempotencyRecord, NewEntry,
    OutboxRow, PushRow, Retention, RowChange, Scope, Store, TaskFilter, TaskKey, TaskRecord,
};
use bytes::Bytes;
use sabir_types::{ContextId, MessageId, TaskId, TaskState, Timestamp, Version};
use std::sync::Arc;
use tokio::sync::oneshot;

/// A time that many milliseconds after an arbitrary one.
pub(super) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000 + millis)
}

/// A time that many seconds after the same.
pub(super) fn at_secs(secs: i64) -> Timestamp {
    at(secs * 1_000)
}

/// A retention that forgets nothing.
pub(super) fn keep() -> Retention {
    Retention {
        tasks: 1_000_000,
        bytes: u64::MAX,
        finished_secs: u64::MAX,
        waiting_secs: u64::MAX,
        resume_secs: u64::MAX,
        messages: 1_000_000,
    }
}

pub(super) fn scope(agent: &str, tenant: &str, owner: &str) -> Scope {
    Scope::new(agent, tenant, owner)
}

pub(super) fn alice() -> Scope {
    scope("agent", "", "alice")
}

pub(super) fn key(id: &str) -> TaskKey {
    key_in(alice(), id)
}

pub(super) fn key_in(scope: Scope, id: &str) -> TaskKey {
    TaskKey { scope, id: TaskId::new(id) }
}

pub(super) fn entry(kind: EntryKind, turn: u64, at: Timestamp, payload: &str) -> NewEntry {
    let payload = Bytes::copy_from_slice(payload.as_bytes());
    NewEntry { kind, turn, at, state: TaskState::Unspecified, payload }
}

pub(super) fn artifact(payload: &str) -> NewEntry {
    entry(EntryKind::Artifact, 1, at(1), payload)
}

pub(super) fn status(state: TaskState, at: Timestamp) -> NewEntry {
    NewEntry { state, ..entry(EntryKind::Status, 1, at, "status") }
}

/// A change of nothing, to be filled in.
pub(super) fn append(key: &TaskKey, condition: Condition) -> Append {
    Append {
        key: key.clone(),
        condition,
        entries: Vec::new(),
        row: RowChange::default(),
        idempotency: None,
        push: None,
    }
}

/// A new task in the context `context`, whose first turn is open and owned by epoch 1.
pub(super) fn new_task(key: &TaskKey, context: &str) -> Append {
    Append {
        entries: vec![
            entry(EntryKind::Accepted, 1, at(0), "accepted"),
            entry(EntryKind::TurnStarted, 1, at(0), "started"),
        ],
        row: RowChange { open_turn: Some((1, 1)), ..RowChange::default() },
        ..append(key, Condition::New { context_id: ContextId::new(context) })
    }
}

/// What the worker of epoch 1 and turn 1 appends.
pub(super) fn work(
    key: &TaskKey,
    ordinal: u64,
    entries: impl IntoIterator<Item = NewEntry>,
) -> Append {
    Append {
        entries: entries.into_iter().collect(),
        ..append(key, Condition::Worker { epoch: 1, turn: 1, ordinal })
    }
}

/// A status of the worker, which shows the task.
pub(super) fn show(key: &TaskKey, ordinal: u64, state: TaskState, at: Timestamp) -> Append {
    Append {
        row: RowChange { status: Some((state, at)), visible: true, ..RowChange::default() },
        ..work(key, ordinal, [status(state, at)])
    }
}

/// A status of the worker with which its turn ends.
pub(super) fn end(key: &TaskKey, ordinal: u64, state: TaskState, at: Timestamp) -> Append {
    let mut append = show(key, ordinal, state, at);
    append.entries.push(entry(EntryKind::TurnEnded, 1, at, "ended"));
    append.row.close_turn = true;
    append
}

pub(super) fn command(key: &TaskKey, turn_closed: bool) -> Append {
    append(key, Condition::Command { turn_closed })
}

pub(super) fn message(id: &str) -> IdempotencyKey {
    IdempotencyKey { scope: alice(), message_id: MessageId::new(id), content: None }
}

pub(super) fn record(task: &str, expires: Timestamp) -> IdempotencyRecord {
    IdempotencyRecord { digest: [7; 32], task: TaskId::new(task), turn: 1, expires }
}

pub(super) fn webhook(id: &str, config: &str) -> PushRow {
    let config = Bytes::copy_from_slice(config.as_bytes());
    PushRow { id: id.into(), config, version: Version::V1_0 }
}

/// Hands an append over and waits for its outcome.
pub(super) async fn try_append(
    store: &Arc<dyn Store>,
    append: Append,
) -> Result<Appended, AppendError> {
    send(store, append).await.expect("done is called")
}

/// Hands an append over; the outcome comes through the receiver.
pub(super) fn send(
    store: &Arc<dyn Store>,
    append: Append,
) -> oneshot::Receiver<Result<Appended, AppendError>> {
    let (done, outcome) = oneshot::channel();
    store.append(append, Box::new(move |result| drop(done.send(result))));
    outcome
}

/// An append that must be taken; returns the sequence of its first entry.
pub(super) async fn take(store: &Arc<dyn Store>, append: Append) -> u64 {
    try_append(store, append).await.expect("the append is taken").first
}

/// An append that must be refused.
pub(super) async fn refuse(store: &Arc<dyn Store>, append: Append) -> AppendError {
    try_append(store, append).await.expect_err("the append is refused")
}

/// A task that ended in that state at that time.
pub(super) async fn ended(store: &Arc<dyn Store>, key: &TaskKey, state: TaskState, at: Timestamp) {
    take(store, new_task(key, "context")).await;
    take(store, end(key, 1, state, at)).await;
}

pub(super) async fn load(store: &Arc<dyn Store>, key: &TaskKey) -> TaskRecord {
    try_load(store, key).await.expect("the task exists")
}

pub(super) async fn try_load(store: &Arc<dyn Store>, key: &TaskKey) -> Option<TaskRecord> {
    store.load(key).await.expect("the store reads")
}

/// The payloads of a task's entries after a sequence, each with its own.
pub(super) async fn payloads(store: &Arc<dyn Store>, key: &TaskKey) -> Vec<(u64, String)> {
    let entries = store.entries(key, 0, usize::MAX).await.expect("the store reads");
    let text = |payload: &Bytes| String::from_utf8_lossy(payload).into_owned();
    entries.iter().map(|entry| (entry.seq, text(&entry.payload))).collect()
}

/// The ids of the first thousand tasks that match, and the total.
pub(super) async fn list(
    store: &Arc<dyn Store>,
    scope: &Scope,
    filter: &TaskFilter,
) -> (Vec<String>, u64) {
    let page = store.list(scope, filter, None, 1_000).await.expect("the store lists");
    (page.tasks.iter().map(|(id, _)| id.to_string()).collect(), page.total)
}

pub(super) async fn due(store: &Arc<dyn Store>, now: Timestamp) -> Vec<OutboxRow> {
    store.due("agent", now, 100).await.expect("the store reads").0
}

/// Webhook, sequence and body of what is due.
pub(super) fn lines(rows: &[OutboxRow]) -> Vec<(&str, u64, &str)> {
    let body = |row: &OutboxRow| std::str::from_utf8(&row.body).map(str::len).is_ok();
    assert!(rows.iter().all(body), "bodies are the payloads");
    rows.iter()
        .map(|row| (&*row.push.id, row.seq, std::str::from_utf8(&row.body).unwrap_or_default()))
        .collect()
}

/// Sweeps with a fold that joins the payloads by `+`; returns how many tasks were deleted.
pub(super) async fn sweep(store: &Arc<dyn Store>, now: Timestamp) -> u64 {
    store
        .sweep(now, &|_, snapshot, entries| {
            let snapshot = snapshot.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let payload = |bytes: &Bytes| String::from_utf8_lossy(bytes).into_owned();
            let payloads = entries.iter().map(|entry| payload(&entry.payload));
            Ok(snapshot.into_iter().chain(payloads).collect::<Vec<_>>().join("+").into())
        })
        .await
        .expect("the store sweeps")
}
