//! What happens to tasks after a crash, and when the store failed under a turn.

use crate::accept::mark;
use crate::engine::Inner;
use crate::id::new_id;
use crate::live::Live;
use crate::log::EntryKind;
use crate::run::run;
use crate::store::{Append, AppendError, Condition, RowChange, StoreError};
use crate::turn::{Phase, TurnCore, status_carried};
use sabir_types::{Message, MessageId, Part, Role, TaskState, TaskStatus, TaskStatusUpdateEvent};
use std::sync::Arc;
use std::time::Duration;

/// How long a failed store is left alone before it is asked again.
const RETRY: Duration = Duration::from_secs(1);

impl Inner {
    /// Brings every task that an earlier run left unfinished on its way.
    pub(crate) async fn recover(self: &Arc<Self>) -> Result<(), StoreError> {
        for key in self.store.unfinished(&self.name).await? {
            let live = match self.live(&key).await {
                Ok(Some(live)) => live,
                Ok(None) => continue,
                Err(error) => return Err(StoreError::new(error)),
            };
            if live.lock().turn_open {
                self.take_up(&live).await?;
            } else if live.mark_starting() {
                self.runtime.spawn(self.clone().start_next(live));
            }
        }
        Ok(())
    }

    /// A turn that a crash cut off: it starts again where the executor can, else it has failed.
    async fn take_up(self: &Arc<Self>, live: &Arc<Live>) -> Result<(), StoreError> {
        let canceling = live.lock().folded.canceling;
        if self.executor.is_resumable() && !canceling {
            return self.start_again(live).await;
        }
        let (state, say) = if canceling {
            (TaskState::Canceled, "canceled; the agent was restarted meanwhile")
        } else {
            (TaskState::Failed, "the agent was restarted while it worked on this; send it again")
        };
        let turn = live.lock().turn;
        let condition = Condition::Command { turn_closed: false };
        match self.close(live, condition, turn, state, say).await {
            Err(AppendError::Store(error)) => Err(error),
            Err(error) => {
                tracing::warn!(task = %live.key.id, %error, "a task of an earlier run was not ended");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    async fn start_again(self: &Arc<Self>, live: &Arc<Live>) -> Result<(), StoreError> {
        let at = live.next_at();
        let (turn, message, asked, phase) = {
            let state = live.lock();
            let asked_by = |message: &&Message| message.role == Role::User;
            let message = state.folded.task.history.iter().rev().find(asked_by);
            let phase = if state.visible { Phase::Task } else { Phase::Undecided };
            (state.turn, message.cloned().unwrap_or_default(), state.folded.asked.clone(), phase)
        };
        let core = TurnCore::new(live, turn, (message, asked), phase);
        let append = Append {
            key: live.key.clone(),
            condition: Condition::Command { turn_closed: false },
            entries: Vec::new(),
            row: RowChange { open_turn: Some((self.epoch, turn)), ..RowChange::default() },
            idempotency: None,
            push: None,
        };
        let commit = self.append(live, append, vec![mark(EntryKind::TurnStarted, turn, at)]);
        match commit.await {
            Ok(Ok(_)) => {
                run(&core).await;
                Ok(())
            }
            Ok(Err(AppendError::Store(error))) => Err(error),
            Ok(Err(error)) => {
                tracing::warn!(task = %live.key.id, %error, "a turn was not started again");
                Ok(())
            }
            Err(_) => Err(StoreError::new("no answer to an append")),
        }
    }

    /// Ends an open turn and its task from outside of the turn.
    async fn close(
        &self,
        live: &Arc<Live>,
        condition: Condition,
        turn: u64,
        state: TaskState,
        say: &str,
    ) -> Result<(), AppendError> {
        let at = live.next_at();
        let status =
            TaskStatus { state, message: Some(live.agent_message(say)), timestamp: Some(at) };
        let update = TaskStatusUpdateEvent {
            task_id: live.key.id.clone(),
            context_id: live.lock().folded.task.context_id.clone(),
            status,
            metadata: None,
        };
        let carried = vec![status_carried(turn, at, update), mark(EntryKind::TurnEnded, turn, at)];
        let append = Append {
            key: live.key.clone(),
            condition,
            entries: Vec::new(),
            row: RowChange {
                status: Some((state, at)),
                visible: true,
                open_turn: None,
                close_turn: true,
            },
            idempotency: None,
            push: None,
        };
        match self.append(live, append, carried).await {
            Ok(result) => result.map(drop),
            Err(_) => Err(AppendError::Store(StoreError::new("no answer to an append"))),
        }
    }

    /// An append of a turn failed: everybody who waits is told, and the task ends FAILED once the
    /// store answers again.
    pub(crate) fn turn_lost(&self, core: Arc<TurnCore>, error: &AppendError) {
        let told = self.append_error(&core.live.key, error);
        core.live.lock().break_off(&told);
        core.live.changed.notify_waiters();
        let inner = self.arc();
        self.runtime.spawn(async move { inner.close_lost(&core).await });
    }

    async fn close_lost(&self, core: &Arc<TurnCore>) {
        let live = &core.live;
        loop {
            match self.try_close_lost(core).await {
                Ok(()) => return,
                Err(AppendError::Store(_)) => tokio::time::sleep(RETRY).await,
                Err(error) => {
                    tracing::warn!(task = %live.key.id, %error, "a lost turn was not ended here");
                    return;
                }
            }
        }
    }

    async fn try_close_lost(&self, core: &Arc<TurnCore>) -> Result<(), AppendError> {
        let live = &core.live;
        let Some(record) = self.store.load(&live.key).await? else { return Ok(()) };
        let row = &record.row;
        let folded = self.fold_record(&live.key, &record).await;
        let (folded, head) = folded.map_err(|error| AppendError::Store(StoreError::new(error)))?;
        let ours = row.turn_open && row.turn == core.number && row.epoch == self.epoch;
        live.lock().take_over(row, folded, head);
        if !ours {
            live.lock().broken = None;
            live.changed.notify_waiters();
            return Ok(());
        }
        let ordinal = row.ordinal + 1;
        let condition = Condition::Worker { epoch: self.epoch, turn: core.number, ordinal };
        let say = "the agent's events could not be kept; send the message again";
        self.close(live, condition, core.number, TaskState::Failed, say).await
    }
}

impl Live {
    /// Reserves the start of the next waiting message's turn.
    fn mark_starting(&self) -> bool {
        let mut state = self.lock();
        let next = !state.starting && !state.folded.pending.is_empty();
        state.starting |= next;
        next
    }

    /// A message of the agent within this task.
    pub(crate) fn agent_message(&self, text: &str) -> Message {
        Message {
            message_id: MessageId::from(new_id()),
            context_id: Some(self.lock().folded.task.context_id.clone()),
            task_id: Some(self.key.id.clone()),
            role: Role::Agent,
            parts: vec![Part::text(text)],
            ..Message::default()
        }
    }
}
