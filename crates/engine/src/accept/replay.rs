//! A message that was accepted before: its sender attaches to the turn it started.

use super::{Begin, Incoming, Mode, Taken};
use crate::engine::Inner;
use crate::fold::view;
use crate::live::{Live, ended_before};
use crate::log::{EntryKind, LogEntry};
use crate::store::IdempotencyRecord;
use sabir_types::{Error, Timestamp};
use std::sync::Arc;
use tokio::sync::oneshot;

impl Inner {
    /// Attaches a repeat to the turn of the message it repeats; nothing starts.
    pub(super) async fn replay(
        &self,
        incoming: Incoming,
        record: IdempotencyRecord,
    ) -> Result<Taken, Error> {
        let live = self.recorded(&incoming, &record).await?;
        let mut taken = Taken {
            live: live.clone(),
            turn: record.turn,
            core: live.lock().running().filter(|core| core.number == record.turn),
            replayed: true,
            rest: None,
            begin: None,
        };
        match incoming.mode {
            Mode::Wait => taken.rest = Some(self.rest_again(&live, &incoming, record.turn).await?),
            Mode::Immediately => {}
            Mode::Stream => {
                taken.begin = Some(Box::new(self.begin_again(&incoming, &live, &record).await?));
            }
        }
        Ok(taken)
    }

    /// The task of a record.
    async fn recorded(
        &self,
        incoming: &Incoming,
        record: &IdempotencyRecord,
    ) -> Result<Arc<Live>, Error> {
        if record.digest != incoming.digest {
            return Err(Error::invalid_params(
                "message.messageId",
                "was used for another message; every message needs an id of its own",
            ));
        }
        let key = self.key(incoming.scope.clone(), &record.task);
        self.live(&key).await?.ok_or_else(|| {
            Error::unsupported_operation(
                "this message was accepted before and its task is no longer kept; \
                 send it under another messageId to start anew",
            )
        })
    }

    /// The wait for a turn that may be over.
    async fn rest_again(
        &self,
        live: &Arc<Live>,
        incoming: &Incoming,
        turn: u64,
    ) -> Result<crate::live::Rest, Error> {
        {
            let mut state = live.lock();
            let over = state.rest_turn >= turn || state.task_state().is_terminal();
            if !over {
                return Ok(state.wait_for(turn, incoming.history));
            }
            if state.task_state().is_terminal() && state.folded.pending.contains_key(&turn) {
                return Err(ended_before(&state.folded.task));
            }
        }
        // The task as it was when the turn ended, while its entries are kept.
        let ended = |entry: &LogEntry| entry.turn == turn && entry.kind == EntryKind::TurnEnded;
        let outcome = match self.fold_until(&live.key, ended).await? {
            Some((folded, _)) => match folded.reply {
                Some((_, message)) => crate::live::Outcome::Message(message),
                None => crate::live::Outcome::Task(folded.task, incoming.history),
            },
            None => live.lock().outcome(turn, incoming.history),
        };
        let (sender, rest) = oneshot::channel();
        drop(sender.send(Ok(outcome)));
        Ok(rest)
    }

    /// The beginning of the turn's stream, while its entries are kept.
    async fn begin_again(
        &self,
        incoming: &Incoming,
        live: &Arc<Live>,
        record: &IdempotencyRecord,
    ) -> Result<Begin, Error> {
        let turn = record.turn;
        let started = |entry: &LogEntry| entry.turn == turn && entry.kind == EntryKind::TurnStarted;
        let known = {
            let state = live.lock();
            if state.task_state().is_terminal() && state.folded.pending.contains_key(&turn) {
                return Err(ended_before(&state.folded.task));
            }
            state.visible
        };
        Ok(match self.fold_until(&live.key, started).await? {
            Some((folded, after)) => {
                Begin { after, task: view(&folded.task, incoming.history, true), known }
            }
            None => live.begin(incoming.history),
        })
    }

    /// SendStreamingMessage with `Last-Event-ID`: goes on after that event of its own stream.
    pub(super) async fn resume(&self, incoming: &Incoming) -> Result<Taken, Error> {
        let after = incoming.resume_after.unwrap_or_default();
        let record = match &incoming.idempotency {
            Some(key) => self
                .store
                .find_message(key, Timestamp::now())
                .await
                .map_err(|error| self.store_error(&error))?,
            None => None,
        };
        let record = record.ok_or_else(|| {
            Error::invalid_params(
                "Last-Event-ID",
                "belongs to no stream of this message; leave it out to send the message",
            )
        })?;
        let live = self.recorded(incoming, &record).await?;
        let begin = self.begin_after(&live, after, incoming.history).await?;
        let core = live.lock().running().filter(|core| core.number == record.turn);
        Ok(Taken {
            core,
            live,
            turn: record.turn,
            replayed: true,
            rest: None,
            begin: Some(Box::new(begin)),
        })
    }

    /// The task as of a sequence, or as it is now where that is no longer kept.
    pub(crate) async fn begin_after(
        &self,
        live: &Arc<Live>,
        after: u64,
        history: usize,
    ) -> Result<Begin, Error> {
        let (head, known) = {
            let state = live.lock();
            (state.head, state.visible)
        };
        if after > head {
            return Err(Error::invalid_params(
                "Last-Event-ID",
                format!("is beyond the latest event of the task, {head}"),
            ));
        }
        let past = |entry: &LogEntry| entry.seq >= after;
        Ok(match self.fold_until(&live.key, past).await? {
            Some((folded, after)) => {
                Begin { after, task: view(&folded.task, history, true), known }
            }
            None => live.begin(history),
        })
    }
}
