//! A task that somebody works on or reads in this process, and the registry of them.

use crate::engine::Inner;
use crate::fold::{Body, Folded, placed};
use crate::log::EntryKind;
use crate::ring::Ring;
use crate::store::{Appended, NewEntry, RowChange, TaskKey, TaskRow};
use crate::turn::TurnCore;
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use parking_lot::{Mutex, MutexGuard};
use sabir_types::{Error, Message, Task, TaskId, TaskState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::{Notify, OnceCell, oneshot};
use tokio::time::Instant;

/// What a caller who waits for a turn gets.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// With its whole history, and how much of that the caller sees.
    Task(Arc<Task>, usize),
    Message(Message),
}

/// The end of the wait for a turn.
pub(crate) type Rest = oneshot::Receiver<Result<Outcome, Error>>;

#[derive(Debug)]
struct Waiter {
    turn: u64,
    history: usize,
    answer: oneshot::Sender<Result<Outcome, Error>>,
}

/// An entry with what it carries, on its way through the store.
#[derive(Debug)]
pub(crate) struct Carried {
    pub(crate) entry: NewEntry,
    pub(crate) body: Body,
}

/// A task in this process. All appends of this process to it go through the one `Live` of it.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) key: TaskKey,
    /// Set once the state was read from the store or made; false when there is no such task.
    pub(crate) loaded: OnceCell<bool>,
    state: Mutex<LiveState>,
    /// Woken after each commit.
    pub(crate) changed: Notify,
    /// Bytes of payloads in the log since the task became live.
    pub(crate) log_bytes: AtomicU64,
    pub(crate) inner: Arc<Inner>,
}

/// The committed state of a live task, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct LiveState {
    pub(crate) folded: Folded,
    pub(crate) visible: bool,
    pub(crate) head: u64,
    /// The latest turn that started.
    pub(crate) turn: u64,
    pub(crate) turn_open: bool,
    /// The latest turn that was given to a message.
    pub(crate) last_turn: u64,
    /// The latest turn that reached a terminal or interrupted state.
    pub(crate) rest_turn: u64,
    /// A turn is about to be opened.
    pub(crate) starting: bool,
    /// Messages handed to the store that will wait for their turn.
    pub(crate) queueing: usize,
    pub(crate) ring: Ring,
    pub(crate) running: Option<Weak<TurnCore>>,
    /// Why nothing can be known of the running turn: the store failed.
    pub(crate) broken: Option<Error>,
    /// Entries since the last snapshot.
    pub(crate) unfolded: u64,
    pub(crate) readers: usize,
    pub(crate) read_at: Option<Instant>,
    waiters: Vec<Waiter>,
}

impl LiveState {
    pub(crate) fn task_state(&self) -> TaskState {
        self.folded.task.status.state
    }

    /// Whether a message now would have to wait.
    pub(crate) fn is_busy(&self) -> bool {
        self.turn_open || self.starting || self.queueing > 0 || !self.folded.pending.is_empty()
    }

    /// Whether a message waits and nothing runs.
    fn has_next(&self) -> bool {
        !self.turn_open
            && !self.starting
            && !self.task_state().is_terminal()
            && !self.folded.pending.is_empty()
    }

    pub(crate) fn next_turn(&mut self) -> u64 {
        self.last_turn += 1;
        self.last_turn
    }

    pub(crate) fn running(&self) -> Option<Arc<TurnCore>> {
        self.running.as_ref().and_then(Weak::upgrade)
    }

    /// When somebody last read the task: now, where somebody follows it or waits for it.
    pub(crate) fn last_read(&self, now: Instant) -> Option<Instant> {
        let awaited = self.waiters.iter().any(|waiter| !waiter.answer.is_closed());
        if self.readers > 0 || awaited { Some(now) } else { self.read_at }
    }

    /// Registers a caller who waits until `turn`, or a later one, comes to rest.
    pub(crate) fn wait_for(&mut self, turn: u64, history: usize) -> Rest {
        let (answer, rest) = oneshot::channel();
        self.waiters.reserve_exact(1);
        self.waiters.push(Waiter { turn, history, answer });
        rest
    }

    /// Begins from what the store has.
    pub(crate) fn take_over(&mut self, row: &TaskRow, folded: Folded, head: u64) {
        let pending = folded.pending.keys().next_back().copied();
        self.visible = row.visible;
        self.head = head;
        self.turn = row.turn;
        self.turn_open = row.turn_open;
        self.last_turn = self.last_turn.max(row.turn).max(pending.unwrap_or(0));
        let rests = folded.reply.is_some() || !row.turn_open;
        self.rest_turn = if rests { row.turn } else { row.turn.saturating_sub(1) };
        self.ring = Ring::starting_at(head);
        self.folded = folded;
    }

