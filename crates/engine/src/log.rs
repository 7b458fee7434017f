//! A task's log: what happened to it, in order.

use bytes::Bytes;
use sabir_types::{TaskState, Timestamp};

/// One item of a task's log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Its position; rises within a task.
    pub seq: u64,
    /// The turn it belongs to; 0 for none.
    pub turn: u64,
    /// The epoch of the owner of the task's latest turn when it was appended.
    pub epoch: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// For a status, its state; otherwise unspecified.
    pub state: TaskState,
    /// For wire-visible kinds the ProtoJSON of a `StreamResponse`, otherwise the kind's own JSON.
    pub payload: Bytes,
}

/// What kind of entry it is. Numbers that this version does not know survive a round trip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A status update, visible on the wire.
    Status,
    /// An artifact update, visible on the wire.
    Artifact,
    /// A direct reply, visible on the wire.
    Reply,
    /// A message was accepted; carries the message.
    Accepted,
    /// A turn started.
    TurnStarted,
    /// A turn ended.
    TurnEnded,
    /// Somebody asked for cancellation.
    CancelRequested,
    /// The result of a step that must not be done twice.
    Once,
    /// The author's own state.
    State,
    /// A trace context.
    Trace,
    /// Something a later version wrote.
    Other(u8),
}

impl EntryKind {
    /// The number a store keeps.
    pub fn number(self) -> u8 {
        match self {
            Self::Status => 1,
            Self::Artifact => 2,
            Self::Reply => 3,
            Self::Accepted => 10,
            Self::TurnStarted => 11,
            Self::TurnEnded => 12,
            Self::CancelRequested => 13,
            Self::Once => 14,
            Self::State => 15,
            Self::Trace => 16,
            Self::Other(number) => number,
        }
    }

    /// The kind of a stored number.
    pub fn from_number(number: u8) -> Self {
        match number {
            1 => Self::Status,
            2 => Self::Artifact,
            3 => Self::Reply,
            10 => Self::Accepted,
            11 => Self::TurnStarted,
            12 => Self::TurnEnded,
            13 => Self::CancelRequested,
            14 => Self::Once,
            15 => Self::State,
            16 => Self::Trace,
            number => Self::Other(number),
        }
    }

    /// Whether readers on the wire see entries of this kind.
    pub fn is_visible(self) -> bool {
        matches!(self, Self::Status | Self::Artifact | Self::Reply)
    }
}
