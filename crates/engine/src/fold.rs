//! Folds a task's log into the task: what every reader is shown.

use crate::agent::{encode, encode_into};
use crate::log::{EntryKind, LogEntry};
use bytes::Bytes;
use sabir_types::{
    Artifact, ContextId, JsonObject, Message, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskId, TaskState, TaskStatus, Timestamp,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A message that was taken, with what its sender asked for: the payload of an `Accepted` entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accepted {
    /// The message as it came; in the history it has the ids of its task.
    pub(crate) message: Message,
    /// What else the sender said.
    #[serde(default, skip_serializing_if = "Asked::is_empty")]
    pub(crate) asked: Asked,
}

/// What a sender said besides the message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Asked {
    /// The id of the principal who sent it; empty for anonymous callers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) principal: String,
    /// Output media types the sender takes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) output_modes: Vec<String>,
    /// Extensions the sender declared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) extensions: Vec<String>,
    /// The request's metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) metadata: Option<JsonObject>,
    /// When the task is canceled, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<i64>,
    /// The sender's W3C `traceparent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<String>,
    /// The message goes to the running turn instead of starting one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) steers: bool,
}

impl Accepted {
    /// Begins the entry's payload with its message; returns the ProtoJSON of that.
    pub(crate) fn open<'a>(message: &Message, payload: &'a mut Vec<u8>) -> &'a [u8] {
        payload.extend_from_slice(b"{\"message\":");
        let start = payload.len();
        encode_into(message, payload);
        &payload[start..]
    }

    /// Ends a payload that was begun with the message.
    pub(crate) fn close(&self, mut payload: Vec<u8>) -> Bytes {
        if !self.asked.is_empty() {
            payload.extend_from_slice(b",\"asked\":");
            encode_into(&self.asked, &mut payload);
        }
        payload.push(b'}');
        payload.into()
    }
}

impl Asked {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The fold of a log up to some sequence. It is written as a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Folded {
    /// The task with its whole history; shared with those who were answered with it.
    pub(crate) task: Arc<Task>,
    /// Messages whose turns have not started, by turn.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    // Boxed, because the map makes room for eleven.
    pub(crate) pending: BTreeMap<u64, Box<Accepted>>,
    /// What the latest turn was asked.
    #[serde(default, skip_serializing_if = "Asked::is_empty")]
    pub(crate) asked: Asked,
    /// Results of steps that are not done twice.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) once: BTreeMap<String, Value>,
    /// The author's own state.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) state: Value,
    /// Whether cancellation was asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) canceling: bool,
    /// The direct reply that closed the task before it was shown, with its turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reply: Option<(u64, Message)>,
    /// When the task is canceled, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deadline: Option<i64>,
    /// Whether a turn is open.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) open: bool,
}

/// What an entry carries, decoded. It passes through many hands, so it is boxed.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// What readers are shown.
    Event(Box<StreamResponse>),
    Accepted(Box<Accepted>),
    Once(Box<(String, Value)>),
    State(Box<Value>),
    None,
}

impl Body {
    /// Decodes an entry's payload.
    pub(crate) fn decode(entry: &LogEntry) -> Result<Self, serde_json::Error> {
        Ok(match entry.kind {
            EntryKind::Status | EntryKind::Artifact | EntryKind::Reply => {
                Self::Event(serde_json::from_slice(&entry.payload)?)
            }
            EntryKind::Accepted => Self::Accepted(serde_json::from_slice(&entry.payload)?),
            EntryKind::Once => Self::Once(serde_json::from_slice(&entry.payload)?),
            EntryKind::State => Self::State(serde_json::from_slice(&entry.payload)?),
            _ => Self::None,
        })
    }
}

impl Folded {
    /// A task of which nothing is known but its ids.
    pub(crate) fn new(id: TaskId, context_id: ContextId, at: Timestamp) -> Self {
        let status = TaskStatus { state: TaskState::Submitted, message: None, timestamp: Some(at) };
        let task = Task { id, context_id, status, ..Task::default() };
        Self { task: Arc::new(task), ..Self::default() }
    }

