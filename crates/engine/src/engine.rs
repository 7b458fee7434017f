//! The engine: runs an [`Executor`] as an [`Agent`](crate::Agent).

use crate::config::EngineConfig;
use crate::delivery::Delivery;
use crate::executor::Executor;
use crate::fold::Folded;
use crate::live::{Carried, Live, Registry};
use crate::log::LogEntry;
use crate::modes::Modes;
use crate::store::memory::MemoryStore;
use crate::store::{
    AppendError, Appended, Retention, RowChange, Scope, Store, StoreError, TaskKey,
};
use bytes::Bytes;
use crossbeam_utils::CachePadded;
use sabir_types::{AgentCard, ContextId, Error, TaskId, Timestamp};
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// After so many entries since the last snapshot a new one is written when a turn ends.
const LONG_LOG: u64 = 256;

/// A local agent: an executor with its card, its store and its running turns.
///
/// Clones share everything. It is an [`Agent`](crate::Agent), so bindings serve it, and it can be
/// called in process.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

/// Everything the parts of an engine share.
pub(crate) struct Inner {
    pub(crate) me: Weak<Self>,
    pub(crate) name: Arc<str>,
    pub(crate) card: AgentCard,
    pub(crate) extended: Option<AgentCard>,
    pub(crate) modes: Modes,
    pub(crate) executor: Arc<dyn Executor>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) delivery: Option<Arc<dyn Delivery>>,
    pub(crate) config: EngineConfig,
    pub(crate) epoch: u64,
    pub(crate) registry: Registry,
    pub(crate) outbox: Arc<Notify>,
    /// Woken after each attempt of a delivery.
    pub(crate) attempted: Notify,
    pub(crate) runtime: Handle,
    draining: AtomicBool,
    // Apart from what all threads only read, which would leave their caches with every turn.
    running: CachePadded<AtomicUsize>,
    idle: Notify,
}

/// Collects what an engine is made of.
pub struct EngineBuilder {
    card: AgentCard,
    executor: Arc<dyn Executor>,
    name: Arc<str>,
    store: Option<Arc<dyn Store>>,
    delivery: Option<Arc<dyn Delivery>>,
    extended: Option<AgentCard>,
    config: EngineConfig,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl EngineBuilder {
    /// The agent's name within the store; one store may hold several agents.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// Where tasks are kept; in memory by default.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// What carries events to webhooks; without it none can be registered.
    #[must_use]
    pub fn delivery(mut self, delivery: Arc<dyn Delivery>) -> Self {
        self.delivery = Some(delivery);
        self
    }

    /// The card shown to callers who have proven who they are.
    #[must_use]
    pub fn extended_card(mut self, card: AgentCard) -> Self {
        self.extended = Some(card);
        self
    }

    /// The settings.
    #[must_use]
    pub fn config(mut self, config: EngineConfig) -> Self {
        self.config = config;
        self
    }

    /// Starts the engine: brings the tasks that an earlier run left unfinished on their way, then
    /// takes messages.
    ///
    /// # Errors
    /// When the store fails.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn start(self) -> Result<Engine, StoreError> {
        let store = self.store.unwrap_or_else(|| Arc::new(MemoryStore::new(Retention::memory())));
        let epoch = store.begin().await?;
        let inner = Arc::new_cyclic(|me| Inner {
            me: me.clone(),
            name: self.name,
            modes: Modes::of(&self.card, self.config.input_modes),
            card: self.card,
            extended: self.extended,
            executor: self.executor,
            store,
            delivery: self.delivery,
            config: self.config,
            epoch,
            registry: Registry::default(),
            outbox: Arc::default(),
            attempted: Notify::new(),
            runtime: Handle::current(),
            draining: AtomicBool::new(false),
            running: CachePadded::default(),
            idle: Notify::new(),
        });
        inner.recover().await?;
        inner.clone().sweep_on();
        inner.clone().deliver_on();
        Ok(Engine { inner })
    }
}

impl Engine {
    /// Begins to put an engine together.
    pub fn builder(card: AgentCard, executor: impl Executor) -> EngineBuilder {
        EngineBuilder {
            card,
            executor: Arc::new(executor),
            name: "agent".into(),
            store: None,
            delivery: None,
            extended: None,
            config: EngineConfig::default(),
        }
    }

    /// The agent's card, as it was given.
    pub fn card(&self) -> &AgentCard {
        &self.inner.card
    }

    /// Takes no more messages and waits until the running turns have ended, at most so long.
    /// Returns how many were left.
    pub async fn drain(&self, patience: Duration) -> usize {
        self.inner.draining.store(true, Ordering::SeqCst);
        let idle = async {
            loop {
                let idle = self.inner.idle.notified();
                if self.inner.running.load(Ordering::SeqCst) == 0 {
                    return;
                }
                idle.await;
            }
        };
        // Running out of patience is an answer, not an error: the count says it.
        drop(tokio::time::timeout(patience, idle).await);
        self.inner.running.load(Ordering::Acquire)
    }
}

