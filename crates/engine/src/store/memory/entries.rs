//! The entries of a log: one by one while it grows, in one piece once it is finished.

use super::arena::Arena;
use crate::log::{EntryKind, LogEntry};
use bytes::{Buf, BufMut, Bytes};
use sabir_types::wire::ProtoEnum;
use sabir_types::{TaskState, Timestamp};
use std::sync::Arc;

/// A finished log of at most so many entries is packed; copying a longer one would be noticed.
const PACKED: usize = 64;

/// Entries without a gap.
#[derive(Debug)]
pub(super) enum Entries {
    Growing(Vec<LogEntry>),
    Packed(Packed),
}

/// Entries one after the other in one buffer. Thousands of finished tasks lie in memory that no
/// cache holds: what counts is in how many pieces, and how many bytes.
#[derive(Debug)]
pub(super) struct Packed {
    first: u64,
    count: usize,
    /// For each entry turn, epoch, time, state, length of the payload, kind; then the payload.
    bytes: Bytes,
}

const HEAD: usize = 8 + 8 + 8 + 4 + 4 + 1;

impl Packed {
    fn of(entries: &[LogEntry], arena: &mut Arena) -> Self {
        let size = entries.iter().map(|entry| HEAD + entry.payload.len()).sum();
        let bytes = arena.keep(size, |bytes| {
            for entry in entries {
                bytes.put_u64_le(entry.turn);
                bytes.put_u64_le(entry.epoch);
                bytes.put_i64_le(entry.at.as_millis());
                bytes.put_i32_le(entry.state.number());
                // A payload is bounded by what a message or an event may be.
                bytes.put_u32_le(entry.payload.len() as u32);
                bytes.put_u8(entry.kind.number());
                bytes.put_slice(&entry.payload);
            }
        });
        let first = entries.first().map_or(0, |entry| entry.seq);
        Self { first, count: entries.len(), bytes }
    }

    fn payload_bytes(&self) -> u64 {
        (self.bytes.len() - HEAD * self.count) as u64
    }

    fn iter(&self) -> impl Iterator<Item = LogEntry> {
        let mut bytes = self.bytes.clone();
        (self.first..).take(self.count).map(move |seq| {
            let (turn, epoch) = (bytes.get_u64_le(), bytes.get_u64_le());
            let at = Timestamp::from_millis(bytes.get_i64_le());
            let state = TaskState::from_number(bytes.get_i32_le());
            let size = bytes.get_u32_le() as usize;
            let kind = EntryKind::from_number(bytes.get_u8());
            let payload = bytes.split_to(size);
            LogEntry { seq, turn, epoch, at, kind, state, payload }
        })
    }
}

impl Default for Entries {
    fn default() -> Self {
        Self::Growing(Vec::new())
    }
}

impl Entries {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Growing(entries) => entries.len(),
            Self::Packed(packed) => packed.count,
        }
    }

    pub(super) fn payload_bytes(&self) -> u64 {
        match self {
            Self::Growing(entries) => entries.iter().map(|e| e.payload.len() as u64).sum(),
            Self::Packed(packed) => packed.payload_bytes(),
        }
    }

    /// Makes room for the first entries and those that usually follow.
    pub(super) fn reserve(&mut self, count: usize) {
        if let Self::Growing(entries) = self
            && entries.is_empty()
        {
            entries.reserve_exact(count + 4);
        }
    }

    pub(super) fn push(&mut self, entry: LogEntry) {
        if let Self::Packed(packed) = self {
            *self = Self::Growing(packed.iter().collect());
        }
        if let Self::Growing(entries) = self {
            entries.push(entry);
        }
    }

    pub(super) fn page(&self, skip: usize, limit: usize) -> Vec<Arc<LogEntry>> {
        match self {
            Self::Growing(entries) => {
                entries.iter().skip(skip).take(limit).cloned().map(Arc::new).collect()
            }
            Self::Packed(packed) => packed.iter().skip(skip).take(limit).map(Arc::new).collect(),
        }
    }

    /// Takes as little memory as can be, once nothing is expected to follow.
    pub(super) fn shrink(&mut self, arena: &mut Arena) {
        let Self::Growing(entries) = self else { return };
        if entries.len() > PACKED {
            entries.shrink_to_fit();
            return;
        }
        *self = Self::Packed(Packed::of(entries, arena));
    }
}