    fn apply(&mut self, seq: u64, carried: Carried) {
        let NewEntry { kind, turn, state, .. } = carried.entry;
        self.head = seq;
        self.unfolded += 1;
        if let (Body::Accepted(accepted), true) = (&carried.body, self.folded.open) {
            // A message for the running turn; one that waits for its own is not for it.
            if let Some(core) = self.running().filter(|_| accepted.asked.steers) {
                let (task, context) = (&self.folded.task.id, &self.folded.task.context_id);
                core.steer(placed(accepted.message.clone(), task, context));
            }
        }
        self.folded.apply(kind, turn, carried.body);
        if kind.is_visible() {
            self.ring.push(seq, carried.entry);
        }
        match kind {
            EntryKind::Status if state.is_terminal() || state.is_interrupted() => {
                self.come_to_rest(turn, state);
            }
            EntryKind::Reply => self.come_to_rest(turn, state),
            _ => {}
        }
    }

    /// Answers those who wait for this turn or an earlier one; when the task has ended also those
    /// whose turn will never come.
    fn come_to_rest(&mut self, turn: u64, state: TaskState) {
        self.rest_turn = self.rest_turn.max(turn);
        if self.waiters.is_empty() {
            return;
        }
        for waiter in std::mem::take(&mut self.waiters) {
            if waiter.turn > turn && !state.is_terminal() {
                self.waiters.push(waiter);
                continue;
            }
            let answer = if waiter.turn > turn {
                Err(ended_before(&self.folded.task))
            } else {
                Ok(self.outcome(waiter.turn, waiter.history))
            };
            // A caller who hung up is no longer interested.
            drop(waiter.answer.send(answer));
        }
    }

    /// What a caller gets whose turn came to rest just now.
    pub(crate) fn outcome(&self, turn: u64, history: usize) -> Outcome {
        match &self.folded.reply {
            Some((replied, message)) if *replied == turn => Outcome::Message(message.clone()),
            _ => Outcome::Task(self.folded.task.clone(), history),
        }
    }

    /// Tells everybody who waits that the store failed.
    pub(crate) fn break_off(&mut self, error: &Error) {
        self.broken = Some(error.clone());
        for waiter in self.waiters.drain(..) {
            drop(waiter.answer.send(Err(error.clone())));
        }
    }
}

/// A message whose task ended before its turn came.
pub(crate) fn ended_before(task: &Task) -> Error {
    Error::unsupported_operation(format!(
        "task {} ended as {} before this message was taken; send it without taskId to start anew",
        task.id,
        task.status.state.short_name()
    ))
}

impl Live {
    pub(crate) fn lock(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock()
    }

    /// Takes what was committed over into the state. True when a waiting message's turn is to be
    /// started.
    pub(crate) fn committed(
        &self,
        appended: Appended,
        carried: Vec<Carried>,
        row: &RowChange,
    ) -> bool {
        let bytes: usize = carried.iter().map(|item| item.entry.payload.len()).sum();
        self.log_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        let next = {
            let mut state = self.lock();
            state.visible |= row.visible;
            if let Some((_, turn)) = row.open_turn {
                state.turn = turn;
                state.turn_open = true;
                state.starting = false;
            }
            for (seq, item) in (appended.first..).zip(carried) {
                state.apply(seq, item);
            }
            if row.close_turn {
                state.turn_open = false;
                state.running = None;
                state.broken = None;
            }
            let next = state.has_next();
            state.starting |= next;
            next
        };
        self.changed.notify_waiters();
        next
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.inner.registry.tasks.remove_if(&self.key.id, |_, live| live.strong_count() == 0);
    }
}

/// The live tasks of an engine, by id: ids are unique, the scope is compared on the way out.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tasks: DashMap<TaskId, Weak<Live>, foldhash::quality::RandomState>,
}

impl Registry {
    /// The live task, if it is live.
    pub(crate) fn get(&self, key: &TaskKey) -> Option<Arc<Live>> {
        let live = self.tasks.get(&key.id)?.upgrade()?;
        (live.key.scope == key.scope).then_some(live)
    }
}

impl Inner {
    /// The live task, loaded or not; made if it is not there. `None` when the id belongs to
    /// another scope.
    pub(crate) fn live_or_new(&self, key: &TaskKey) -> Option<Arc<Live>> {
        // The entry's lock must be gone before a `Live` can be dropped, which takes it again.
        let live = match self.registry.tasks.entry(key.id.clone()) {
            Entry::Occupied(mut entry) => entry.get().upgrade().unwrap_or_else(|| {
                let live = self.new_live(key.clone(), None, Folded::default());
                entry.insert(Arc::downgrade(&live));
                live
            }),
            Entry::Vacant(entry) => {
                let live = self.new_live(key.clone(), None, Folded::default());
                entry.insert(Arc::downgrade(&live));
                live
            }
        };
        (live.key.scope == key.scope).then_some(live)
    }

    /// Registers a task that is being made.
    pub(crate) fn make_live(&self, key: TaskKey, folded: Folded) -> Arc<Live> {
        let live = self.new_live(key, Some(true), folded);
        self.registry.tasks.insert(live.key.id.clone(), Arc::downgrade(&live));
        live
    }

    fn new_live(&self, key: TaskKey, loaded: Option<bool>, folded: Folded) -> Arc<Live> {
        Arc::new(Live {
            key,
            loaded: OnceCell::new_with(loaded),
            state: Mutex::new(LiveState { folded, ..LiveState::default() }),
            changed: Notify::new(),
            log_bytes: AtomicU64::new(0),
            inner: self.arc(),
        })
    }
}
