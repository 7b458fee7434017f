//! Emitting: validate, encode once, hand over in order.

use super::{Phase, Say, TurnCore};
use crate::agent::encode;
use crate::fold::Body;
use crate::id::new_id;
use crate::live::Carried;
use crate::log::EntryKind;
use crate::store::{Append, AppendError, Condition, NewEntry, RowChange};
use bytes::Bytes;
use sabir_types::{
    Artifact, ArtifactId, Error, Message, MessageId, ProtoMessage, Role, StreamResponse,
    TaskArtifactUpdateEvent, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Why an event was not taken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum EmitError {
    /// The turn has ended: by an event, by cancellation, or because the executor failed.
    #[error("the turn has ended; nothing can be emitted after its end")]
    Ended,
    /// The event is not valid.
    #[error("the event is not valid: {0} is missing")]
    Invalid(String),
    /// The task's log holds as much as it may.
    #[error("the task's log is full: {0} bytes are the most it may hold")]
    Full(u64),
    /// An event of this turn could not be kept, and so nothing after it.
    #[error("an event could not be kept: {0}")]
    Lost(Error),
}

impl From<EmitError> for Error {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Lost(error) => error,
            other => Self::internal(other.to_string()),
        }
    }
}

/// The emitting side of a turn: ahead of what is committed.
#[derive(Debug)]
pub(crate) struct Emitting {
    pub(crate) phase: Phase,
    ordinal: u64,
    ended: bool,
    /// The author said that it is canceled; written when the last handle is gone.
    closed: bool,
    pub(crate) canceling: bool,
    pub(crate) cancel_say: Option<Say>,
    artifacts: Vec<ArtifactId>,
    last_at: Timestamp,
    burst: Burst,
}

/// What was emitted and not yet handed to the store. While the executor is polled in place, what
/// it emits is gathered and becomes one append.
#[derive(Debug, Default)]
struct Burst {
    gathers: bool,
    carried: Vec<Carried>,
    bytes: usize,
    row: RowChange,
}

/// A burst of so many bytes is handed over at once.
const BURST: usize = 64 * 1024;

impl Burst {
    fn add(&mut self, carried: impl IntoIterator<Item = Carried>, row: RowChange) {
        if self.carried.is_empty() {
            // Few say more at once than working, a result and done.
            self.carried.reserve_exact(4);
        }
        for item in carried {
            self.bytes += item.entry.payload.len();
            self.carried.push(item);
        }
        self.row.status = row.status.or(self.row.status);
        self.row.visible |= row.visible;
        self.row.close_turn |= row.close_turn;
    }

    fn take(&mut self) -> Self {
        let gathers = self.gathers;
        std::mem::replace(self, Self { gathers, ..Self::default() })
    }
}

impl Emitting {
    pub(crate) fn new(phase: Phase, last_at: Timestamp) -> Self {
        Self {
            phase,
            ordinal: 0,
            ended: false,
            closed: false,
            canceling: false,
            cancel_say: None,
            artifacts: Vec::new(),
            last_at,
            burst: Burst::default(),
        }
    }

    /// Gathers what is emitted until [`TurnCore::hand_over`]: the executor is about to be polled
    /// in place.
    pub(crate) fn gather(&mut self) {
        self.burst.gathers = true;
    }

    /// The last event of the turn was handed over.
    pub(crate) fn is_ended(&self) -> bool {
        self.ended
    }

    /// Nothing more is taken from the author.
    pub(crate) fn is_over(&self) -> bool {
        self.ended || self.closed
    }

    /// The time of the next event; never before that of the one before (TS-04).
    fn now(&mut self) -> Timestamp {
        self.last_at = self.last_at.max(Timestamp::now());
        self.last_at
    }

    /// Whether this is the first chunk of an artifact in this turn.
    fn is_new(&mut self, id: &ArtifactId) -> bool {
        let new = !self.artifacts.iter().rev().any(|known| known == id);
        if new {
            self.artifacts.push(id.clone());
        }
        new
    }
}

impl TurnCore {
    pub(crate) async fn emit_status(
        self: &Arc<Self>,
        state: TaskState,
        say: Say,
        ends: bool,
    ) -> Result<(), EmitError> {
        self.room().await?;
        {
            let mut emitting = self.emitting.lock();
            // Who is to stop waits for nobody: the task would outlive its cancellation.
            let waits = ends && !state.is_terminal();
            if emitting.is_over() || (waits && emitting.canceling) {
                return Err(EmitError::Ended);
            }
            if state == TaskState::Canceled {
                emitting.closed = true;
                emitting.canceling = true;
                emitting.cancel_say = Some(say);
                return Ok(());
            }
            if ends {
                self.end(&mut emitting, state, say);
            } else {
                let update = self.status_entry(&mut emitting, state, say);
                let row = self.status_row(&mut emitting, state);
                self.submit(&mut emitting, [update], row);
            }
        }
        if ends { self.committed().await } else { Ok(()) }
    }

