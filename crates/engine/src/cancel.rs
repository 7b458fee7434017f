//! Cancellation: an entry, a signal, a grace period, and then the end of the work.

use crate::accept::mark;
use crate::agent::Call;
use crate::engine::Inner;
use crate::fold::view;
use crate::live::Live;
use crate::log::EntryKind;
use crate::run::until;
use crate::store::{Append, AppendError, Condition, RowChange};
use crate::turn::{Say, TurnCore, status_carried};
use futures_util::FutureExt;
use sabir_types::{
    CancelTaskRequest, Error, ProtoMessage, Task, TaskState, TaskStatus, TaskStatusUpdateEvent,
};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// How much longer than the grace period CancelTask waits for the work to stop.
const PATIENCE: Duration = Duration::from_secs(1);

impl Inner {
    pub(crate) async fn cancel_task(
        &self,
        call: &Call,
        request: &CancelTaskRequest,
    ) -> Result<Task, Error> {
        if let Some(path) = request.missing() {
            return Err(Error::invalid_params(path, "is required"));
        }
        let key = self.key(self.scope(call, request.tenant.as_deref()), &request.id);
        let live = self.live(&key).await?.filter(|live| live.lock().visible);
        let live = live.ok_or_else(|| Error::task_not_found(&request.id))?;
        let already = live.lock().task_state();
        if already.is_terminal() {
            return Err(Error::task_not_cancelable(&request.id, already));
        }
        self.cancel(&live).await?;
        let waited = tokio::time::timeout(self.config.grace + PATIENCE, live.ended()).await;
        let state = live.lock();
        match (waited, state.task_state()) {
            // After the grace the work may still go on: the task as it is, not an error.
            (Ok(()), TaskState::Canceled) | (Err(_), _) => {
                Ok(view(&state.folded.task, self.config.history, true))
            }
            (Ok(()), other) => match &state.broken {
                Some(error) if !other.is_terminal() => Err(error.clone()),
                _ => Err(Error::task_not_cancelable(&request.id, other)),
            },
        }
    }

    /// Asks the running turn to stop, or ends a task that waits.
    async fn cancel(&self, live: &Arc<Live>) -> Result<(), Error> {
        loop {
            let (running, busy) = {
                let state = live.lock();
                if let Some(error) = &state.broken {
                    return Err(error.clone());
                }
                if state.task_state().is_terminal() {
                    return Ok(());
                }
                (state.running(), state.turn_open || state.starting)
            };
            if running.is_some_and(|core| core.request_cancel(None)) {
                return Ok(());
            }
            if busy {
                // A turn is being opened this moment, and will be there to be asked; or the end
                // of one is on its way, after which the task may wait.
                let changed = live.changed.notified();
                drop(tokio::time::timeout(Duration::from_millis(20), changed).await);
                continue;
            }
            tell(self, live).await;
            match self.cancel_waiting(live, None).await {
                Ok(()) | Err(AppendError::Terminal(_)) => return Ok(()),
                Err(AppendError::TurnOpen) => {}
                Err(error) => return Err(self.append_error(&live.key, &error)),
            }
        }
    }

    /// Ends a task that no turn works on.
    async fn cancel_waiting(&self, live: &Arc<Live>, say: Option<&str>) -> Result<(), AppendError> {
        let (at, turn) = (live.next_at(), live.lock().turn);
        let status = TaskStatus {
            state: TaskState::Canceled,
            message: say.map(|text| live.agent_message(text)),
            timestamp: Some(at),
        };
        let update = TaskStatusUpdateEvent {
            task_id: live.key.id.clone(),
            context_id: live.lock().folded.task.context_id.clone(),
            status,
            metadata: None,
        };
        let carried =
            vec![mark(EntryKind::CancelRequested, turn, at), status_carried(turn, at, update)];
        let append = Append {
            key: live.key.clone(),
            condition: Condition::Command { turn_closed: true },
            entries: Vec::new(),
            row: RowChange { status: Some((TaskState::Canceled, at)), ..RowChange::default() },
            idempotency: None,
            push: None,
        };
        match self.append(live, append, carried).await {
            Ok(result) => result.map(drop),
            Err(_) => Err(AppendError::Store(crate::store::StoreError::new("no answer"))),
        }
    }

