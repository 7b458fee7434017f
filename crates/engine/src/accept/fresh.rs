//! A message that starts a new task.

use super::{Begin, Incoming, Mode, mark};
use crate::engine::Inner;
use crate::fold::{Body, Folded, view};
use crate::id::new_id;
use crate::live::{Carried, Live, Rest};
use crate::log::EntryKind;
use crate::run::run;
use crate::store::{Append, AppendError, Appended, Condition, RowChange};
use crate::turn::{Phase, TurnCore};
use sabir_types::{ContextId, Error, TaskId, Timestamp};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The outcome of an append, as soon as there is one.
pub(crate) type Commit = oneshot::Receiver<Result<Appended, AppendError>>;

/// A new task whose first append is under way.
pub(super) struct Fresh {
    pub(super) live: Arc<Live>,
    pub(super) core: Arc<TurnCore>,
    pub(super) commit: Commit,
    pub(super) rest: Option<Rest>,
}

impl Inner {
    /// Makes the task and hands its first append over.
    pub(super) fn accept_fresh(&self, incoming: &mut Incoming) -> Fresh {
        let id = TaskId::from(new_id());
        let context_id = incoming.message.context_id.clone().filter(|id| !id.is_empty());
        let context_id = context_id.unwrap_or_else(|| ContextId::from(new_id()));
        let at = Timestamp::now();
        let folded = Folded::new(id.clone(), context_id.clone(), at);
        let live = self.make_live(self.key(incoming.scope.clone(), &id), folded);
        let idempotency = incoming.record(self, &id, 1, at);
        let accepted = incoming.accepted(1, at);
        let rest = {
            let mut state = live.lock();
            state.last_turn = 1;
            state.starting = true;
            (incoming.mode == Mode::Wait).then(|| state.wait_for(1, incoming.history))
        };
        let core = self.core_of(&live, 1, &accepted, Phase::Undecided);
        let append = Append {
            key: live.key.clone(),
            condition: Condition::New { context_id },
            entries: Vec::new(),
            row: RowChange { open_turn: Some((self.epoch, 1)), ..RowChange::default() },
            idempotency,
            push: incoming.push.take(),
        };
        let carried = vec![accepted, mark(EntryKind::TurnStarted, 1, at)];
        let commit = self.append(&live, append, carried);
        Fresh { live, core, commit, rest }
    }

    /// The core of the turn that an accepted message starts.
    pub(super) fn core_of(
        &self,
        live: &Arc<Live>,
        turn: u64,
        accepted: &Carried,
        phase: Phase,
    ) -> Arc<TurnCore> {
        let about = match &accepted.body {
            Body::Accepted(accepted) => (accepted.message.clone(), accepted.asked.clone()),
            _ => Default::default(),
        };
        TurnCore::new(live, turn, about, phase)
    }

    /// Hands an append of a command over; what was committed reaches the live task by itself.
    pub(crate) fn append(
        &self,
        live: &Arc<Live>,
        mut append: Append,
        carried: Vec<Carried>,
    ) -> Commit {
        let queued = append.row.open_turn.is_none()
            && carried.iter().any(|item| item.entry.kind == EntryKind::Accepted);
        append.entries = carried.iter().map(|item| item.entry.clone()).collect();
        let row = append.row;
        let live = live.clone();
        let (sender, commit) = oneshot::channel();
        self.store.append(
            append,
            Box::new(move |result| {
                match &result {
                    Ok(appended) => live.inner.committed(&live, *appended, carried, &row),
                    Err(_) if row.open_turn.is_some() => live.lock().starting = false,
                    Err(_) => {}
                }
                if queued {
                    live.lock().queueing -= 1;
                }
                // Nobody may be waiting; the commit stands all the same.
                drop(sender.send(result));
            }),
        );
        commit
    }

    /// Runs a turn once its start is committed, also when the caller hangs up meanwhile.
    pub(super) async fn launch(
        &self,
        mut commit: Commit,
        core: &Arc<TurnCore>,
        incoming: &Incoming,
    ) -> Result<Result<Option<Box<Begin>>, AppendError>, Error> {
        let stream = (incoming.mode == Mode::Stream).then_some(incoming.history);
        match commit.try_recv() {
            Ok(Ok(_)) => Ok(Ok(begin_and_run(core, stream).await)),
            Ok(Err(error)) => Ok(Err(error)),
            Err(_) => {
                let core = core.clone();
                let started = self.runtime.spawn(async move {
                    match commit.await {
                        Ok(Ok(_)) => Ok(begin_and_run(&core, stream).await),
                        Ok(Err(error)) => Err(error),
                        Err(_) => Err(AppendError::Store(lost())),
                    }
                });
                started.await.map_err(|_| Error::internal("the turn could not be started"))
            }
        }
    }
}

/// A store that dropped an append without an answer.
fn lost() -> crate::store::StoreError {
    crate::store::StoreError::new("an append was dropped without an answer")
}

/// Notes where the caller's stream begins, before the executor says anything.
async fn begin_and_run(core: &Arc<TurnCore>, stream: Option<usize>) -> Option<Box<Begin>> {
    let begin = stream.map(|history| {
        let state = core.live.lock();
        let task = view(&state.folded.task, history, true);
        Box::new(Begin { after: state.head, task, known: state.visible })
    });
    run(core).await;
    begin
}
