//! A message to a task that exists: its turn starts, or it waits for the running one.

use super::fresh::Commit;
use super::{Begin, Incoming, Mode, Taken, mark};
use crate::engine::Inner;
use crate::fold::{Accepted, view};
use crate::live::{Live, LiveState, Rest};
use crate::log::EntryKind;
use crate::run::run;
use crate::store::{Append, AppendError, Condition, RowChange};
use crate::turn::{Phase, TurnCore, status_carried};
use sabir_types::{Error, TaskId, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// How long a failed store is left alone before a waiting message is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What is to be done with a message, decided under the task's lock.
enum Plan {
    Start { turn: u64, rest: Option<Rest> },
    Queue { turn: u64, rest: Option<Rest> },
    Steer { turn: u64 },
}

impl Inner {
    pub(super) async fn accept_existing(
        &self,
        incoming: Incoming,
        id: TaskId,
    ) -> Result<Taken, Error> {
        let key = self.key(incoming.scope.clone(), &id);
        let live = self.live(&key).await?.filter(|live| live.lock().visible);
        let Some(live) = live else { return Err(Error::task_not_found(&id)) };
        if let Some(key) = &incoming.idempotency {
            let found = self.store.find_message(key, Timestamp::now()).await;
            if let Some(record) = found.map_err(|error| self.store_error(&error))? {
                return self.replay(incoming, record).await;
            }
        }
        self.check_deadline(&live).await?;
        let plan = self.plan(&live, &incoming)?;
        match plan {
            Plan::Start { turn, rest } => self.start_turn(live, incoming, turn, rest).await,
            Plan::Queue { turn, rest } => self.queue_turn(live, incoming, turn, rest).await,
            Plan::Steer { turn } => self.steer(live, incoming, turn).await,
        }
    }

    fn plan(&self, live: &Arc<Live>, incoming: &Incoming) -> Result<Plan, Error> {
        let mut state = live.lock();
        let task = &state.folded.task;
        let context = incoming.message.context_id.as_ref().filter(|id| !id.is_empty());
        if context.is_some_and(|context| *context != task.context_id) {
            return Err(Error::invalid_params(
                "message.contextId",
                "must be the context of message.taskId, or be left out",
            ));
        }
        if task.status.state.is_terminal() {
            return Err(self.append_error(&live.key, &AppendError::Terminal(task.status.state)));
        }
        if let Some(error) = &state.broken {
            return Err(error.clone());
        }
        let wait = |state: &mut LiveState, turn| {
            (incoming.mode == Mode::Wait).then(|| state.wait_for(turn, incoming.history))
        };
        if !state.is_busy() {
            state.starting = true;
            let turn = state.next_turn();
            return Ok(Plan::Start { turn, rest: wait(&mut state, turn) });
        }
        if self.executor.takes_steering() && state.running().is_some() {
            state.queueing += 1;
            return Ok(Plan::Steer { turn: state.next_turn() });
        }
        if incoming.mode == Mode::Immediately {
            return Err(Error::unsupported_operation(format!(
                "task {} is working on another message; send without returnImmediately to wait",
                live.key.id
            )));
        }
        if state.folded.pending.len() + state.queueing >= self.config.queue {
            return Err(Error::rate_limited(Duration::from_secs(1)).with_message(format!(
                "{} messages already wait for task {}",
                self.config.queue, live.key.id
            )));
        }
        state.queueing += 1;
        let turn = state.next_turn();
        Ok(Plan::Queue { turn, rest: wait(&mut state, turn) })
    }

    /// First a status WORKING, which moves the question into the history, then the message.
    async fn start_turn(
        &self,
        live: Arc<Live>,
        mut incoming: Incoming,
        turn: u64,
        rest: Option<Rest>,
    ) -> Result<Taken, Error> {
        let at = live.next_at();
        let accepted = incoming.accepted(turn, at);
        let core = self.core_of(&live, turn, &accepted, Phase::Task);
        let append = Append {
            key: live.key.clone(),
            condition: Condition::Command { turn_closed: true },
            entries: Vec::new(),
            row: RowChange {
                status: Some((TaskState::Working, at)),
                open_turn: Some((self.epoch, turn)),
                ..RowChange::default()
            },
            idempotency: incoming.record(self, &live.key.id, turn, at),
            push: incoming.push.take(),
        };
        let working = live.working(turn, at);
        let carried = vec![working, accepted, mark(EntryKind::TurnStarted, turn, at)];
        let commit = self.append(&live, append, carried);
        match self.launch(commit, &core, &incoming).await? {
            Ok(begin) => Ok(Taken { live, turn, core: Some(core), replayed: false, rest, begin }),
            Err(error) => self.refused(live, incoming, error).await,
        }
    }

    async fn queue_turn(
        &self,
        live: Arc<Live>,
        mut incoming: Incoming,
        turn: u64,
        rest: Option<Rest>,
    ) -> Result<Taken, Error> {
        let at = Timestamp::now();
        let accepted = incoming.accepted(turn, at);
        let append = self.command(&live, &mut incoming, turn, at);
        let commit = self.append(&live, append, vec![accepted]);
        self.settle(live, incoming, commit, turn, rest).await
    }

    /// The message goes to the running turn; if that ends first, it starts one of its own.
    async fn steer(
        &self,
        live: Arc<Live>,
        mut incoming: Incoming,
        turn: u64,
    ) -> Result<Taken, Error> {
        let at = Timestamp::now();
        incoming.asked.steers = true;
        let (mode, history) = (incoming.mode, incoming.history);
        let accepted = incoming.accepted(turn, at);
        let append = self.command(&live, &mut incoming, turn, at);
        let commit = self.append(&live, append, vec![accepted]);
        let mut taken = self.settle(live, incoming, commit, turn, None).await?;
        let mut state = taken.live.lock();
        let runs_as = if state.folded.pending.contains_key(&turn) { turn } else { state.turn };
        if mode == Mode::Wait && state.rest_turn < runs_as {
            taken.rest = Some(state.wait_for(runs_as, history));
        }
        drop(state);
        taken.turn = runs_as;
        Ok(taken)
    }

    /// An append that keeps a message without starting anything.
    fn command(&self, live: &Live, incoming: &mut Incoming, turn: u64, at: Timestamp) -> Append {
        Append {
            key: live.key.clone(),
            condition: Condition::Command { turn_closed: false },
            entries: Vec::new(),
            row: RowChange::default(),
            idempotency: incoming.record(self, &live.key.id, turn, at),
            push: incoming.push.take(),
        }
    }

    /// Waits until a message that starts nothing by itself is kept.
    async fn settle(
        &self,
        live: Arc<Live>,
        incoming: Incoming,
        commit: Commit,
        turn: u64,
        rest: Option<Rest>,
    ) -> Result<Taken, Error> {
        match commit.await {
            Ok(Ok(_)) => {
                let begin = (incoming.mode == Mode::Stream).then(|| live.begin(incoming.history));
                Ok(Taken {
                    live,
                    turn,
                    core: None,
                    replayed: false,
                    rest,
                    begin: begin.map(Box::new),
                })
            }
            Ok(Err(error)) => self.refused(live, incoming, error).await,
            Err(_) => Err(Error::internal("the message could not be kept")),
        }
    }

    async fn refused(
        &self,
        live: Arc<Live>,
        incoming: Incoming,
        error: AppendError,
    ) -> Result<Taken, Error> {
        match error {
            AppendError::Repeated(record) => self.replay(incoming, record).await,
            error => Err(self.append_error(&live.key, &error)),
        }
    }

    /// Starts the turn of the message that waited longest. `starting` is set already.
    pub(crate) async fn start_next(self: Arc<Self>, live: Arc<Live>) {
        loop {
            let next = {
                let mut state = live.lock();
                let next = state.folded.pending.iter().next();
                let next = next.map(|(turn, accepted)| (*turn, accepted.clone()));
                state.starting = next.is_some();
                next
            };
            let Some((turn, accepted)) = next else { return };
            let (commit, core) = self.open_turn(&live, turn, *accepted);
            match commit.await {
                Ok(Ok(_)) => return run(&core).await,
                Ok(Err(AppendError::Store(error))) => {
                    self.store_error(&error);
                    tokio::time::sleep(RETRY).await;
                }
                Ok(Err(error)) => {
                    tracing::debug!(task = %live.key.id, %error, "a waiting message is not started");
                    return;
                }
                Err(_) => return,
            }
        }
    }

    fn open_turn(
        &self,
        live: &Arc<Live>,
        turn: u64,
        accepted: Accepted,
    ) -> (Commit, Arc<TurnCore>) {
        let at = live.next_at();
        let Accepted { message, asked } = accepted;
        let core = TurnCore::new(live, turn, (message, asked), Phase::Task);
        let append = Append {
            key: live.key.clone(),
            condition: Condition::Command { turn_closed: true },
            entries: Vec::new(),
            row: RowChange {
                status: Some((TaskState::Working, at)),
                open_turn: Some((self.epoch, turn)),
                visible: true,
                close_turn: false,
            },
            idempotency: None,
            push: None,
        };
        let carried = vec![live.working(turn, at), mark(EntryKind::TurnStarted, turn, at)];
        (self.append(live, append, carried), core)
    }
}

impl Live {
    /// A time for the next status: not before the latest one.
    pub(crate) fn next_at(&self) -> Timestamp {
        let latest = self.lock().folded.task.status.timestamp;
        Timestamp::now().max(latest.unwrap_or_default())
    }

    /// The status WORKING that a message brings.
    pub(crate) fn working(&self, turn: u64, at: Timestamp) -> crate::live::Carried {
        let status = TaskStatus { state: TaskState::Working, message: None, timestamp: Some(at) };
        let update = TaskStatusUpdateEvent {
            task_id: self.key.id.clone(),
            context_id: self.lock().folded.task.context_id.clone(),
            status,
            metadata: None,
        };
        status_carried(turn, at, update)
    }

    /// Where a stream that joins now begins.
    pub(crate) fn begin(&self, history: usize) -> Begin {
        let state = self.lock();
        Begin {
            after: state.head,
            task: view(&state.folded.task, history, true),
            known: state.visible,
        }
    }
}
