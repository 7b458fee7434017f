//! What an agent author writes: an [`Executor`].

use crate::turn::Turn;
use async_trait::async_trait;
use sabir_types::Task;
use std::fmt;

/// The user's code behind an agent.
///
/// ```
/// use sabir_engine::{Executor, ExecutorError, Turn, async_trait};
///
/// struct Hello;
///
/// #[async_trait]
/// impl Executor for Hello {
///     async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
///         turn.completed(format!("Hello! You said: {}", turn.text())).await?;
///         Ok(())
///     }
/// }
/// ```
#[async_trait]
pub trait Executor: Send + Sync + 'static {
    /// Works on one message, from it to a terminal or interrupted state.
    ///
    /// An `Err` or a panic ends the task FAILED at once. Returning `Ok` ends nothing by itself:
    /// the turn may go on in a background task that holds a clone of `turn`; the task ends FAILED
    /// when the last clone is dropped before the turn has ended.
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError>;

    /// Told that cancellation was asked for, beside the turn's token; also for tasks that wait.
    async fn cancel(&self, _task: &Task) -> Result<(), ExecutorError> {
        Ok(())
    }

    /// Whether a turn that a crash cut off may be started again, with the log as it is.
    fn is_resumable(&self) -> bool {
        false
    }

    /// Whether messages to a running task go to its turn ([`Turn::next_message`]) instead of
    /// waiting for the turn to end.
    fn takes_steering(&self) -> bool {
        false
    }
}

/// Why a turn failed: its text becomes the status message of the failed task.
pub struct ExecutorError {
    message: String,
}

impl ExecutorError {
    /// Says what failed, in words for the caller.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    /// What failed.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Debug for ExecutorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ExecutorError").field(&self.message).finish()
    }
}

impl fmt::Display for ExecutorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error> From<E> for ExecutorError {
    fn from(error: E) -> Self {
        Self::new(error.to_string())
    }
}
