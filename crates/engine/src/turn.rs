//! A turn: one run of an executor, from a message to a terminal or interrupted state.

mod core;
mod emit;
mod say;

pub(crate) use core::{Panicked, Phase, TurnCore};
pub use emit::EmitError;
pub(crate) use emit::status_carried;
pub use say::Say;

use crate::executor::ExecutorError;
use crate::log::EntryKind;
use sabir_types::{
    Artifact, ArtifactId, ContextId, JsonObject, Message, Principal, Task, TaskId, TaskState,
    Timestamp,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// An executor's handle on its turn. Clone it and move it into background work at will; the turn
/// lasts until it ends by an event or the last clone is dropped.
///
/// What is emitted is committed in order and shown to readers once it is committed. Emitting waits
/// only when too much is under way ([`turn_bytes`](crate::EngineConfig::turn_bytes)); events that
/// end the turn, [`once`](Self::once) and [`commit`](Self::commit) wait for the commit.
#[derive(Clone)]
pub struct Turn {
    handle: Arc<Handle>,
}

/// Knows when the last clone of a turn is dropped.
struct Handle {
    core: Arc<TurnCore>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.core.released();
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("task", self.task_id())
            .field("number", &self.handle.core.number)
            .finish_non_exhaustive()
    }
}

/// What the turn is about.
impl Turn {
    pub(crate) fn new(core: Arc<TurnCore>) -> Self {
        Self { handle: Arc::new(Handle { core }) }
    }

    fn core(&self) -> &Arc<TurnCore> {
        &self.handle.core
    }

    /// The message that started the turn.
    pub fn message(&self) -> &Message {
        &self.core().message
    }

    /// The text parts of the message, one a line.
    pub fn text(&self) -> String {
        self.message().text()
    }

    /// The task's id.
    pub fn task_id(&self) -> &TaskId {
        &self.core().live.key.id
    }

    /// The id of the conversation.
    pub fn context_id(&self) -> &ContextId {
        &self.core().context_id
    }

    /// The number of the turn within its task, from 1.
    pub fn number(&self) -> u64 {
        self.core().number
    }

    /// The task as it is committed now, with its whole history.
    pub fn task(&self) -> Task {
        self.core().flush(&mut self.core().emitting.lock());
        Task::clone(&self.core().live.lock().folded.task)
    }

    /// Who sent the message.
    pub fn principal(&self) -> &Principal {
        &self.core().principal
    }

    /// The tenant the message was addressed to; empty for none.
    pub fn tenant(&self) -> &str {
        &self.core().live.key.scope.tenant
    }

    /// Output media types the sender takes; empty when it did not say.
    pub fn accepted_output_modes(&self) -> &[String] {
        &self.core().asked.output_modes
    }

    /// Extensions the sender declared.
    pub fn extensions(&self) -> &[String] {
        &self.core().asked.extensions
    }

    /// The metadata of the request.
    pub fn metadata(&self) -> Option<&JsonObject> {
        self.core().asked.metadata.as_ref()
    }

    /// When the task is canceled if it has not ended.
    pub fn deadline(&self) -> Option<Timestamp> {
        self.core().deadline.map(Timestamp::from_millis)
    }

    /// The W3C `traceparent` of the sender.
    pub fn trace(&self) -> Option<&str> {
        self.core().asked.trace.as_deref()
    }

    /// Whether the turn is to stop: cancellation was asked for, or the turn has ended otherwise.
    pub fn is_canceled(&self) -> bool {
        self.core().stop.is_raised()
    }

    /// Waits until the turn is to stop.
    pub async fn canceled(&self) {
        self.core().stop.raised().await;
    }

    /// The owner's other tasks of the same context, newest first, at most 100.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn earlier_tasks(&self) -> Result<Vec<Task>, ExecutorError> {
        Ok(self.core().inner().earlier_tasks(self.core()).await?)
    }

    /// The owner's tasks that the message refers to; ids that are not the owner's are left out.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn referenced_tasks(&self) -> Result<Vec<Task>, ExecutorError> {
        Ok(self.core().inner().referenced_tasks(self.core()).await?)
    }

    /// The next message that was sent to the running turn of an executor that
    /// [takes steering](crate::Executor::takes_steering); `None` once the turn is to stop.
    pub async fn next_message(&self) -> Option<Message> {
        self.core().next_message().await
    }
}

