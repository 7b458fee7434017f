//! Tasks that retention may delete, by the time of their last status.

use super::tasks::Slot;
use crate::store::decision::Standing;
use sabir_types::Timestamp;
use std::collections::BTreeSet;

/// Who waits, and who has finished with and without entries. Who runs is not here.
#[derive(Debug, Default)]
pub(super) struct Aged {
    waiting: BTreeSet<(Timestamp, Slot)>,
    finished: BTreeSet<(Timestamp, Slot)>,
    compacted: BTreeSet<(Timestamp, Slot)>,
}

impl Aged {
    pub(super) fn add(&mut self, slot: Slot, standing: Standing, at: Timestamp) {
        match standing {
            Standing::Running => {}
            Standing::Waiting => {
                self.waiting.insert((at, slot));
            }
            Standing::Finished => {
                self.finished.insert((at, slot));
            }
        }
    }

    pub(super) fn remove(&mut self, slot: Slot, standing: Standing, at: Timestamp) {
        match standing {
            Standing::Running => {}
            Standing::Waiting => {
                self.waiting.remove(&(at, slot));
            }
            Standing::Finished => {
                if !self.finished.remove(&(at, slot)) {
                    self.compacted.remove(&(at, slot));
                }
            }
        }
    }

    /// The entries of a finished task are gone.
    pub(super) fn compacted(&mut self, slot: Slot, at: Timestamp) {
        if self.finished.remove(&(at, slot)) {
            self.compacted.insert((at, slot));
        }
    }

    pub(super) fn finished(&self) -> usize {
        self.finished.len() + self.compacted.len()
    }

    pub(super) fn oldest_waiting(&self) -> Option<(Timestamp, Slot)> {
        self.waiting.first().copied()
    }

    pub(super) fn oldest_finished(&self) -> Option<(Timestamp, Slot)> {
        match (self.compacted.first(), self.finished.first()) {
            (Some(a), Some(b)) => Some(*a.min(b)),
            (a, b) => a.or(b).copied(),
        }
    }

    pub(super) fn oldest_uncompacted(&self) -> Option<(Timestamp, Slot)> {
        self.finished.first().copied()
    }
}
