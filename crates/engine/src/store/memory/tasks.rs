//! The logs themselves, found by key or by slot.

use super::arena::Arena;
use super::entries::Entries;
use crate::log::LogEntry;
use crate::store::decision::{Held, Standing};
use crate::store::{PushRow, TaskRecord};
use bytes::Bytes;
use hashbrown::HashTable;
use sabir_types::{TaskId, TaskState, Timestamp};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

/// Hashes ids: seeded, because some of them are of the callers' making, and quick.
pub(super) type RandomState = foldhash::quality::RandomState;

/// A map by ids.
pub(super) type Map<K, V> = HashMap<K, V, RandomState>;

/// Where a task stands among the tasks, for as long as it lives.
pub(super) type Slot = u32;

/// What an entry takes besides its payload, roughly.
const ENTRY: u64 = 120;

/// One task.
#[derive(Debug)]
pub(super) struct TaskLog {
    pub(super) id: TaskId,
    pub(super) held: Held,
    /// Sorted by id.
    pub(super) pushes: Vec<PushRow>,
    /// The number of the scope in the listing. Not the scope itself, whose count of holders all
    /// threads would write.
    pub(super) scope: u32,
    /// Where the listing has it.
    pub(super) listed: Option<Listed>,
    /// Where retention has it.
    pub(super) aged: Option<(Standing, Timestamp)>,
    /// What it takes, for the retention.
    pub(super) bytes: u64,
    /// What of it stands in the sum of the finished tasks.
    pub(super) counted: u64,
    /// The last ones up to the head, without a gap.
    entries: Entries,
    snapshot: Option<(u64, Bytes)>,
    /// The hash of its id, and that of its context in the listing: a task that nobody asks for
    /// is taken out without looking at its texts, which are in no cache of the processor.
    id_hash: u64,
    pub(super) context_hash: u64,
}

/// Where a visible task is found when tasks are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    /// Its status may change at any moment and is read from the row.
    Open,
    /// By the status it had when its turn ended.
    Settled(Timestamp, TaskState),
}

impl TaskLog {
    pub(super) fn new(id: TaskId, held: Held, scope: u32) -> Self {
        Self {
            id,
            held,
            pushes: Vec::new(),
            scope,
            listed: None,
            aged: None,
            bytes: 0,
            counted: 0,
            entries: Entries::default(),
            snapshot: None,
            id_hash: 0,
            context_hash: 0,
        }
    }

    pub(super) fn record(&self) -> TaskRecord {
        let first = self.held.row.head + 1 - self.entries.len() as u64;
        TaskRecord { row: self.held.row.clone(), snapshot: self.snapshot.clone(), first }
    }

    pub(super) fn push_entry(&mut self, entry: LogEntry) {
        self.bytes += entry.payload.len() as u64 + ENTRY;
        self.entries.push(entry);
    }

    pub(super) fn reserve(&mut self, entries: usize) {
        self.entries.reserve(entries);
    }

    /// At most `limit` entries after a sequence.
    pub(super) fn entries_after(&self, after: u64, limit: usize) -> Vec<Arc<LogEntry>> {
        let before_kept = self.held.row.head - self.entries.len() as u64;
        let skip = usize::try_from(after.saturating_sub(before_kept)).unwrap_or(usize::MAX);
        self.entries.page(skip, limit)
    }

    pub(super) fn drop_entries(&mut self) {
        self.bytes -= self.entries.payload_bytes() + ENTRY * self.entries.len() as u64;
        self.entries = Entries::default();
    }

    pub(super) fn snapshot(&self) -> Option<&(u64, Bytes)> {
        self.snapshot.as_ref()
    }

    pub(super) fn set_snapshot(&mut self, seq: u64, snapshot: Bytes) {
        if self.snapshot.as_ref().is_some_and(|(kept, _)| *kept > seq) {
            return;
        }
        self.bytes += snapshot.len() as u64;
        let before = self.snapshot.replace((seq, snapshot));
        self.bytes -= before.map_or(0, |(_, before)| before.len() as u64);
    }

    /// Gives back what the log grew by in advance, once nothing is expected to follow.
    pub(super) fn shrink(&mut self, arena: &mut Arena) {
        self.entries.shrink(arena);
    }
}

/// All tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    // Boxed, so that an empty slot is small: the slots of a flood stay.
    slots: Vec<Option<Box<TaskLog>>>,
    free: Vec<Slot>,
    /// By the hash of the id. Tasks of several scopes may have the same one.
    by_id: HashTable<Slot>,
    hashes: RandomState,
}

impl Tasks {
    pub(super) fn find(&self, scope: u32, id: &TaskId) -> Option<Slot> {
        let is_it =
            |slot: &Slot| self.at(*slot).is_some_and(|task| task.scope == scope && task.id == *id);
        self.by_id.find(self.hashes.hash_one(id), is_it).copied()
    }

    pub(super) fn at(&self, slot: Slot) -> Option<&TaskLog> {
        self.slots.get(slot as usize)?.as_deref()
    }

    pub(super) fn at_mut(&mut self, slot: Slot) -> Option<&mut TaskLog> {
        self.slots.get_mut(slot as usize)?.as_deref_mut()
    }

    pub(super) fn insert(&mut self, mut task: Box<TaskLog>) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            // Four billion tasks do not fit into memory.
            (self.slots.len() - 1) as Slot
        });
        let hash = self.hashes.hash_one(&task.id);
        task.id_hash = hash;
        self.slots[slot as usize] = Some(task);
        let Self { slots, by_id, .. } = self;
        by_id.insert_unique(hash, slot, |slot| id_hash(slots, *slot));
        slot
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Option<Box<TaskLog>> {
        let task = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        if let Ok(found) = self.by_id.find_entry(task.id_hash, |other| *other == slot) {
            found.remove();
        }
        Some(task)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TaskLog> {
        self.slots.iter().filter_map(|task| task.as_deref())
    }

    /// Gives back what a flood left behind.
    pub(super) fn shrink(&mut self) {
        let Self { slots, by_id, .. } = self;
        shrink_table(by_id, |slot| id_hash(slots, *slot));
        if self.free.len() > 1_024 + 3 * self.by_id.len() {
            while self.slots.last().is_some_and(Option::is_none) {
                self.slots.pop();
            }
            let slots = self.slots.len();
            self.free.retain(|slot| (*slot as usize) < slots);
            self.free.shrink_to(slots);
            self.slots.shrink_to(2 * slots);
        }
    }
}

/// Gives back a map's memory when most of it is unused.
fn id_hash(slots: &[Option<Box<TaskLog>>], slot: Slot) -> u64 {
    slots[slot as usize].as_ref().map_or(0, |task| task.id_hash)
}

/// Gives back most of what a map has to spare. A table gives back likewise.
pub(super) fn shrink_map<K: Eq + Hash, V>(map: &mut Map<K, V>) {
    if map.capacity() > 1_024 + 4 * map.len() {
        map.shrink_to(2 * map.len());
    }
}

pub(super) fn shrink_table<T>(table: &mut HashTable<T>, hash: impl Fn(&T) -> u64) {
    if table.capacity() > 1_024 + 4 * table.len() {
        table.shrink_to(2 * table.len(), hash);
    }
}
