//! Idempotency records, bounded by their number.
//!
//! There are many of them, each is written once and read hardly ever. So they lie in the order in
//! which they expire, and the index says only where: taking one in and forgetting another touches
//! little memory that is not in the processor's caches.

use super::tasks::{RandomState, shrink_table};
use crate::store::IdempotencyRecord;
use hashbrown::HashTable;
use sabir_types::{TaskId, Timestamp};
use std::collections::VecDeque;
use std::hash::BuildHasher;
use uuid::Uuid;

/// The digest of an [`IdempotencyKey`](crate::store::IdempotencyKey).
pub(super) type Digest = [u8; 16];

#[derive(Debug, Default)]
pub(super) struct Messages {
    /// One for each time that records are kept for. There are two: for callers with a principal,
    /// and for others.
    queues: Vec<Queue>,
    index: HashTable<Place>,
    hashes: RandomState,
    /// How many records all queues hold.
    len: usize,
}

/// Records that are kept for the same time, so that those which expire first come first.
#[derive(Debug, Default)]
struct Queue {
    kept_millis: i64,
    /// The number of the first record; the others follow.
    first: u32,
    records: VecDeque<Record>,
}

#[derive(Debug)]
struct Record {
    key: Digest,
    digest: [u8; 32],
    task: Id,
    turn: u64,
    expires: Timestamp,
}

/// The id of a task, which the record outlives: without the text it shares with the task, if that
/// can be written again.
#[derive(Debug)]
enum Id {
    Uuid(Uuid),
    Text(TaskId),
}

/// Where a record is: its queue, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    queue: u32,
    number: u32,
}

impl Id {
    fn of(id: &TaskId) -> Self {
        match Uuid::try_parse(id.as_str()) {
            Ok(uuid) if text(uuid, &mut Uuid::encode_buffer()) == id.as_str() => Self::Uuid(uuid),
            _ => Self::Text(id.clone()),
        }
    }

    fn to_id(&self) -> TaskId {
        match self {
            Self::Uuid(uuid) => TaskId::new(&*text(*uuid, &mut Uuid::encode_buffer())),
            Self::Text(id) => id.clone(),
        }
    }
}

/// As engines write it.
fn text(uuid: Uuid, buffer: &mut [u8]) -> &mut str {
    uuid.hyphenated().encode_lower(buffer)
}

impl Record {
    fn of(key: Digest, record: &IdempotencyRecord) -> Self {
        let IdempotencyRecord { digest, task, turn, expires } = record;
        Self { key, digest: *digest, task: Id::of(task), turn: *turn, expires: *expires }
    }

    fn to_record(&self) -> IdempotencyRecord {
        let Self { digest, task, turn, expires, .. } = self;
        IdempotencyRecord { digest: *digest, task: task.to_id(), turn: *turn, expires: *expires }
    }
}

impl Queue {
    fn at(&self, number: u32) -> Option<&Record> {
        self.records.get(number.wrapping_sub(self.first) as usize)
    }

    fn expires(&self) -> Option<Timestamp> {
        self.records.front().map(|record| record.expires)
    }
}

impl Messages {
    pub(super) fn get(&self, key: &Digest) -> Option<IdempotencyRecord> {
        let Self { queues, index, hashes, .. } = self;
        let is_it = |place: &Place| place.of(queues).is_some_and(|record| record.key == *key);
        index.find(hashes.hash_one(key), is_it)?.of(queues).map(Record::to_record)
    }

    /// Writes a record of a message that was taken `now`, in place of an expired one if there is
    /// one, and forgets those beyond `limit`.
    pub(super) fn insert(
        &mut self,
        key: Digest,
        record: &IdempotencyRecord,
        now: Timestamp,
        limit: usize,
    ) {
        let queue = self.queue(record.expires.as_millis().saturating_sub(now.as_millis()));
        let Queue { first, records, .. } = &mut self.queues[queue as usize];
        // More than four billion do not fit into memory.
        let place = Place { queue, number: first.wrapping_add(records.len() as u32) };
        records.push_back(Record::of(key, record));
        self.len += 1;
        let Self { queues, index, hashes, .. } = self;
        let is_it = |place: &Place| place.of(queues).is_some_and(|record| record.key == key);
        // The record that this one replaces stays in its queue until its turn comes.
        index.entry(hashes.hash_one(key), is_it, |place| place.hash(queues, hashes)).insert(place);
        while self.len > limit {
            self.forget_first();
        }
    }

