//! Everything under the store's lock, and how one change passes through all of it.

use super::aged::Aged;
use super::arena::Arena;
use super::listing::Listing;
use super::messages::{Digest, Messages};
use super::outbox::Outbox;
use super::tasks::{Listed, Slot, TaskLog, Tasks};
use crate::log::LogEntry;
use crate::store::decision::{Decision, Held, Standing, cutoff, decide};
use crate::store::{Append, AppendError, Appended, NewEntry, PushRow, Retention, TaskKey};
use bytes::Bytes;
use sabir_types::Timestamp;
use std::sync::Arc;

/// Tasks that were thrown out, to be freed outside the lock.
pub(super) type Evicted = Vec<Box<TaskLog>>;

#[derive(Debug, Default)]
pub(super) struct Inner {
    pub(super) tasks: Tasks,
    pub(super) listing: Listing,
    pub(super) messages: Messages,
    pub(super) outbox: Outbox,
    aged: Aged,
    arena: Arena,
    /// Bytes of the finished tasks.
    bytes: u64,
}

/// A finished task whose entries may go, once they are folded.
pub(super) struct Unfolded {
    pub(super) key: TaskKey,
    pub(super) head: u64,
    pub(super) snapshot: Option<Bytes>,
    /// Those that the snapshot does not cover.
    pub(super) entries: Vec<Arc<LogEntry>>,
}

impl Inner {
    /// Takes an append or refuses it; what retention throws out for it goes to `evicted`.
    /// `message` is the digest of the append's idempotency key.
    pub(super) fn append(
        &mut self,
        append: Append,
        message: Option<&Digest>,
        retention: &Retention,
        evicted: &mut Evicted,
    ) -> Result<Appended, AppendError> {
        let found = self.find(&append.key);
        let held = found.and_then(|slot| self.tasks.at(slot)).map(|task| &task.held);
        let record = message.and_then(|message| self.messages.get(message));
        let decision = decide(held, record.as_ref(), &append)?;
        if decision == Decision::Repeat {
            return Ok(Appended { first: 0, outbox: false });
        }
        let (slot, first) = match found {
            Some(slot) => (slot, self.change(slot, &append)),
            None => (self.create(&append), 1),
        };
        if let (Some(message), Some((_, record))) = (message, append.idempotency) {
            let now = append.entries.first().map(|entry| entry.at).unwrap_or_default();
            self.messages.insert(*message, &record, now, retention.messages);
        }
        if let Some(push) = append.push {
            self.write_push(slot, push);
        }
        let outbox = self.write_entries(slot, first, append.entries);
        self.place(slot);
        self.evict_excess(retention, evicted);
        Ok(Appended { first, outbox })
    }

    fn find(&self, key: &TaskKey) -> Option<Slot> {
        self.tasks.find(self.listing.number(&key.scope)?, &key.id)
    }

    pub(super) fn task(&self, key: &TaskKey) -> Option<&TaskLog> {
        self.tasks.at(self.find(key)?)
    }

    fn key(&self, task: &TaskLog) -> Option<TaskKey> {
        Some(TaskKey { scope: self.listing.scope(task.scope)?.clone(), id: task.id.clone() })
    }

    fn create(&mut self, append: &Append) -> Slot {
        let scope = self.listing.enter(&append.key.scope);
        // Only an append that makes a task gets here.
        let held = Held::new(append).expect("the condition of a new task is New");
        let slot = self.tasks.insert(Box::new(TaskLog::new(append.key.id.clone(), held, scope)));
        self.listing.join(&mut self.tasks, slot);
        slot
    }

    fn change(&mut self, slot: Slot, append: &Append) -> u64 {
        self.tasks
            .at_mut(slot)
            .map_or(0, |task| task.held.apply(&append.condition, &append.entries, &append.row))
    }

    /// Writes entries and their deliveries; returns whether there are deliveries.
    fn write_entries(&mut self, slot: Slot, first: u64, entries: Vec<NewEntry>) -> bool {
        let waited_for = self.tasks.at(slot).filter(|task| !task.pushes.is_empty());
        let key = waited_for.and_then(|task| self.key(task));
        let Some(task) = self.tasks.at_mut(slot) else { return false };
        let epoch = task.held.row.epoch;
        let mut outbox = false;
        task.reserve(entries.len());
        for (seq, entry) in (first..).zip(entries) {
            if let (Some(key), true) = (&key, entry.kind.is_visible()) {
                for push in &task.pushes {
                    self.outbox.push(key, push, seq, entry.payload.clone());
                    outbox = true;
                }
            }
            task.push_entry(entry.into_entry(seq, epoch));
        }
        outbox
    }

    /// Puts a task where its row says it belongs.
    fn place(&mut self, slot: Slot) {
        let Some(task) = self.tasks.at_mut(slot) else { return };
        let row = &task.held.row;
        let standing = task.held.standing();
        let listed = if !row.visible {
            None
        } else if row.turn_open && standing == Standing::Running {
            Some(Listed::Open)
        } else {
            Some(Listed::Settled(row.status_at, row.state))
        };
        let aged = Some((standing, row.status_at));
        self.listing.place(task, slot, listed);
        if aged != task.aged {
            if let Some((standing, at)) = task.aged {
                self.aged.remove(slot, standing, at);
            }
            self.aged.add(slot, standing, task.held.row.status_at);
            task.aged = aged;
        }
        if standing == Standing::Finished {
            task.shrink(&mut self.arena);
        }
        self.recount(slot);
    }

