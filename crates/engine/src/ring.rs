//! The newest committed events of a live task: a cache in front of the store.

use crate::agent::Event;
use crate::log::EntryKind;
use sabir_types::TaskState;
use std::collections::VecDeque;
use std::sync::Arc;

/// Events kept per live task at most.
const EVENTS: usize = 1_024;
/// Bytes of events kept per live task at most.
const BYTES: usize = 1 << 20;

/// A committed, wire-visible entry.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) seq: u64,
    pub(crate) turn: u64,
    pub(crate) kind: EntryKind,
    pub(crate) state: TaskState,
    pub(crate) event: Arc<Event>,
}

/// Holds every visible entry with a sequence greater than `floor`.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    floor: u64,
    bytes: usize,
    items: VecDeque<Item>,
}

impl Ring {
    pub(crate) fn starting_at(floor: u64) -> Self {
        Self { floor, ..Self::default() }
    }

    pub(crate) fn push(&mut self, item: Item) {
        self.bytes += item.event.json().len();
        self.items.push_back(item);
        while self.items.len() > EVENTS || (self.bytes > BYTES && self.items.len() > 1) {
            if let Some(old) = self.items.pop_front() {
                self.bytes -= old.event.json().len();
                self.floor = old.seq;
            }
        }
    }

    /// At most `limit` items after `after`, or `None` where the store has to be asked.
    pub(crate) fn after(&self, after: u64, limit: usize) -> Option<VecDeque<Item>> {
        if after < self.floor {
            return None;
        }
        let from = self.items.partition_point(|item| item.seq <= after);
        Some(self.items.range(from..).take(limit).cloned().collect())
    }
}