impl Inner {
    /// Itself, for what outlives the call.
    pub(crate) fn arc(&self) -> Arc<Self> {
        self.me.upgrade().expect("an engine that is called is held by its caller")
    }

    pub(crate) fn key(&self, scope: Scope, id: &TaskId) -> TaskKey {
        TaskKey { scope, id: id.clone() }
    }

    pub(crate) fn turn_begins(&self) {
        self.running.fetch_add(1, Ordering::AcqRel);
    }

    pub(crate) fn turn_ends(&self) {
        let was_last = self.running.fetch_sub(1, Ordering::SeqCst) == 1;
        // Whoever drains says so before looking at the count, so that one of the two sees the other.
        if was_last && self.draining.load(Ordering::SeqCst) {
            self.idle.notify_waiters();
        }
    }

    /// # Errors
    /// `Unavailable` while the engine drains.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        if self.draining.load(Ordering::Acquire) {
            return Err(Error::unavailable("the agent is shutting down; try again later"));
        }
        Ok(())
    }

    /// Runs in a store's `done`: takes a commit over and starts what follows from it.
    pub(crate) fn committed(
        &self,
        live: &Arc<Live>,
        appended: Appended,
        carried: Vec<Carried>,
        row: &RowChange,
    ) {
        if appended.outbox {
            self.outbox.notify_one();
        }
        if live.committed(appended, carried, row) {
            self.runtime.spawn(self.arc().start_next(live.clone()));
        }
        if row.close_turn {
            self.turn_closed(live);
        }
    }

    fn turn_closed(&self, live: &Arc<Live>) {
        let (long, deadline) = {
            let state = live.lock();
            let waits = !state.task_state().is_terminal() && state.folded.reply.is_none();
            (state.unfolded > LONG_LOG, state.folded.deadline.filter(|_| waits))
        };
        if long {
            self.runtime.spawn(self.arc().write_snapshot(live.clone()));
        }
        if let Some(deadline) = deadline {
            self.runtime.spawn(self.arc().expire_later(live.clone(), deadline));
        }
    }

    /// Writes the fold of a long log, so that reading the task stays quick.
    async fn write_snapshot(self: Arc<Self>, live: Arc<Live>) {
        let (seq, snapshot) = {
            let mut state = live.lock();
            state.unfolded = 0;
            (state.head, state.folded.to_snapshot())
        };
        if let Err(error) = self.store.snapshot(&live.key, seq, snapshot).await {
            tracing::warn!(task = %live.key.id, %error, "no snapshot was written; reading stays slow");
        }
    }

    /// The live task, read from the store if need be; `None` when there is none.
    pub(crate) async fn live(&self, key: &TaskKey) -> Result<Option<Arc<Live>>, Error> {
        let Some(live) = self.live_or_new(key) else { return Ok(None) };
        let exists = live
            .loaded
            .get_or_try_init(|| async {
                let Some(record) = self.store.load(key).await.map_err(|e| self.store_error(&e))?
                else {
                    return Ok(false);
                };
                let (folded, head) = self.fold_record(key, &record).await?;
                live.lock().take_over(&record.row, folded, head);
                Ok::<_, Error>(true)
            })
            .await?;
        Ok(exists.then(|| live.clone()))
    }

    /// What callers are told when the store fails; the log has the reason.
    pub(crate) fn store_error(&self, error: &StoreError) -> Error {
        tracing::error!(agent = %self.name, error = %error.message, "the task store failed");
        Error::unavailable("the task store is not available; try again later")
    }

    pub(crate) fn append_error(&self, key: &TaskKey, error: &AppendError) -> Error {
        match error {
            AppendError::Store(error) => self.store_error(error),
            AppendError::NotFound => Error::task_not_found(&key.id),
            AppendError::Terminal(state) => Error::unsupported_operation(format!(
                "task {} has ended as {}; send the message without taskId to start a new task",
                key.id,
                state.short_name()
            )),
            AppendError::TurnOpen | AppendError::Exists | AppendError::Repeated(_) => {
                Error::unavailable(format!("task {} is changing; try again", key.id))
            }
            AppendError::Fenced => {
                Error::internal(format!("the turn of task {} was taken over", key.id))
            }
        }
    }

    /// Folds a part of a log for the store's own housekeeping.
    pub(crate) fn fold_for_store(
        key: &TaskKey,
        snapshot: Option<&Bytes>,
        entries: &[Arc<LogEntry>],
    ) -> Result<Bytes, StoreError> {
        let base = match snapshot {
            Some(bytes) => Folded::from_snapshot(bytes),
            None => Ok(Folded::new(key.id.clone(), ContextId::default(), Timestamp::default())),
        };
        base.and_then(|mut folded| {
            entries.iter().try_for_each(|entry| folded.apply_entry(entry)).map(|()| folded)
        })
        .map(|folded| folded.to_snapshot())
        .map_err(|error| StoreError::new(format!("the log of task {}: {error}", key.id)))
    }
}
