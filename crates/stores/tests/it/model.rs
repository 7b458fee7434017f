//! Random operations on both stores: whatever is done, they answer alike.

use crate::actors::{Outcome, append, at};
use sabir_engine::store::{
    Append, Condition, IdempotencyKey, IdempotencyRecord, NewEntry, OutboxRow, PushRow, Retention,
    RowChange, Scope, Settled, Store, TaskFilter, TaskKey,
};
use sabir_engine::{EntryKind, LogEntry, MemoryStore};
use sabir_stores::{SqliteOptions, SqliteStore, Synchronous};
use sabir_types::{ContextId, MessageId, ProtoEnum, TaskId, TaskState, Timestamp, Version};
use std::fmt::Debug;
use std::sync::Arc;

/// Enough to age tasks and records in a few hundred steps.
fn retention() -> Retention {
    Retention {
        tasks: usize::MAX,
        bytes: u64::MAX,
        finished_secs: 40,
        waiting_secs: 60,
        resume_secs: 10,
        messages: usize::MAX,
    }
}

/// xorshift64*: the same numbers for a seed, everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    }

    fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

struct Pair {
    memory: Arc<dyn Store>,
    sqlite: Arc<dyn Store>,
    random: Random,
    /// Seconds that have passed.
    now: i64,
    /// Those whose tasks were deleted are replaced: an id is not used again.
    keys: Vec<TaskKey>,
    made: u64,
    trace: Vec<String>,
}

impl Pair {
    fn new(seed: u64, sqlite: SqliteStore) -> Self {
        let mut pair = Self {
            memory: Arc::new(MemoryStore::new(retention())),
            sqlite: Arc::new(sqlite),
            random: Random(seed),
            now: 0,
            keys: Vec::new(),
            made: 0,
            trace: Vec::new(),
        };
        pair.keys = (0..6).map(|_| pair.next_key()).collect();
        pair
    }

    fn next_key(&mut self) -> TaskKey {
        self.made += 1;
        let owner = ["", "alice", "bob"][self.made as usize % 3];
        let agent = ["agent", "other"][self.made as usize % 2];
        let scope = Scope::new(agent, "", owner);
        // The same ids in several scopes.
        TaskKey { scope, id: TaskId::new((self.made / 4).to_string()) }
    }

    fn same<T: PartialEq + Debug>(&self, what: &str, memory: &T, sqlite: &T) {
        let steps = self.trace.join("\n");
        assert_eq!(memory, sqlite, "memory and SQLite differ in {what} after\n{steps}");
    }

    fn time(&mut self) -> Timestamp {
        let jitter = self.random.below(3_000) as i64;
        at(self.now * 1_000 + jitter)
    }

    async fn step(&mut self) {
        self.now += self.random.below(3) as i64;
        let key = self.random.pick(&self.keys);
        match self.random.below(14) {
            0 => self.put_push(&key).await,
            1 => self.delete_push(&key).await,
            2 | 3 => self.deliver(&key).await,
            4 => self.snapshot(&key).await,
            5 if self.random.one_in(4) => self.sweep().await,
            _ => self.append(&key).await,
        }
        self.compare(&key).await;
    }

    async fn append(&mut self, key: &TaskKey) {
        let change = self.change(key).await;
        self.trace.push(format!("{change:?}"));
        let outcome = |outcome: Outcome| format!("{outcome:?}");
        let memory = outcome(append(&*self.memory, change.clone()).await);
        let sqlite = outcome(append(&*self.sqlite, change).await);
        self.same("an outcome", &memory, &sqlite);
    }

    async fn change(&mut self, key: &TaskKey) -> Append {
        let row = self.memory.load(key).await.unwrap().map(|record| record.row);
        let (epoch, turn, ordinal) =
            row.as_ref().map_or((1, 1, 1), |row| (row.epoch, row.turn, row.ordinal + 1));
        let off = u64::from(self.random.one_in(8));
        let condition = match self.random.below(6) {
            _ if row.is_none() => {
                Condition::New { context_id: ContextId::new(self.random.pick(&["one", "two"])) }
            }
            0 => Condition::Command { turn_closed: false },
            1 => Condition::Command { turn_closed: true },
            2 if self.random.one_in(3) => Condition::New { context_id: ContextId::new("x") },
            3 => Condition::Worker { epoch: epoch + off, turn, ordinal },
            4 => Condition::Worker { epoch, turn, ordinal: (ordinal + off).saturating_sub(1) },
            _ => Condition::Worker { epoch, turn, ordinal },
        };
        let entries = (0..self.random.below(4)).map(|_| self.entry(turn)).collect();
        Append {
            key: key.clone(),
            condition,
            entries,
            row: self.row(epoch, turn),
            idempotency: self.random.one_in(3).then(|| self.message(key)),
            push: self.random.one_in(10).then(|| self.webhook()),
        }
    }

