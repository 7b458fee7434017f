//! Measures how fast tasks are written: `cargo run --release -p sabir-stores --example append_rate`.
//!
//! Each of 16 writers makes a task (two entries, an idempotency record), waits for the commit,
//! writes its burst (four entries, the end), waits again, and goes on with the next. Beside the
//! rates it prints the processor time of the whole process; arguments are a directory (a temporary
//! one otherwise) and the seconds of each run.

use sabir_engine::EntryKind;
use sabir_engine::store::{
    Append, Condition, IdempotencyKey, IdempotencyRecord, LogStore, NewEntry, RowChange, Scope,
    TaskKey,
};
use sabir_stores::{SqliteOptions, SqliteStore, Synchronous};
use sabir_types::{ContextId, MessageId, TaskId, TaskState, Timestamp};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

const WRITERS: u64 = 16;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let temporary = tempfile::tempdir()?;
    let dir = arguments.next().map_or_else(|| temporary.path().to_path_buf(), PathBuf::from);
    let seconds = arguments.next().map_or(Ok(5), |seconds| seconds.parse())?;
    println!("mode    tasks/s  appends/s  appends/commit  cpu us/task");
    for (name, synchronous) in [("FULL", Synchronous::Full), ("NORMAL", Synchronous::Normal)] {
        let options = SqliteOptions { synchronous, ..SqliteOptions::default() };
        let store = Arc::new(SqliteStore::open_in(dir.join(name), options)?);
        let (before, start) = (cpu(), Instant::now());
        let end = start + Duration::from_secs(seconds);
        let writers =
            (0..WRITERS).map(|writer| tokio::spawn(write(Arc::clone(&store), writer, end)));
        let mut tasks = 0;
        for writer in writers.collect::<Vec<_>>() {
            tasks += writer.await?;
        }
        let rate = tasks as f64 / start.elapsed().as_secs_f64();
        let group = (2 * tasks) as f64 / store.commits() as f64;
        let cpu = (cpu() - before).as_micros() as f64 / tasks as f64;
        println!("{name:7} {rate:7.0} {:10.0} {group:15.1} {cpu:12.1}", 2.0 * rate);
    }
    Ok(())
}

/// Makes tasks until the end; returns how many.
async fn write(store: Arc<SqliteStore>, writer: u64, end: Instant) -> u64 {
    let mut tasks = 0;
    while Instant::now() < end {
        let now = Timestamp::now();
        let number = (tasks << 8) + writer;
        let key = TaskKey { scope: scope(), id: TaskId::new(id(now, number)) };
        append(&store, accepted(&key, now, number)).await;
        append(&store, burst(&key, now)).await;
        tasks += 1;
    }
    tasks
}

async fn append(store: &SqliteStore, append: Append) {
    let (done, outcome) = oneshot::channel();
    store.append(append, Box::new(move |result| drop(done.send(result))));
    outcome.await.expect("done is called").expect("the append is taken");
}

fn scope() -> Scope {
    Scope::new("echo", "", "")
}

/// As UUIDv7 are: in the order of their times.
fn id(now: Timestamp, number: u64) -> String {
    let millis = now.as_millis();
    format!("{:08x}-{:04x}-7000-8000-{number:012x}", millis >> 16, millis & 0xffff)
}

/// As random as the ids that clients make.
fn random_id(number: u64) -> String {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    format!("{:016x}-{:016x}", mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9), mixed)
}

fn accepted(key: &TaskKey, now: Timestamp, number: u64) -> Append {
    let message_id = MessageId::new(random_id(number));
    let record = IdempotencyRecord {
        digest: [1; 32],
        task: key.id.clone(),
        turn: 1,
        expires: Timestamp::from_millis(now.as_millis() + 600_000),
    };
    let content = Some([1; 32]);
    let message = IdempotencyKey { scope: key.scope.clone(), message_id, content };
    Append {
        key: key.clone(),
        condition: Condition::New { context_id: ContextId::new(id(now, number + (1 << 40))) },
        entries: vec![entry(EntryKind::Accepted, now, 300), entry(EntryKind::TurnStarted, now, 2)],
        row: RowChange { open_turn: Some((1, 1)), ..RowChange::default() },
        idempotency: Some((message, record)),
        push: None,
    }
}

fn burst(key: &TaskKey, now: Timestamp) -> Append {
    Append {
        key: key.clone(),
        condition: Condition::Worker { epoch: 1, turn: 1, ordinal: 1 },
        entries: vec![
            entry(EntryKind::Status, now, 200),
            entry(EntryKind::Artifact, now, 250),
            entry(EntryKind::Status, now, 200),
            entry(EntryKind::TurnEnded, now, 2),
        ],
        row: RowChange {
            status: Some((TaskState::Completed, now)),
            visible: true,
            close_turn: true,
            ..RowChange::default()
        },
        idempotency: None,
        push: None,
    }
}

fn entry(kind: EntryKind, at: Timestamp, size: usize) -> NewEntry {
    let state = if kind == EntryKind::Status { TaskState::Completed } else { TaskState::default() };
    NewEntry { kind, turn: 1, at, state, payload: vec![b'x'; size].into() }
}

/// Processor time of this process so far; nothing where the system does not tell.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok();
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = threads.map(|thread| std::fs::read_to_string(thread.path().join("schedstat")));
    let first = |text: String| text.split(' ').next().and_then(|nanos| nanos.parse::<u64>().ok());
    let sum: u64 = times.flatten().filter_map(first).sum();
    Duration::from_nanos(if stat.is_some() { sum } else { 0 })
}