    /// Hands over the status that ends the turn.
    pub(crate) fn end(self: &Arc<Self>, emitting: &mut Emitting, state: TaskState, say: Say) {
        emitting.ended = true;
        let update = self.status_entry(emitting, state, say);
        let ended = self.internal(EntryKind::TurnEnded, update.entry.at, Bytes::new());
        let row = RowChange { close_turn: true, ..self.status_row(emitting, state) };
        self.submit(emitting, [update, ended], row);
        self.flush(emitting);
        self.stop.raise();
    }

    pub(crate) async fn emit_artifact(
        self: &Arc<Self>,
        mut artifact: Artifact,
        chunk: bool,
        last: bool,
    ) -> Result<ArtifactId, EmitError> {
        if artifact.artifact_id.is_empty() {
            artifact.artifact_id = ArtifactId::from(new_id());
        }
        if let Some(path) = artifact.missing() {
            return Err(EmitError::Invalid(path));
        }
        self.room().await?;
        let id = artifact.artifact_id.clone();
        let mut emitting = self.emitting.lock();
        if emitting.is_over() {
            return Err(EmitError::Ended);
        }
        let first = emitting.is_new(&id);
        let update = TaskArtifactUpdateEvent {
            task_id: self.live.key.id.clone(),
            context_id: self.context_id.clone(),
            artifact,
            append: chunk && !first,
            last_chunk: last,
            metadata: None,
        };
        let event = Box::new(StreamResponse::ArtifactUpdate(update));
        let payload = encode(&event);
        let at = emitting.now();
        let entry = self.entry(EntryKind::Artifact, at, TaskState::Unspecified, payload);
        let row = RowChange { visible: true, ..RowChange::default() };
        emitting.phase = Phase::Task;
        self.submit(&mut emitting, [Carried { entry, body: Body::Event(event) }], row);
        Ok(id)
    }

    pub(crate) async fn emit_reply(self: &Arc<Self>, say: Say) -> Result<(), EmitError> {
        self.room().await?;
        {
            let mut emitting = self.emitting.lock();
            if emitting.is_over() {
                return Err(EmitError::Ended);
            }
            if emitting.phase != Phase::Undecided {
                self.end(&mut emitting, TaskState::Completed, say);
            } else {
                let Some(message) = self.agent_message(say, false) else {
                    return Err(EmitError::Invalid("message.parts".to_owned()));
                };
                self.hand_over_reply(&mut emitting, message);
            }
        }
        self.committed().await
    }

    fn hand_over_reply(self: &Arc<Self>, emitting: &mut Emitting, message: Message) {
        emitting.phase = Phase::Message;
        emitting.ended = true;
        let event = Box::new(StreamResponse::Message(message));
        let payload = encode(&event);
        let at = emitting.now();
        let entry = self.entry(EntryKind::Reply, at, TaskState::Unspecified, payload);
        let reply = Carried { entry, body: Body::Event(event) };
        let ended = self.internal(EntryKind::TurnEnded, at, Bytes::new());
        let row = RowChange { close_turn: true, ..RowChange::default() };
        self.submit(emitting, [reply, ended], row);
        self.flush(emitting);
        self.stop.raise();
    }

    /// Keeps something that is not visible on the wire.
    pub(crate) async fn emit_internal(
        self: &Arc<Self>,
        kind: EntryKind,
        value: Value,
    ) -> Result<(), EmitError> {
        self.room().await?;
        let mut emitting = self.emitting.lock();
        if emitting.is_over() {
            return Err(EmitError::Ended);
        }
        let payload = encode(&value);
        let body = match (kind, value) {
            (EntryKind::State, value) => {
                *self.saved.lock() = Some(value.clone());
                Body::State(Box::new(value))
            }
            (EntryKind::Once, Value::Array(pair)) => match <[Value; 2]>::try_from(pair) {
                Ok([Value::String(key), value]) => Body::Once(Box::new((key, value))),
                _ => Body::None,
            },
            _ => Body::None,
        };
        let at = emitting.now();
        let entry = self.entry(kind, at, TaskState::Unspecified, payload);
        self.submit(&mut emitting, [Carried { entry, body }], RowChange::default());
        Ok(())
    }

    /// Makes the task known to a caller, if the executor has not replied.
    pub(crate) fn show(self: &Arc<Self>) -> Phase {
        let mut emitting = self.emitting.lock();
        if emitting.phase == Phase::Undecided {
            emitting.phase = Phase::Task;
            let row = RowChange { visible: true, ..RowChange::default() };
            self.flush(&mut emitting);
            self.append_burst(&mut emitting, Burst { row, ..Burst::default() });
        }
        emitting.phase
    }

    /// Waits until everything handed over is committed.
    pub(crate) async fn committed(self: &Arc<Self>) -> Result<(), EmitError> {
        self.flush(&mut self.emitting.lock());
        loop {
            let flowed = self.flowed.notified();
            {
                let flow = self.flow.lock();
                if let Some(error) = &flow.failed {
                    return Err(EmitError::Lost(error.clone()));
                }
                if flow.appends == 0 {
                    return Ok(());
                }
            }
            flowed.await;
        }
    }