/// What the agent says and does.
impl Turn {
    /// The task is being worked on.
    ///
    /// # Errors
    /// When the turn has ended, or an event before this one could not be kept.
    pub async fn working(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::Working, say).await
    }

    /// A result as a whole; replaces the artifact of the same id. Without an id it gets one.
    ///
    /// # Errors
    /// As [`working`](Self::working), and when the artifact has no part.
    pub async fn artifact(&self, artifact: Artifact) -> Result<ArtifactId, EmitError> {
        self.core().emit_artifact(artifact, false, true).await
    }

    /// A chunk of a result; the first chunk of an id makes the artifact, later ones append to it.
    /// `last` says that no more will come.
    ///
    /// # Errors
    /// As [`artifact`](Self::artifact).
    pub async fn append(&self, chunk: Artifact, last: bool) -> Result<ArtifactId, EmitError> {
        self.core().emit_artifact(chunk, true, last).await
    }

    /// Ends the turn: the task waits for another message.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn input_required(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::InputRequired, say).await
    }

    /// Ends the turn: the task waits for an authorisation, and for a message that says so.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn auth_required(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::AuthRequired, say).await
    }

    /// The task waits for an authorisation that reaches the running turn by another way; the turn
    /// goes on.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn await_auth(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.core().emit_status(TaskState::AuthRequired, say.into(), false).await
    }

    /// Ends the task: done.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn completed(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::Completed, say).await
    }

    /// Ends the task: the agent will not do it.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn rejected(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::Rejected, say).await
    }

    /// Ends the task: the agent could not do it.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn failed(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.status(TaskState::Failed, say).await
    }

    /// Moves the task to a state; a terminal or interrupted one ends the turn. `Canceled` is
    /// written when the last clone of the turn is dropped.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn status(&self, state: TaskState, say: impl Into<Say>) -> Result<(), EmitError> {
        let ends = state.is_terminal() || state.is_interrupted();
        self.core().emit_status(state, say.into(), ends).await
    }

    /// Answers directly, without a task, and ends the turn. Where the task is known to somebody
    /// already, it is completed with this message instead.
    ///
    /// # Errors
    /// As [`working`](Self::working).
    pub async fn reply(&self, say: impl Into<Say>) -> Result<(), EmitError> {
        self.core().emit_reply(say.into()).await
    }

    /// Waits until everything emitted so far is committed.
    ///
    /// # Errors
    /// When it could not be.
    pub async fn commit(&self) -> Result<(), EmitError> {
        self.core().committed().await
    }

    /// Keeps a value of the author's in the task's log; the latest one stays.
    ///
    /// # Errors
    /// As [`working`](Self::working), and when the value cannot be written as JSON.
    pub async fn save<T: Serialize + Sync>(&self, state: &T) -> Result<(), ExecutorError> {
        let value = serde_json::to_value(state)?;
        Ok(self.core().emit_internal(EntryKind::State, value).await?)
    }

    /// The value that was saved last, in this turn or an earlier one; `None` when there is none
    /// or it is not a `T`.
    pub fn state<T: DeserializeOwned>(&self) -> Option<T> {
        self.core().state()
    }

    /// Does a step at most once however often the turn starts: a result that is kept in the log
    /// is returned instead. A crash between the step's effect and the commit of its result
    /// repeats the step; hand `key` on to services that recognise repeats.
    ///
    /// # Errors
    /// What the step returns; when its result cannot be kept or read.
    pub async fn once<T, F>(&self, key: &str, step: impl FnOnce() -> F) -> Result<T, ExecutorError>
    where
        T: Serialize + DeserializeOwned + Send,
        F: Future<Output = Result<T, ExecutorError>> + Send,
    {
        let _one_at_a_time = self.core().once.lock().await;
        if let Some(value) = self.core().live.lock().folded.once.get(key) {
            return Ok(serde_json::from_value(value.clone())?);
        }
        // What was emitted before the step is committed before it: a turn that lost its task is
        // told here and not after the effect.
        self.commit().await?;
        let result = step().await?;
        let record = Value::Array(vec![Value::from(key), serde_json::to_value(&result)?]);
        self.core().emit_internal(EntryKind::Once, record).await?;
        self.commit().await?;
        Ok(result)
    }
}
