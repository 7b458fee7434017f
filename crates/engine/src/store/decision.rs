//! Decides whether an append is taken and what it makes of the row: pure, the same in every store.

use super::{Append, AppendError, Condition, IdempotencyRecord, NewEntry, RowChange, TaskRow};
use crate::log::{EntryKind, LogEntry};
use sabir_types::{TaskState, Timestamp};

/// What a store keeps of a task beside its log.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The row.
    pub row: TaskRow,
    /// The greatest turn of the task's `Accepted` entries; greater than the row's while a message
    /// waits for its turn.
    pub accepted: u64,
}

/// What an append is, once it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It makes a task.
    New,
    /// It changes one.
    Change,
    /// It was taken before and changes nothing.
    Repeat,
}

/// What retention may do with a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// A turn is open, or a message waits for its turn: it stays.
    Running,
    /// It waits for its caller: it goes by age only.
    Waiting,
    /// It has ended, or was answered by a reply before anybody could see it.
    Finished,
}

/// Decides an append on what the store holds of its task and of its idempotency key.
///
/// # Errors
/// Why it is not taken. The record is looked at before the task, so that a repeated message is
/// known as one whatever became of its task.
pub fn decide(
    held: Option<&Held>,
    record: Option<&IdempotencyRecord>,
    append: &Append,
) -> Result<Decision, AppendError> {
    if let Some(record) = record.filter(|record| stands(record, &append.entries)) {
        return Err(AppendError::Repeated(record.clone()));
    }
    match (&append.condition, held) {
        (Condition::New { .. }, None) => Ok(Decision::New),
        (Condition::New { .. }, Some(_)) => Err(AppendError::Exists),
        (_, None) => Err(AppendError::NotFound),
        (Condition::Worker { epoch, turn, ordinal }, Some(Held { row, .. })) => {
            worker(row, *epoch, *turn, *ordinal, append.entries.len() as u64)
        }
        (Condition::Command { .. }, Some(Held { row, .. })) if row.state.is_terminal() => {
            Err(AppendError::Terminal(row.state))
        }
        (Condition::Command { turn_closed: true }, Some(Held { row, .. })) if row.turn_open => {
            Err(AppendError::TurnOpen)
        }
        (Condition::Command { .. }, Some(_)) => Ok(Decision::Change),
    }
}

fn worker(
    row: &TaskRow,
    epoch: u64,
    turn: u64,
    ordinal: u64,
    entries: u64,
) -> Result<Decision, AppendError> {
    let own = (row.epoch, row.turn) == (epoch, turn);
    // Before anything else: what was taken stays taken, also when it ended the turn.
    let last = ordinal.saturating_add(entries).saturating_sub(1);
    if own && entries > 0 && ordinal > 0 && last <= row.ordinal {
        return Ok(Decision::Repeat);
    }
    if row.state.is_terminal() {
        return Err(AppendError::Terminal(row.state));
    }
    if own && row.turn_open && ordinal == row.ordinal + 1 {
        Ok(Decision::Change)
    } else {
        Err(AppendError::Fenced)
    }
}

/// Whether a record refuses an append with these entries: it has not expired when they happened.
fn stands(record: &IdempotencyRecord, entries: &[NewEntry]) -> bool {
    entries.first().is_none_or(|entry| record.expires > entry.at)
}

/// The latest time that lies at least so many seconds before `now`.
pub fn cutoff(now: Timestamp, secs: u64) -> Timestamp {
    let millis = i64::try_from(secs).unwrap_or(i64::MAX).saturating_mul(1_000);
    Timestamp::from_millis(now.as_millis().saturating_sub(millis))
}

impl Held {
    /// A new task, after the append that makes it; `None` where the condition is another.
    pub fn new(append: &Append) -> Option<Self> {
        let Condition::New { context_id } = &append.condition else {
            return None;
        };
        let row = TaskRow {
            context_id: context_id.clone(),
            state: TaskState::Submitted,
            status_at: append.entries.first().map(|entry| entry.at).unwrap_or_default(),
            visible: false,
            head: 0,
            epoch: 0,
            turn: 0,
            turn_open: false,
            ordinal: 0,
        };
        let mut held = Self { row, accepted: 0 };
        held.apply(&append.condition, &append.entries, &append.row);
        Some(held)
    }

    /// Makes an append that was taken part of the task; returns the sequence of its first entry.
    pub fn apply(
        &mut self,
        condition: &Condition,
        entries: &[NewEntry],
        change: &RowChange,
    ) -> u64 {
        let row = &mut self.row;
        let first = row.head + 1;
        row.head += entries.len() as u64;
        if matches!(condition, Condition::Worker { .. }) {
            row.ordinal += entries.len() as u64;
        }
        let accepted = entries.iter().filter(|entry| entry.kind == EntryKind::Accepted);
        self.accepted = accepted.map(|entry| entry.turn).fold(self.accepted, u64::max);
        if let Some((state, at)) = change.status {
            (row.state, row.status_at) = (state, at);
        }
        row.visible |= change.visible;
        row.turn_open &= !change.close_turn;
        if let Some((epoch, turn)) = change.open_turn {
            (row.epoch, row.turn, row.turn_open, row.ordinal) = (epoch, turn, true, 0);
        }
        first
    }

    /// What retention may do with the task.
    pub fn standing(&self) -> Standing {
        let Self { row, accepted } = self;
        if row.state.is_terminal() {
            Standing::Finished
        } else if row.turn_open || *accepted > row.turn {
            Standing::Running
        } else if row.visible {
            Standing::Waiting
        } else {
            Standing::Finished
        }
    }
}

impl NewEntry {
    /// The entry as a log keeps it.
    pub fn into_entry(self, seq: u64, epoch: u64) -> LogEntry {
        let Self { kind, turn, at, state, payload } = self;
        LogEntry { seq, turn, epoch, at, kind, state, payload }
    }
}
