//! What is still to be delivered: one queue for each webhook of each task.

use super::tasks::{Map, shrink_map};
use crate::store::{OutboxRow, PushRow, Settled, TaskKey};
use bytes::Bytes;
use sabir_types::Timestamp;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

/// All queues that are not empty.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queues: Map<u64, Queue>,
    numbers: Map<(TaskKey, Arc<str>), u64>,
    /// By agent: when the first row of each queue is due.
    due: Map<Box<str>, BTreeSet<(Timestamp, u64)>>,
    next: u64,
}

#[derive(Debug)]
struct Queue {
    key: TaskKey,
    push: PushRow,
    at: Timestamp,
    rows: VecDeque<Row>,
}

#[derive(Debug)]
struct Row {
    seq: u64,
    body: Bytes,
    attempts: u32,
}

impl Outbox {
    pub(super) fn push(&mut self, key: &TaskKey, push: &PushRow, seq: u64, body: Bytes) {
        let row = Row { seq, body, attempts: 0 };
        let name = (key.clone(), Arc::clone(&push.id));
        if let Some(queue) = self.numbers.get(&name).and_then(|n| self.queues.get_mut(n)) {
            queue.rows.push_back(row);
            return;
        }
        self.next += 1;
        let at = Timestamp::default();
        self.due.entry(key.scope.agent.clone()).or_default().insert((at, self.next));
        let (key, push) = (key.clone(), push.clone());
        self.queues.insert(self.next, Queue { key, push, at, rows: VecDeque::from([row]) });
        self.numbers.insert(name, self.next);
    }

    /// What is still to be delivered goes to the webhook as it is now.
    pub(super) fn replace(&mut self, key: &TaskKey, push: &PushRow) {
        let name = (key.clone(), Arc::clone(&push.id));
        if let Some(queue) = self.numbers.get(&name).and_then(|n| self.queues.get_mut(n)) {
            queue.push = push.clone();
        }
    }

    pub(super) fn delete(&mut self, key: &TaskKey, id: &str) {
        if let Some(number) = self.numbers.remove(&(key.clone(), id.into())) {
            let queue = self.queues.remove(&number);
            self.leave(&key.scope.agent, queue.map(|queue| (queue.at, number)));
        }
    }

    fn leave(&mut self, agent: &str, place: Option<(Timestamp, u64)>) {
        let (Some(place), Some(due)) = (place, self.due.get_mut(agent)) else { return };
        due.remove(&place);
        if due.is_empty() {
            self.due.remove(agent);
        }
    }

    pub(super) fn due(
        &self,
        agent: &str,
        now: Timestamp,
        limit: usize,
    ) -> (Vec<OutboxRow>, Option<Timestamp>) {
        let Some(due) = self.due.get(agent) else {
            return (Vec::new(), None);
        };
        let ready = due.range(..=(now, u64::MAX)).take(limit);
        let rows: Vec<_> =
            ready.filter_map(|(_, number)| self.queues.get(number)?.first()).collect();
        let later = (Bound::Excluded((now, u64::MAX)), Bound::Unbounded);
        let next = due.range(later).next().map(|(at, _)| *at);
        (rows, next)
    }

    /// Records what became of an attempt, if the row is still the first of its queue.
    pub(super) fn settle(&mut self, row: &OutboxRow, settled: &Settled) {
        let name = (row.key.clone(), Arc::clone(&row.push.id));
        let Some(number) = self.numbers.get(&name).copied() else { return };
        let Some(queue) = self.queues.get_mut(&number) else { return };
        let Some(first) = queue.rows.front_mut().filter(|first| first.seq == row.seq) else {
            return;
        };
        let before = (queue.at, number);
        queue.at = if let Settled::Retry(at) = settled {
            first.attempts += 1;
            *at
        } else {
            queue.rows.pop_front();
            Timestamp::default()
        };
        let place = (queue.at, number);
        if queue.rows.is_empty() {
            self.queues.remove(&number);
            self.numbers.remove(&name);
            self.leave(&row.key.scope.agent, Some(before));
        } else if let Some(due) = self.due.get_mut(&*row.key.scope.agent) {
            due.remove(&before);
            due.insert(place);
        }
    }

    pub(super) fn shrink(&mut self) {
        shrink_map(&mut self.queues);
        shrink_map(&mut self.numbers);
    }
}

impl Queue {
    fn first(&self) -> Option<OutboxRow> {
        let row = self.rows.front()?;
        Some(OutboxRow {
            key: self.key.clone(),
            push: self.push.clone(),
            seq: row.seq,
            body: row.body.clone(),
            attempts: row.attempts,
        })
    }
}