    fn entry(&mut self, turn: u64) -> NewEntry {
        let kind = EntryKind::from_number(self.random.pick(&[1, 2, 2, 3, 10, 11, 12, 15, 99]));
        let turn = turn + self.random.below(2);
        let payload = "payload".repeat(self.random.below(4) as usize).into();
        NewEntry { kind, turn, at: self.time(), state: TaskState::Working, payload }
    }

    fn row(&mut self, epoch: u64, turn: u64) -> RowChange {
        let states = [1, 2, 2, 3, 5, 6, 8].map(TaskState::from_number);
        RowChange {
            status: self.random.one_in(3).then(|| (self.random.pick(&states), self.time())),
            visible: self.random.one_in(3),
            close_turn: self.random.one_in(6),
            open_turn: self
                .random
                .one_in(4)
                .then(|| (epoch + self.random.below(2), turn + self.random.below(2))),
        }
    }

    fn message(&mut self, key: &TaskKey) -> (IdempotencyKey, IdempotencyRecord) {
        let (scope, message_id) =
            (key.scope.clone(), MessageId::new(self.random.pick(&["m", "n"])));
        let content = self.random.pick(&[None, Some([1; 32])]);
        let expires = at((self.now + self.random.below(40) as i64) * 1_000);
        let digest = [self.random.below(4) as u8; 32];
        let record = IdempotencyRecord { digest, task: key.id.clone(), turn: 1, expires };
        (IdempotencyKey { scope, message_id, content }, record)
    }

    fn webhook(&mut self) -> PushRow {
        let config = self.random.below(9).to_string().into();
        let version = self.random.pick(&[Version::V1_0, Version::V0_3]);
        PushRow { id: self.random.pick(&["a", "b", "c"]).into(), config, version }
    }

    async fn put_push(&mut self, key: &TaskKey) {
        let (push, limit) = (self.webhook(), self.random.below(4) as usize);
        self.trace.push(format!("put {push:?} of {key:?}, at most {limit}"));
        let memory = self.memory.put_push(key, push.clone(), limit).await.unwrap();
        let sqlite = self.sqlite.put_push(key, push, limit).await.unwrap();
        self.same("a webhook", &memory, &sqlite);
    }

    async fn delete_push(&mut self, key: &TaskKey) {
        let id = self.random.pick(&["a", "b", "c"]);
        self.trace.push(format!("delete {id} of {key:?}"));
        let memory = self.memory.delete_push(key, id).await.unwrap();
        let sqlite = self.sqlite.delete_push(key, id).await.unwrap();
        self.same("a deleted webhook", &memory, &sqlite);
    }

    async fn deliver(&mut self, key: &TaskKey) {
        let now = at(self.now * 1_000);
        let rows = due(&*self.memory, &key.scope.agent, now).await.0;
        if rows.is_empty() {
            return;
        }
        let row = self.random.pick(&rows);
        let retry = Settled::Retry(at((self.now + self.random.below(20) as i64) * 1_000));
        let settled = self.random.pick(&[Settled::Delivered, Settled::Dead("x".into()), retry]);
        self.trace.push(format!("settle {row:?} {settled:?}"));
        self.memory.settle(&row, settled.clone()).await.unwrap();
        self.sqlite.settle(&row, settled).await.unwrap();
    }

    async fn snapshot(&mut self, key: &TaskKey) {
        let Some(record) = self.memory.load(key).await.unwrap() else { return };
        let seq = self.random.below(record.row.head + 1);
        let body = bytes::Bytes::from(format!("up to {seq}"));
        self.trace.push(format!("snapshot {key:?} {seq}"));
        self.memory.snapshot(key, seq, body.clone()).await.unwrap();
        self.sqlite.snapshot(key, seq, body).await.unwrap();
    }

