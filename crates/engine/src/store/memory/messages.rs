//! Idempotency records, bounded by their number.

use super::tasks::{Map, shrink_map};
use crate::store::IdempotencyRecord;
use sabir_types::Timestamp;
use std::collections::BTreeMap;

/// The digest of an [`IdempotencyKey`](crate::store::IdempotencyKey).
pub(super) type Digest = [u8; 16];

#[derive(Debug, Default)]
pub(super) struct Messages {
    records: Map<Digest, (u64, IdempotencyRecord)>,
    /// By when they expire; the number tells those of one moment apart.
    expiring: BTreeMap<(Timestamp, u64), Digest>,
    next: u64,
}

impl Messages {
    pub(super) fn get(&self, key: &Digest) -> Option<&IdempotencyRecord> {
        self.records.get(key).map(|(_, record)| record)
    }

    /// Writes a record in place of an expired one, and forgets those beyond `limit`.
    pub(super) fn insert(&mut self, key: Digest, record: IdempotencyRecord, limit: usize) {
        self.next += 1;
        self.expiring.insert((record.expires, self.next), key);
        if let Some((number, old)) = self.records.insert(key, (self.next, record)) {
            self.expiring.remove(&(old.expires, number));
        }
        while self.records.len() > limit {
            self.forget_first();
        }
    }

    /// Forgets at most `step` expired ones; returns how many.
    pub(super) fn expire(&mut self, now: Timestamp, step: usize) -> usize {
        let mut forgotten = 0;
        while forgotten < step && self.expiring.first_key_value().is_some_and(|(k, _)| k.0 <= now) {
            self.forget_first();
            forgotten += 1;
        }
        forgotten
    }

    fn forget_first(&mut self) {
        if let Some((_, key)) = self.expiring.pop_first() {
            self.records.remove(&key);
        }
    }

    pub(super) fn shrink(&mut self) {
        shrink_map(&mut self.records);
    }
}
