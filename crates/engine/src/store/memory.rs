//! A store in memory, for tests and throw-away servers: it ends with its process.
//!
//! Everything stands under one lock, which an append holds for a microsecond or two.
//! Reads of things that do not exist create nothing, and everything that grows is bounded by the
//! [`Retention`] or shrinks in [`sweep`](IndexStore::sweep), except what runs, waits for a caller
//! or waits to be delivered. Dead letters are forgotten at once: nothing can read them here.

mod aged;
mod arena;
mod entries;
mod inner;
mod listing;
mod messages;
mod outbox;
mod tasks;

use super::{
    Append, Done, Fold, IdempotencyKey, IdempotencyRecord, IndexStore, LogStore, OutboxRow,
    PushRow, PushStore, Retention, Scope, Settled, StoreError, TaskFilter, TaskKey, TaskPage,
    TaskRecord,
};
use crate::log::LogEntry;
use async_trait::async_trait;
use bytes::Bytes;
use crossbeam_utils::CachePadded;
use inner::{Evicted, Inner, Unfolded};
use parking_lot::{Mutex, MutexGuard};
use sabir_types::{TaskId, Timestamp};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many appends can be telling their outcomes at a time.
const ORDER: usize = 128;
/// How often the lock is tried before its holder is waited for.
const SPINS: usize = 256;
/// How much a sweep does before it lets others have the lock.
const STEP: usize = 128;

/// Keeps tasks in memory.
pub struct MemoryStore {
    retention: Retention,
    epoch: AtomicU64,
    /// Held by an append until its outcome is told, one for a part of the tasks each: the outcomes
    /// of one task are told in the order of its commits, and the store is free meanwhile.
    order: [CachePadded<Mutex<()>>; ORDER],
    inner: CachePadded<Mutex<Inner>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new(retention: Retention) -> Self {
        let order = std::array::from_fn(|_| CachePadded::default());
        Self { retention, epoch: AtomicU64::new(0), order, inner: CachePadded::default() }
    }

    /// Takes the lock by trying for longer than it is held as a rule: giving the processor away
    /// for it costs more than an append.
    fn lock_soon(&self) -> MutexGuard<'_, Inner> {
        for _ in 0..SPINS {
            if let Some(inner) = self.inner.try_lock() {
                return inner;
            }
            std::hint::spin_loop();
        }
        self.inner.lock()
    }

    /// Snapshots one finished task whose resume window is over and drops its entries.
    fn compact(&self, now: Timestamp, fold: &Fold) -> Result<bool, StoreError> {
        // In a statement of its own, so that the lock is not held while the task is folded.
        let unfolded = self.inner.lock().unfolded(now, &self.retention);
        let Some(Unfolded { key, head, snapshot, entries }) = unfolded else {
            return Ok(false);
        };
        let folded = match &entries[..] {
            [] => None,
            entries => Some(fold(&key, snapshot.as_ref(), entries)?),
        };
        self.inner.lock().folded(&key, head, folded);
        Ok(true)
    }
}

/// Which part of the tasks a task belongs to; ids differ most at their end.
fn part_of(id: &TaskId) -> usize {
    let end = id.as_str().bytes().rev().take(2);
    end.fold(0, |number, byte| 7 * number + usize::from(byte)) % ORDER
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("retention", &self.retention).finish_non_exhaustive()
    }
}

#[async_trait]
impl LogStore for MemoryStore {
    async fn begin(&self) -> Result<u64, StoreError> {
        Ok(self.epoch.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn append(&self, append: Append, done: Done) {
        let message = append.idempotency.as_ref().map(|(key, _)| key.digest());
        let mut evicted = Evicted::new();
        let _order = self.order[part_of(&append.key.id)].lock();
        let outcome =
            self.lock_soon().append(append, message.as_ref(), &self.retention, &mut evicted);
        done(outcome);
        // What was evicted is freed here, outside the lock.
    }

    async fn load(&self, key: &TaskKey) -> Result<Option<TaskRecord>, StoreError> {
        Ok(self.inner.lock().task(key).map(tasks::TaskLog::record))
    }

    async fn entries(
        &self,
        key: &TaskKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<LogEntry>>, StoreError> {
        let inner = self.inner.lock();
        let entries = inner.task(key).map(|task| task.entries_after(after, limit));
        Ok(entries.unwrap_or_default())
    }

    async fn snapshot(&self, key: &TaskKey, seq: u64, snapshot: Bytes) -> Result<(), StoreError> {
        self.inner.lock().snapshot(key, seq, snapshot);
        Ok(())
    }
}

#[async_trait]
impl IndexStore for MemoryStore {
    async fn list(
        &self,
        scope: &Scope,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
        limit: usize,
    ) -> Result<TaskPage, StoreError> {
        let inner = self.inner.lock();
        Ok(inner.listing.list(&inner.tasks, scope, filter, after, limit))
    }

    async fn find_message(
        &self,
        key: &IdempotencyKey,
        now: Timestamp,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        let key = key.digest();
        let inner = self.inner.lock();
        Ok(inner.messages.get(&key).filter(|record| record.expires > now))
    }

    async fn unfinished(&self, agent: &str) -> Result<Vec<TaskKey>, StoreError> {
        Ok(self.inner.lock().unfinished(agent))
    }

    async fn sweep(&self, now: Timestamp, fold: &Fold) -> Result<u64, StoreError> {
        let mut deleted = 0;
        loop {
            let evicted = self.inner.lock().evict_aged(now, &self.retention, STEP);
            deleted += evicted.len() as u64;
            if evicted.len() < STEP {
                break;
            }
        }
        while self.inner.lock().messages.expire(now, STEP) == STEP {}
        while self.compact(now, fold)? {}
        self.inner.lock().shrink();
        Ok(deleted)
    }
}

#[async_trait]
impl PushStore for MemoryStore {
    async fn put_push(
        &self,
        key: &TaskKey,
        push: PushRow,
        limit: usize,
    ) -> Result<bool, StoreError> {
        Ok(self.inner.lock().put_push(key, push, limit))
    }

    async fn pushes(&self, key: &TaskKey) -> Result<Vec<PushRow>, StoreError> {
        Ok(self.inner.lock().task(key).map(|task| task.pushes.clone()).unwrap_or_default())
    }

    async fn delete_push(&self, key: &TaskKey, id: &str) -> Result<bool, StoreError> {
        Ok(self.inner.lock().delete_push(key, id))
    }

    async fn due(
        &self,
        agent: &str,
        now: Timestamp,
        limit: usize,
    ) -> Result<(Vec<OutboxRow>, Option<Timestamp>), StoreError> {
        Ok(self.inner.lock().outbox.due(agent, now, limit))
    }

    async fn settle(&self, row: &OutboxRow, settled: Settled) -> Result<(), StoreError> {
        self.inner.lock().outbox.settle(row, &settled);
        Ok(())
    }
}
