//! Reads a task's log from a sequence and waits for what follows.

use crate::agent::Event;
use crate::live::Live;
use crate::read::PAGE;
use crate::ring::Item;
use sabir_types::{Error, TaskState};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::time::Instant;

/// A reader of a task's wire-visible entries: each once, in order, however slow it is.
pub(crate) struct Cursor {
    live: Arc<Live>,
    after: u64,
    ahead: VecDeque<Item>,
}

impl Cursor {
    pub(crate) fn new(live: Arc<Live>, after: u64) -> Self {
        live.lock().readers += 1;
        Self { live, after, ahead: VecDeque::new() }
    }

    /// The task it reads.
    pub(crate) fn live(&self) -> &Live {
        &self.live
    }

    /// The next entry; waits for it. `None` once the task has ended and everything was read.
    ///
    /// # Errors
    /// When the store fails, or the log is no longer kept.
    pub(crate) async fn next(&mut self) -> Result<Option<Item>, Error> {
        loop {
            if let Some(item) = self.ahead.pop_front() {
                self.after = item.seq;
                return Ok(Some(item));
            }
            let live = self.live.clone();
            // Made before looking, so that a commit in between is not missed.
            let changed = live.changed.notified();
            match self.look() {
                Look::Ahead => continue,
                Look::Store => {
                    self.read_store().await?;
                    continue;
                }
                Look::Ended => return Ok(None),
                Look::Broken(error) => return Err(error),
                Look::Nothing => {}
            }
            changed.await;
        }
    }

    fn look(&mut self) -> Look {
        let state = self.live.lock();
        match state.ring.after(self.after, PAGE) {
            None => Look::Store,
            Some(items) if !items.is_empty() => {
                self.ahead = items;
                Look::Ahead
            }
            Some(_) if state.task_state().is_terminal() || state.folded.reply.is_some() => {
                Look::Ended
            }
            Some(_) => state.broken.clone().map_or(Look::Nothing, Look::Broken),
        }
    }

    async fn read_store(&mut self) -> Result<(), Error> {
        let entries = self.live.inner.store.entries(&self.live.key, self.after, PAGE).await;
        let entries = entries.map_err(|error| self.live.inner.store_error(&error))?;
        let Some(last) = entries.last() else {
            return Err(Error::unavailable(format!(
                "the events of task {} after {} are no longer kept; read the task instead",
                self.live.key.id, self.after
            )));
        };
        self.after = last.seq;
        self.ahead.extend(entries.iter().filter(|entry| entry.kind.is_visible()).map(|entry| {
            Item {
                seq: entry.seq,
                turn: entry.turn,
                kind: entry.kind,
                state: entry.state,
                event: Arc::new(Event::from_json(Some(entry.seq), entry.payload.clone())),
            }
        }));
        Ok(())
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        let mut state = self.live.lock();
        state.readers -= 1;
        state.read_at = Some(Instant::now());
    }
}

enum Look {
    Ahead,
    Store,
    Ended,
    Broken(Error),
    Nothing,
}

/// Whether a stream of SendStreamingMessage for `turn` ends with this entry: the agent waits for
/// its caller. At AUTH_REQUIRED the stream stays open (specification section 7.6.1).
pub(crate) fn rests(item: &Item, turn: u64) -> bool {
    item.turn >= turn && item.state == TaskState::InputRequired
}