    /// Reads a snapshot.
    pub(crate) fn from_snapshot(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// Writes a snapshot.
    pub(crate) fn to_snapshot(&self) -> Bytes {
        encode(self)
    }

    /// Adds a stored entry.
    pub(crate) fn apply_entry(&mut self, entry: &LogEntry) -> Result<(), serde_json::Error> {
        if entry.seq == 1 {
            Arc::make_mut(&mut self.task).status.timestamp = Some(entry.at);
        }
        self.apply(entry.kind, entry.turn, Body::decode(entry)?);
        Ok(())
    }

    /// Adds what an entry carries.
    pub(crate) fn apply(&mut self, kind: EntryKind, turn: u64, body: Body) {
        match body {
            Body::Event(event) => self.show(turn, event),
            Body::Accepted(accepted) if accepted.asked.steers && self.open => {
                self.remember(accepted.message);
            }
            Body::Accepted(accepted) => {
                self.deadline = self.deadline.or(accepted.asked.deadline);
                self.pending.insert(turn, accepted);
            }
            Body::Once(step) => {
                self.once.insert(step.0, step.1);
            }
            Body::State(value) => self.state = *value,
            Body::None => match kind {
                EntryKind::TurnStarted => self.start(turn),
                EntryKind::TurnEnded => self.open = false,
                EntryKind::CancelRequested => self.canceling = true,
                _ => {}
            },
        }
    }

    fn show(&mut self, turn: u64, event: Box<StreamResponse>) {
        match *event {
            StreamResponse::StatusUpdate(update) => {
                let task = Arc::make_mut(&mut self.task);
                if task.context_id.is_empty() {
                    task.context_id = update.context_id;
                }
                move_to(task, update.status);
            }
            StreamResponse::ArtifactUpdate(update) => {
                put_artifact(&mut Arc::make_mut(&mut self.task).artifacts, update);
            }
            StreamResponse::Message(message) => self.reply = Some((turn, message)),
            _ => {}
        }
    }

    /// The message of a turn that starts enters the history; earlier ones that never started
    /// stay out.
    fn start(&mut self, turn: u64) {
        self.open = true;
        if let Some(accepted) = self.pending.remove(&turn) {
            self.remember(accepted.message);
            self.asked = accepted.asked;
        }
    }

    fn remember(&mut self, message: Message) {
        let message = placed(message, &self.task.id, &self.task.context_id);
        push(&mut Arc::make_mut(&mut self.task).history, message);
    }
}

/// The message of the old status enters the history (HIST-06).
fn move_to(task: &mut Task, status: TaskStatus) {
    let old = std::mem::replace(&mut task.status, status);
    task.history.extend(old.message);
}

/// A caller's message with the ids of the task that took it.
pub(crate) fn placed(mut message: Message, task: &TaskId, context: &ContextId) -> Message {
    message.task_id = Some(task.clone());
    message.context_id = Some(context.clone());
    message
}

/// Replaces the artifact of the same id, or appends to it (DM-16).
fn put_artifact(artifacts: &mut Vec<Artifact>, update: TaskArtifactUpdateEvent) {
    let chunk = update.artifact;
    // The artifact that grows is nearly always the last one.
    match artifacts.iter_mut().rfind(|artifact| artifact.artifact_id == chunk.artifact_id) {
        Some(artifact) if update.append => extend(artifact, chunk),
        Some(artifact) => *artifact = chunk,
        None => push(artifacts, chunk),
    }
}

/// Adds an item; most tasks have one, for which a list would make room for four.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// Parts follow each other; of the rest the chunk only adds or overwrites what it carries.
fn extend(artifact: &mut Artifact, chunk: Artifact) {
    artifact.parts.extend(chunk.parts);
    artifact.name = chunk.name.or(artifact.name.take());
    artifact.description = chunk.description.or(artifact.description.take());
    if let Some(metadata) = chunk.metadata {
        artifact.metadata.get_or_insert_default().extend(metadata);
    }
    for extension in chunk.extensions {
        if !artifact.extensions.contains(&extension) {
            artifact.extensions.push(extension);
        }
    }
}

/// As [`view`] with artifacts; what nobody else refers to any more is not copied.
pub(crate) fn into_view(task: Arc<Task>, history: usize) -> Task {
    match Arc::try_unwrap(task) {
        Ok(mut task) => {
            let from = task.history.len().saturating_sub(history);
            task.history.drain(..from);
            task
        }
        Err(task) => view(&task, history, true),
    }
}

/// A task as a caller asked to see it: the newest `history` messages, with or without artifacts.
pub(crate) fn view(task: &Task, history: usize, artifacts: bool) -> Task {
    let from = task.history.len().saturating_sub(history);
    Task {
        id: task.id.clone(),
        context_id: task.context_id.clone(),
        status: task.status.clone(),
        artifacts: if artifacts { task.artifacts.clone() } else { Vec::new() },
        history: task.history[from..].to_vec(),
        metadata: task.metadata.clone(),
    }
}
