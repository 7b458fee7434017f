//! The logs themselves, found by key or by slot.

use super::entries::Entries;
use crate::log::LogEntry;
use crate::store::decision::{Held, Standing};
use crate::store::{PushRow, TaskKey, TaskRecord};
use bytes::Bytes;
use sabir_types::{TaskId, TaskState, Timestamp};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;

/// A map by ids. Its hash is seeded, because some ids are of the callers' making, and quick.
pub(super) type Map<K, V> = HashMap<K, V, foldhash::quality::RandomState>;

/// Where a task stands among the tasks, for as long as it lives.
pub(super) type Slot = u32;

/// What an entry takes besides its payload, roughly.
const ENTRY: u64 = 120;

/// One task.
#[derive(Debug)]
pub(super) struct TaskLog {
    pub(super) key: TaskKey,
    pub(super) held: Held,
    /// Sorted by id.
    pub(super) pushes: Vec<PushRow>,
    /// The number of the scope in the listing.
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
    /// The next task with the same id, in another scope.
    twin: Option<Slot>,
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
    pub(super) fn new(key: TaskKey, held: Held, scope: u32) -> Self {
        Self {
            key,
            held,
            pushes: Vec::new(),
            scope,
            listed: None,
            aged: None,
            bytes: 0,
            counted: 0,
            entries: Entries::default(),
            snapshot: None,
            twin: None,
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
    pub(super) fn shrink(&mut self) {
        self.entries.shrink();
    }
}

/// All tasks.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    // Boxed, so that an empty slot is small: the slots of a flood stay.
    slots: Vec<Option<Box<TaskLog>>>,
    free: Vec<Slot>,
    by_id: Map<TaskId, Slot>,
}

impl Tasks {
    pub(super) fn find(&self, key: &TaskKey) -> Option<Slot> {
        let mut next = self.by_id.get(&key.id).copied();
        while let Some(slot) = next {
            let task = self.at(slot)?;
            if task.key.scope == key.scope {
                return Some(slot);
            }
            next = task.twin;
        }
        None
    }

    pub(super) fn get(&self, key: &TaskKey) -> Option<&TaskLog> {
        self.at(self.find(key)?)
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
        task.twin = self.by_id.insert(task.key.id.clone(), slot);
        self.slots[slot as usize] = Some(task);
        slot
    }

    pub(super) fn remove(&mut self, slot: Slot) -> Option<Box<TaskLog>> {
        let task = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        match self.by_id.entry(task.key.id.clone()) {
            Entry::Occupied(mut first) if *first.get() == slot => match task.twin {
                Some(twin) => drop(first.insert(twin)),
                None => drop(first.remove()),
            },
            Entry::Occupied(_) | Entry::Vacant(_) => self.unlink(&task, slot),
        }
        Some(task)
    }

    fn unlink(&mut self, task: &TaskLog, slot: Slot) {
        let mut next = self.by_id.get(&task.key.id).copied();
        while let Some(other) = next.and_then(|slot| self.slots[slot as usize].as_deref_mut()) {
            if other.twin == Some(slot) {
                other.twin = task.twin;
            }
            next = other.twin;
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TaskLog> {
        self.slots.iter().filter_map(|task| task.as_deref())
    }

    /// Gives back what a flood left behind.
    pub(super) fn shrink(&mut self) {
        shrink_map(&mut self.by_id);
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
pub(super) fn shrink_map<K: Eq + Hash, V>(map: &mut Map<K, V>) {
    if map.capacity() > 1_024 + 4 * map.len() {
        map.shrink_to(2 * map.len());
    }
}
