//! Where the record of each message stands.
//!
//! Message ids are random, so a tree of them on the disk would have another page written for every
//! message: half of what an append costs. Records are written one after the other instead, and
//! found by this index in memory, some 30 bytes for each, which is read back when the file is
//! opened. A message that was never seen is known as such without a look at the disk.

use parking_lot::RwLock;
use rusqlite::Connection;
use std::collections::HashMap;

/// The digest of an [`IdempotencyKey`](sabir_engine::store::IdempotencyKey).
pub(super) type Key = [u8; 16];

/// Parts that grow by themselves, so that no writer waits for millions of records to be moved.
const PARTS: u64 = 64;

/// From the first half of a key to the number of its record. Whoever takes the trouble to send two
/// messages that agree in it has the first forgotten; the record says whose it is.
#[derive(Debug)]
pub(super) struct MessageIndex {
    parts: Vec<RwLock<HashMap<u64, i64>>>,
}

impl MessageIndex {
    /// Reads the index back.
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let index = Self { parts: (0..PARTS).map(|_| RwLock::default()).collect() };
        let mut statement =
            connection.prepare("SELECT key, number FROM messages ORDER BY number")?;
        let mut rows = statement.query(())?;
        while let Some(row) = rows.next()? {
            index.set(half(&row.get(0)?), Some(row.get(1)?));
        }
        Ok(index)
    }

    /// The number of the record that a key may have.
    pub(super) fn get(&self, key: &Key) -> Option<i64> {
        let half = half(key);
        self.part(half).read().get(&half).copied()
    }

    /// Changes where a record is found; returns where it was.
    pub(super) fn set(&self, half: u64, number: Option<i64>) -> Option<i64> {
        let mut part = self.part(half).write();
        let before = match number {
            Some(number) => part.insert(half, number),
            None => part.remove(&half),
        };
        let wanted = 2 * part.len();
        if part.capacity() > 64 + 2 * wanted {
            part.shrink_to(wanted);
        }
        before
    }

    fn part(&self, half: u64) -> &RwLock<HashMap<u64, i64>> {
        // Below the number of parts, so it fits.
        &self.parts[(half % PARTS) as usize]
    }
}

/// What a key is found by.
pub(super) fn half(key: &Key) -> u64 {
    let mut half = [0; 8];
    half.copy_from_slice(&key[..8]);
    u64::from_le_bytes(half)
}