    async fn sweep(&mut self) {
        let fold = |key: &TaskKey, snapshot: Option<&bytes::Bytes>, entries: &[Arc<LogEntry>]| {
            let seqs: Vec<_> = entries.iter().map(|entry| entry.seq).collect();
            Ok(format!("{key:?} {snapshot:?} {seqs:?}").into())
        };
        let now = at(self.now * 1_000);
        self.trace.push(format!("sweep {now}"));
        let memory = self.memory.sweep(now, &fold).await.unwrap();
        let sqlite = self.sqlite.sweep(now, &fold).await.unwrap();
        self.same("a sweep", &memory, &sqlite);
        for number in 0..self.keys.len() {
            let key = self.keys[number].clone();
            self.compare(&key).await;
            if self.memory.load(&key).await.unwrap().is_none() {
                self.keys[number] = self.next_key();
            }
        }
    }

    async fn compare(&mut self, key: &TaskKey) {
        let (memory, sqlite) = (Arc::clone(&self.memory), Arc::clone(&self.sqlite));
        self.same("a row", &memory.load(key).await.unwrap(), &sqlite.load(key).await.unwrap());
        let (after, limit) = (self.random.below(10), self.random.below(10) as usize);
        let of_memory = memory.entries(key, after, limit).await.unwrap();
        let of_sqlite = sqlite.entries(key, after, limit).await.unwrap();
        self.same("entries", &of_memory, &of_sqlite);
        let of_memory = memory.pushes(key).await.unwrap();
        self.same("webhooks", &of_memory, &sqlite.pushes(key).await.unwrap());
        let (message, now) = (self.message(key).0, self.time());
        let of_memory = memory.find_message(&message, now).await.unwrap();
        self.same("a record", &of_memory, &sqlite.find_message(&message, now).await.unwrap());
        let agent = &*key.scope.agent;
        let of_memory = due(&*memory, agent, now).await;
        self.same("the outbox", &of_memory, &due(&*sqlite, agent, now).await);
        let of_memory = unfinished(&*memory, agent).await;
        self.same("what is unfinished", &of_memory, &unfinished(&*sqlite, agent).await);
        self.compare_lists(key).await;
    }

    async fn compare_lists(&mut self, key: &TaskKey) {
        let states = [TaskState::Working, TaskState::Completed, TaskState::InputRequired];
        let filter = TaskFilter {
            context_id: self.random.one_in(2).then(|| ContextId::new("one")),
            state: self.random.one_in(2).then(|| self.random.pick(&states)),
            since: self.random.one_in(3).then(|| self.time()),
        };
        let after = (self.time(), key.id.clone());
        let after = self.random.one_in(2).then_some(&after);
        let limit = self.random.below(4) as usize;
        let memory = self.memory.list(&key.scope, &filter, after, limit).await.unwrap();
        let sqlite = self.sqlite.list(&key.scope, &filter, after, limit).await.unwrap();
        self.same("a list", &(memory.tasks, memory.total), &(sqlite.tasks, sqlite.total));
    }
}

/// In an order of its own: that of queues that are due at the same moment does not matter.
async fn due(
    store: &dyn Store,
    agent: &str,
    now: Timestamp,
) -> (Vec<OutboxRow>, Option<Timestamp>) {
    let (mut rows, next) = store.due(agent, now, 100).await.unwrap();
    rows.sort_by_key(|row| format!("{row:?}"));
    (rows, next)
}

async fn unfinished(store: &dyn Store, agent: &str) -> Vec<String> {
    let keys = store.unfinished(agent).await.unwrap();
    let mut keys: Vec<_> = keys.iter().map(|key| format!("{key:?}")).collect();
    keys.sort();
    keys
}

/// `SABIR_TEST_SEEDS` says how often; each seed is another sequence, the same on every machine.
#[tokio::test]
async fn memory_and_sqlite_answer_alike() {
    let dir = tempfile::tempdir().unwrap();
    let seeds = std::env::var("SABIR_TEST_SEEDS").map_or(12, |seeds| seeds.parse().unwrap());
    for seed in 1..=seeds {
        let options = SqliteOptions {
            retention: retention(),
            synchronous: Synchronous::Normal,
            ..SqliteOptions::default()
        };
        let sqlite = SqliteStore::open(dir.path().join(seed.to_string()), options).unwrap();
        let mut pair = Pair::new(u64::wrapping_mul(seed, 0x9e37_79b9_7f4a_7c15), sqlite);
        for _ in 0..150 {
            pair.step().await;
        }
    }
}