    /// Waits while too much is under way.
    async fn room(&self) -> Result<(), EmitError> {
        let limit = self.inner().config.log_bytes;
        if self.live.log_bytes.load(Ordering::Relaxed) > limit {
            return Err(EmitError::Full(limit));
        }
        loop {
            let flowed = self.flowed.notified();
            {
                let flow = self.flow.lock();
                if let Some(error) = &flow.failed {
                    return Err(EmitError::Lost(error.clone()));
                }
                if flow.bytes <= self.inner().config.turn_bytes {
                    return Ok(());
                }
            }
            flowed.await;
        }
    }

    fn status_entry(&self, emitting: &mut Emitting, state: TaskState, say: Say) -> Carried {
        let at = emitting.now();
        let status =
            TaskStatus { state, message: self.agent_message(say, true), timestamp: Some(at) };
        let update = TaskStatusUpdateEvent {
            task_id: self.live.key.id.clone(),
            context_id: self.context_id.clone(),
            status,
            metadata: None,
        };
        status_carried(self.number, at, update)
    }

    fn status_row(&self, emitting: &mut Emitting, state: TaskState) -> RowChange {
        emitting.phase = Phase::Task;
        RowChange { status: Some((state, emitting.last_at)), visible: true, ..RowChange::default() }
    }

    fn agent_message(&self, say: Say, in_task: bool) -> Option<Message> {
        let mut message = *say.0?;
        if message.message_id.is_empty() {
            message.message_id = MessageId::from(new_id());
        }
        message.role = Role::Agent;
        message.context_id = Some(self.context_id.clone());
        message.task_id = in_task.then(|| self.live.key.id.clone());
        (!message.parts.is_empty()).then_some(message)
    }

    fn entry(&self, kind: EntryKind, at: Timestamp, state: TaskState, payload: Bytes) -> NewEntry {
        NewEntry { kind, turn: self.number, at, state, payload }
    }

    fn internal(&self, kind: EntryKind, at: Timestamp, payload: Bytes) -> Carried {
        Carried { entry: self.entry(kind, at, TaskState::Unspecified, payload), body: Body::None }
    }

    /// Hands entries over to the store, or to the burst that will be; their order is that of the
    /// emitting lock.
    fn submit(
        self: &Arc<Self>,
        emitting: &mut Emitting,
        carried: impl IntoIterator<Item = Carried>,
        row: RowChange,
    ) {
        emitting.burst.add(carried, row);
        if !emitting.burst.gathers || emitting.burst.bytes >= BURST {
            self.flush(emitting);
        }
    }

    /// Ends what [`Emitting::gather`] began.
    pub(crate) fn hand_over(self: &Arc<Self>) {
        let mut emitting = self.emitting.lock();
        emitting.burst.gathers = false;
        self.flush(&mut emitting);
    }

    /// Hands over what was gathered so far.
    pub(crate) fn flush(self: &Arc<Self>, emitting: &mut Emitting) {
        if !emitting.burst.carried.is_empty() {
            let burst = emitting.burst.take();
            self.append_burst(emitting, burst);
        }
    }

    fn append_burst(self: &Arc<Self>, emitting: &mut Emitting, burst: Burst) {
        let Burst { carried, bytes, row, .. } = burst;
        let condition = if carried.is_empty() {
            Condition::Command { turn_closed: false }
        } else {
            let ordinal = emitting.ordinal + 1;
            emitting.ordinal += carried.len() as u64;
            Condition::Worker { epoch: self.inner().epoch, turn: self.number, ordinal }
        };
        {
            let mut flow = self.flow.lock();
            if flow.failed.is_some() {
                // Nothing after a lost event: the log has no holes.
                return;
            }
            flow.bytes += bytes;
            flow.appends += 1;
        }
        let append = Append {
            key: self.live.key.clone(),
            condition,
            entries: carried.iter().map(|item| item.entry.clone()).collect(),
            row,
            idempotency: None,
            push: None,
        };
        let this = self.clone();
        self.inner().store.append(
            append,
            Box::new(move |result| {
                let failed = match result {
                    Ok(appended) => {
                        this.inner().committed(&this.live, appended, carried, &row);
                        None
                    }
                    Err(error) => Some(error),
                };
                this.flowed(bytes, failed);
            }),
        );
    }

    /// An append came back.
    fn flowed(self: &Arc<Self>, bytes: usize, failed: Option<AppendError>) {
        let first = {
            let mut flow = self.flow.lock();
            flow.bytes -= bytes;
            flow.appends -= 1;
            match failed {
                Some(error) if flow.failed.is_none() => {
                    flow.failed = Some(self.inner().append_error(&self.live.key, &error));
                    Some(error)
                }
                _ => None,
            }
        };
        self.flowed.notify_waiters();
        if let Some(error) = first {
            self.stop.raise();
            self.inner().turn_lost(self.clone(), &error);
        }
    }
}

/// A status update as an entry.
pub(crate) fn status_carried(turn: u64, at: Timestamp, update: TaskStatusUpdateEvent) -> Carried {
    let state = update.status.state;
    let event = Box::new(StreamResponse::StatusUpdate(update));
    let payload = encode(&event);
    let entry = NewEntry { kind: EntryKind::Status, turn, at, state, payload };
    Carried { entry, body: Body::Event(event) }
}
