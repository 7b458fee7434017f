//! What all handles of a turn share, and how a turn ends by itself.

use super::Turn;
use super::emit::Emitting;
use crate::engine::Inner;
use crate::executor::ExecutorError;
use crate::fold::{Asked, placed};
use crate::live::Live;
use crate::signal::Signal;
use crate::turn::Say;
use parking_lot::Mutex;
use sabir_types::{ContextId, Error, Message, Principal, TaskState};
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use tokio::sync::Notify;

/// Whether the task is known to somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nobody knows it: the executor may still reply directly.
    Undecided,
    /// It is a task.
    Task,
    /// It was answered with a message.
    Message,
}

/// The state of a turn, behind its handles.
pub(crate) struct TurnCore {
    pub(crate) live: Arc<Live>,
    pub(crate) number: u64,
    pub(crate) message: Message,
    pub(crate) context_id: ContextId,
    pub(crate) principal: Principal,
    pub(crate) asked: Asked,
    pub(crate) deadline: Option<i64>,
    /// Tells the executor to stop.
    pub(crate) stop: Signal,
    /// Tells the driver to drop the executor's future.
    pub(crate) kill: Signal,
    pub(crate) emitting: Mutex<Emitting>,
    pub(crate) flow: Mutex<Flow>,
    pub(crate) flowed: Notify,
    pub(crate) once: tokio::sync::Mutex<()>,
    /// The value saved last, committed or not.
    pub(crate) saved: Mutex<Option<serde_json::Value>>,
    mailbox: Mutex<VecDeque<Message>>,
    mail: Notify,
}

/// What is under way to the store.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    pub(crate) bytes: usize,
    pub(crate) appends: usize,
    pub(crate) failed: Option<Error>,
}

impl fmt::Debug for TurnCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnCore")
            .field("task", &self.live.key.id)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}

impl TurnCore {
    /// The core of a turn whose start is committed or about to be.
    pub(crate) fn new(
        live: &Arc<Live>,
        number: u64,
        (message, asked): (Message, Asked),
        phase: Phase,
    ) -> Arc<Self> {
        let (context_id, deadline, saved, at) = {
            let state = live.lock();
            let folded = &state.folded;
            let saved = Some(&folded.state).filter(|state| !state.is_null()).cloned();
            let at = folded.task.status.timestamp.unwrap_or_default();
            (folded.task.context_id.clone(), folded.deadline.or(asked.deadline), saved, at)
        };
        let principal = if asked.principal.is_empty() {
            Principal::anonymous()
        } else {
            Principal::new(asked.principal.as_str())
        };
        Arc::new(Self {
            live: live.clone(),
            number,
            message: placed(message, &live.key.id, &context_id),
            context_id,
            principal,
            asked,
            deadline,
            stop: Signal::default(),
            kill: Signal::default(),
            emitting: Mutex::new(Emitting::new(phase, at)),
            flow: Mutex::default(),
            flowed: Notify::new(),
            once: tokio::sync::Mutex::new(()),
            saved: Mutex::new(saved),
            mailbox: Mutex::default(),
            mail: Notify::new(),
        })
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.live.inner
    }

    /// The executor's future is done.
    pub(crate) fn returned(self: &Arc<Self>, result: Result<Result<(), ExecutorError>, Panicked>) {
        let mut emitting = self.emitting.lock();
        let what = match result {
            Ok(Ok(())) => return,
            Ok(Err(error)) if emitting.canceling => {
                tracing::debug!(task = %self.live.key.id, %error, "the executor stopped");
                return;
            }
            Ok(Err(error)) => error.message().to_owned(),
            Err(Panicked) => "the agent panicked".to_owned(),
        };
        if emitting.is_over() {
            tracing::warn!(task = %self.live.key.id, error = %what, "after the end of its turn the agent failed");
            return;
        }
        self.end(&mut emitting, TaskState::Failed, what.into());
    }

    /// The last handle is gone: nobody can end the turn any more.
    pub(crate) fn released(self: &Arc<Self>) {
        let mut emitting = self.emitting.lock();
        if emitting.canceling && !emitting.is_ended() {
            let say = emitting.cancel_say.take().unwrap_or_default();
            self.end(&mut emitting, TaskState::Canceled, say);
        } else if !emitting.is_over() {
            self.end(&mut emitting, TaskState::Failed, "the agent ended without a result".into());
        }
        drop(emitting);
        self.inner().turn_ends();
    }

    /// Hands a message to the running turn.
    pub(crate) fn steer(&self, message: Message) {
        self.mailbox.lock().push_back(message);
        self.mail.notify_one();
    }

    pub(crate) async fn next_message(&self) -> Option<Message> {
        loop {
            if let Some(message) = self.mailbox.lock().pop_front() {
                return Some(message);
            }
            tokio::select! {
                () = self.mail.notified() => {}
                () = self.stop.raised() => return None,
            }
        }
    }

    pub(crate) fn state<T: DeserializeOwned>(&self) -> Option<T> {
        let value = self.saved.lock().clone()?;
        serde_json::from_value(value)
            .inspect_err(|error| {
                tracing::error!(task = %self.live.key.id, %error, "the saved state is of another shape");
            })
            .ok()
    }

    /// The first handle of the turn; all others are its clones.
    pub(crate) fn handle(self: &Arc<Self>) -> Turn {
        self.inner().turn_begins();
        Turn::new(self.clone())
    }
}

/// The executor panicked; the payload is in the log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panicked;

impl From<Error> for Say {
    fn from(error: Error) -> Self {
        error.to_string().into()
    }
}