    fn queue(&mut self, kept_millis: i64) -> u32 {
        let known = self.queues.iter().position(|queue| queue.kept_millis == kept_millis);
        let free = || self.queues.iter().position(|queue| queue.records.is_empty());
        let number = known.or_else(free).unwrap_or_else(|| {
            self.queues.push(Queue::default());
            self.queues.len() - 1
        });
        self.queues[number].kept_millis = kept_millis;
        number as u32
    }

    /// Forgets at most `step` expired ones; returns how many.
    pub(super) fn expire(&mut self, now: Timestamp, step: usize) -> usize {
        let mut forgotten = 0;
        while forgotten < step && self.expires().is_some_and(|expires| expires <= now) {
            self.forget_first();
            forgotten += 1;
        }
        forgotten
    }

    /// When the next one does.
    fn expires(&self) -> Option<Timestamp> {
        self.queues.iter().filter_map(Queue::expires).min()
    }

    fn forget_first(&mut self) {
        let queues = self.queues.iter_mut().enumerate();
        let first = queues.filter(|(_, queue)| !queue.records.is_empty());
        let Some((number, queue)) = first.min_by_key(|(_, queue)| queue.expires()) else { return };
        let place = Place { queue: number as u32, number: queue.first };
        let Some(record) = queue.records.pop_front() else { return };
        queue.first = queue.first.wrapping_add(1);
        self.len -= 1;
        let hash = self.hashes.hash_one(record.key);
        if let Ok(found) = self.index.find_entry(hash, |other| *other == place) {
            found.remove();
        }
    }

    pub(super) fn shrink(&mut self) {
        let Self { queues, index, hashes, .. } = self;
        shrink_table(index, |place| place.hash(queues, hashes));
        for queue in queues {
            if queue.records.capacity() > 1_024 + 4 * queue.records.len() {
                queue.records.shrink_to(2 * queue.records.len());
            }
        }
    }
}

impl Place {
    fn of(self, queues: &[Queue]) -> Option<&Record> {
        queues.get(self.queue as usize)?.at(self.number)
    }

    fn hash(self, queues: &[Queue], hashes: &RandomState) -> u64 {
        self.of(queues).map_or(0, |record| hashes.hash_one(record.key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(task: &str, expires: i64) -> IdempotencyRecord {
        let expires = Timestamp::from_millis(expires);
        IdempotencyRecord { digest: [7; 32], task: TaskId::new(task), turn: 1, expires }
    }

    fn insert(messages: &mut Messages, key: u8, record: &IdempotencyRecord, now: i64) {
        messages.insert([key; 16], record, Timestamp::from_millis(now), 100);
    }

    #[test]
    fn what_replaced_an_expired_record_stays_when_that_one_is_forgotten() {
        let mut messages = Messages::default();
        insert(&mut messages, 1, &record("old", 10), 0);
        insert(&mut messages, 1, &record("new", 30), 20);
        assert_eq!(messages.expire(Timestamp::from_millis(20), 10), 1);
        assert_eq!(messages.get(&[1; 16]), Some(record("new", 30)));
        assert_eq!(messages.expire(Timestamp::from_millis(30), 10), 1);
        assert_eq!(messages.get(&[1; 16]), None);
    }

    #[test]
    fn an_id_comes_back_as_it_was_written() {
        let mut messages = Messages::default();
        let ids = [
            "0198a7d2-6228-76fa-8faa-53fb1afa8ef3",
            "0198A7D2-6228-76FA-8FAA-53FB1AFA8EF3",
            "0198a7d2622876fa8faa53fb1afa8ef3",
            "task 7",
        ];
        for (key, id) in (0..).zip(ids) {
            insert(&mut messages, key, &record(id, 10), 0);
        }
        for (key, id) in (0..).zip(ids) {
            assert_eq!(messages.get(&[key; 16]), Some(record(id, 10)));
        }
    }

    #[test]
    fn records_of_two_lifetimes_go_by_when_they_expire() {
        let mut messages = Messages::default();
        // More than a table takes before it grows, so that places are hashed anew.
        for number in 0..50 {
            insert(
                &mut messages,
                number,
                &record("short", 1_000 + i64::from(number)),
                number.into(),
            );
            let long = record("long", 1_025 + i64::from(number));
            insert(&mut messages, 100 + number, &long, i64::from(number) - 1_000);
        }
        assert_eq!(messages.expire(Timestamp::from_millis(1_029), 1_000), 30 + 5);
        let kept = |from: u8| (0..50).filter(|n| messages.get(&[from + n; 16]).is_some()).count();
        assert_eq!((kept(0), kept(100)), (20, 45));
    }
}