    /// Counts the bytes of a finished task as they are now.
    fn recount(&mut self, slot: Slot) {
        let Some(task) = self.tasks.at_mut(slot) else { return };
        let is_finished = matches!(task.aged, Some((Standing::Finished, _)));
        let counted = if is_finished { task.bytes } else { 0 };
        self.bytes = self.bytes + counted - task.counted;
        task.counted = counted;
    }

    fn evict_excess(&mut self, retention: &Retention, evicted: &mut Evicted) {
        while self.aged.finished() > retention.tasks
            || (self.bytes > retention.bytes && self.aged.finished() > 1)
        {
            let Some((_, slot)) = self.aged.oldest_finished() else { return };
            evicted.extend(self.evict(slot));
        }
    }

    fn evict(&mut self, slot: Slot) -> Option<Box<TaskLog>> {
        let mut task = self.tasks.remove(slot)?;
        self.listing.place(&mut task, slot, None);
        self.listing.leave(&task, slot);
        if let Some((standing, at)) = task.aged {
            self.aged.remove(slot, standing, at);
        }
        self.bytes -= task.counted;
        Some(task)
    }

    /// Takes out at most `step` tasks that are too old.
    pub(super) fn evict_aged(
        &mut self,
        now: Timestamp,
        retention: &Retention,
        step: usize,
    ) -> Evicted {
        let finished = cutoff(now, retention.finished_secs);
        let waiting = cutoff(now, retention.waiting_secs);
        let mut evicted = Evicted::new();
        while evicted.len() < step {
            let oldest = self.aged.oldest_finished().filter(|(at, _)| *at <= finished);
            let oldest =
                oldest.or_else(|| self.aged.oldest_waiting().filter(|(at, _)| *at <= waiting));
            let Some((_, slot)) = oldest else { break };
            evicted.extend(self.evict(slot));
        }
        evicted
    }

    /// The oldest finished task that still has its entries though its resume window is over.
    pub(super) fn unfolded(&self, now: Timestamp, retention: &Retention) -> Option<Unfolded> {
        let (at, slot) = self.aged.oldest_uncompacted()?;
        let task = self.tasks.at(slot).filter(|_| at <= cutoff(now, retention.resume_secs))?;
        let (covered, snapshot) = match task.snapshot() {
            Some((seq, snapshot)) => (*seq, Some(snapshot.clone())),
            None => (0, None),
        };
        let entries = task.entries_after(covered, usize::MAX);
        Some(Unfolded { key: self.key(task)?, head: task.held.row.head, snapshot, entries })
    }

    /// Drops the entries of a task up to `head`, unless something happened to it meanwhile.
    pub(super) fn folded(&mut self, key: &TaskKey, head: u64, folded: Option<Bytes>) {
        let Some(slot) = self.find(key) else { return };
        let Some(task) = self.tasks.at_mut(slot).filter(|task| task.held.row.head == head) else {
            return;
        };
        if let Some(folded) = folded {
            task.set_snapshot(head, folded);
        }
        if let Some((Standing::Finished, at)) = task.aged {
            task.drop_entries();
            self.aged.compacted(slot, at);
        }
        self.recount(slot);
    }

    pub(super) fn snapshot(&mut self, key: &TaskKey, seq: u64, snapshot: Bytes) {
        let Some(slot) = self.find(key) else { return };
        if let Some(task) = self.tasks.at_mut(slot) {
            task.set_snapshot(seq, snapshot);
        }
        self.recount(slot);
    }

    pub(super) fn unfinished(&self, agent: &str) -> Vec<TaskKey> {
        let running = self.tasks.iter().filter(|task| task.held.standing() == Standing::Running);
        let keys = running.filter_map(|task| self.key(task));
        keys.filter(|key| *key.scope.agent == *agent).collect()
    }

    fn write_push(&mut self, slot: Slot, push: PushRow) {
        let Some(key) = self.tasks.at(slot).and_then(|task| self.key(task)) else { return };
        let Some(task) = self.tasks.at_mut(slot) else { return };
        match task.pushes.binary_search_by(|other| other.id.cmp(&push.id)) {
            Ok(at) => {
                self.outbox.replace(&key, &push);
                task.pushes[at] = push;
            }
            Err(at) => task.pushes.insert(at, push),
        }
    }

    pub(super) fn put_push(&mut self, key: &TaskKey, push: PushRow, limit: usize) -> bool {
        let Some(slot) = self.find(key) else { return false };
        let is_allowed = self.tasks.at(slot).is_some_and(|task| {
            task.pushes.len() < limit || task.pushes.iter().any(|other| other.id == push.id)
        });
        if is_allowed {
            self.write_push(slot, push);
        }
        is_allowed
    }

    pub(super) fn delete_push(&mut self, key: &TaskKey, id: &str) -> bool {
        let Some(slot) = self.find(key) else { return false };
        let Some(task) = self.tasks.at_mut(slot) else { return false };
        let Some(at) = task.pushes.iter().position(|push| *push.id == *id) else { return false };
        task.pushes.remove(at);
        self.outbox.delete(key, id);
        true
    }

    /// Gives back what a flood left behind.
    pub(super) fn shrink(&mut self) {
        self.tasks.shrink();
        self.listing.shrink(&self.tasks);
        self.messages.shrink();
        self.outbox.shrink();
    }
}