    /// Cancels a waiting task when its deadline passes.
    pub(crate) async fn expire_later(self: Arc<Self>, live: Arc<Live>, deadline: i64) {
        until(Some(deadline)).await;
        if let Err(error) = self.expire(&live).await {
            tracing::debug!(task = %live.key.id, %error, "the deadline found the task busy or ended");
        }
    }

    async fn expire(&self, live: &Arc<Live>) -> Result<(), AppendError> {
        tell(self, live).await;
        self.cancel_waiting(live, Some("the deadline of the task has passed")).await
    }

    /// # Errors
    /// `UnsupportedOperation` when the task's deadline has passed; the task is canceled then.
    pub(crate) async fn check_deadline(&self, live: &Arc<Live>) -> Result<(), Error> {
        let (deadline, busy) = {
            let state = live.lock();
            (state.folded.deadline, state.is_busy() || state.task_state().is_terminal())
        };
        let now = sabir_types::Timestamp::now().as_millis();
        if busy || deadline.is_none_or(|deadline| deadline > now) {
            return Ok(());
        }
        match self.expire(live).await {
            Ok(()) => {
                Err(self.append_error(&live.key, &AppendError::Terminal(TaskState::Canceled)))
            }
            Err(error) => Err(self.append_error(&live.key, &error)),
        }
    }
}

/// Tells the executor that cancellation was asked for; bounded by the grace period.
async fn tell(inner: &Inner, live: &Arc<Live>) {
    let task = live.lock().folded.task.clone();
    let told = AssertUnwindSafe(inner.executor.cancel(&task)).catch_unwind();
    match tokio::time::timeout(inner.config.grace, told).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(error))) => {
            tracing::warn!(task = %live.key.id, %error, "the agent could not react to a cancellation");
        }
        Ok(Err(_)) => tracing::error!(task = %live.key.id, "the agent panicked in `cancel`"),
        Err(_) => tracing::warn!(task = %live.key.id, "`cancel` took longer than the grace period"),
    }
}

impl TurnCore {
    /// Asks the turn to stop: once, whoever asks and why. False when its last event was handed
    /// over before.
    pub(crate) fn request_cancel(self: &Arc<Self>, say: Option<Say>) -> bool {
        {
            let mut emitting = self.emitting.lock();
            if emitting.is_ended() {
                return false;
            }
            if emitting.canceling && self.stop.is_raised() {
                return true;
            }
            emitting.canceling = true;
            if emitting.cancel_say.is_none() {
                emitting.cancel_say = say;
            }
        }
        let append = Append {
            key: self.live.key.clone(),
            condition: Condition::Command { turn_closed: false },
            entries: Vec::new(),
            row: RowChange::default(),
            idempotency: None,
            push: None,
        };
        let at = sabir_types::Timestamp::now();
        let mark = mark(EntryKind::CancelRequested, self.number, at);
        // Whether it is kept or not, the turn stops; if it is not, the task has ended.
        drop(self.inner().append(&self.live, append, vec![mark]));
        self.stop.raise();
        let core = self.clone();
        self.inner().runtime.spawn(async move { tell(core.inner(), &core.live).await });
        let core = self.clone();
        self.inner().runtime.spawn(async move {
            tokio::time::sleep(core.inner().config.grace).await;
            core.kill.raise();
        });
        true
    }
}

impl Live {
    /// Waits until the task has ended, or nothing can be known of it.
    async fn ended(&self) {
        loop {
            let changed = self.changed.notified();
            {
                let state = self.lock();
                if state.task_state().is_terminal() || state.broken.is_some() {
                    return;
                }
            }
            changed.await;
        }
    }
}
