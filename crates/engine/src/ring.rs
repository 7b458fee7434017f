//! The newest committed events of a live task: a cache in front of the store.

use crate::agent::Event;
use crate::log::EntryKind;
use crate::store::NewEntry;
use bytes::Bytes;
use sabir_types::TaskState;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

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

/// An item as the ring keeps it: most are never read from it.
#[derive(Debug)]
struct Kept {
    seq: u64,
    turn: u64,
    kind: EntryKind,
    state: TaskState,
    payload: Bytes,
    event: OnceLock<Arc<Event>>,
}

impl Kept {
    fn item(&self) -> Item {
        let Self { seq, turn, kind, state, ref payload, ref event } = *self;
        let event = event.get_or_init(|| Arc::new(Event::from_json(Some(seq), payload.clone())));
        Item { seq, turn, kind, state, event: Arc::clone(event) }
    }
}

/// Holds every visible entry with a sequence greater than `floor`.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    floor: u64,
    bytes: usize,
    kept: VecDeque<Kept>,
}

impl Ring {
    pub(crate) fn starting_at(floor: u64) -> Self {
        Self { floor, ..Self::default() }
    }

    pub(crate) fn push(&mut self, seq: u64, entry: NewEntry) {
        let NewEntry { turn, kind, state, payload, .. } = entry;
        self.bytes += payload.len();
        self.kept.push_back(Kept { seq, turn, kind, state, payload, event: OnceLock::new() });
        while self.kept.len() > EVENTS || (self.bytes > BYTES && self.kept.len() > 1) {
            if let Some(old) = self.kept.pop_front() {
                self.bytes -= old.payload.len();
                self.floor = old.seq;
            }
        }
    }

    /// At most `limit` items after `after`, or `None` where the store has to be asked.
    pub(crate) fn after(&self, after: u64, limit: usize) -> Option<VecDeque<Item>> {
        if after < self.floor {
            return None;
        }
        let from = self.kept.partition_point(|kept| kept.seq <= after);
        Some(self.kept.range(from..).take(limit).map(Kept::item).collect())
    }
}
