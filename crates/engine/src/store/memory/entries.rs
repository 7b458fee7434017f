//! The entries of a log: one by one while it grows, in one piece once it is finished.

use crate::log::LogEntry;
use bytes::Bytes;
use std::sync::Arc;

/// A finished log of at most so many entries is packed; copying a longer one would be noticed.
const PACKED: usize = 64;

/// Entries without a gap.
#[derive(Debug)]
pub(super) enum Entries {
    Growing(Vec<Arc<LogEntry>>),
    /// Their payloads are slices of one buffer. Thousands of finished tasks lie in memory that no
    /// cache holds: each takes two pieces of it instead of two for every entry.
    Packed(Box<[LogEntry]>),
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
            Self::Packed(entries) => entries.len(),
        }
    }

    pub(super) fn payload_bytes(&self) -> u64 {
        match self {
            Self::Growing(entries) => entries.iter().map(|e| e.payload.len() as u64).sum(),
            Self::Packed(entries) => entries.iter().map(|e| e.payload.len() as u64).sum(),
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
            *self = Self::Growing(packed.iter().cloned().map(Arc::new).collect());
        }
        if let Self::Growing(entries) = self {
            entries.push(Arc::new(entry));
        }
    }

    pub(super) fn page(&self, skip: usize, limit: usize) -> Vec<Arc<LogEntry>> {
        match self {
            Self::Growing(entries) => entries.iter().skip(skip).take(limit).cloned().collect(),
            Self::Packed(entries) => {
                entries.iter().skip(skip).take(limit).cloned().map(Arc::new).collect()
            }
        }
    }

    /// Takes as little memory as can be, once nothing is expected to follow.
    pub(super) fn shrink(&mut self) {
        let Self::Growing(entries) = self else { return };
        if entries.len() > PACKED {
            entries.shrink_to_fit();
            return;
        }
        let mut payloads = Vec::with_capacity(entries.iter().map(|e| e.payload.len()).sum());
        for entry in entries.iter() {
            payloads.extend_from_slice(&entry.payload);
        }
        let payloads = Bytes::from(payloads);
        let mut from = 0;
        let pack = |entry: &Arc<LogEntry>| {
            let to = from + entry.payload.len();
            let payload = payloads.slice(from..to);
            from = to;
            LogEntry { payload, ..LogEntry::clone(entry) }
        };
        *self = Self::Packed(entries.iter().map(pack).collect());
    }
}
