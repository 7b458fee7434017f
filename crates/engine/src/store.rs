//! What the engine asks of a store: an append that decides races, and the readers behind cursors.
//!
//! A store keeps, per [`TaskKey`], one row and a log of entries, and beside them idempotency
//! records, push configs and the outbox. Every change of a task is one [`Append`]; its
//! [`Condition`] is checked and its rows are written in one transaction. Stores decide by
//! [`decision`] and run `suite` so that they cannot differ.
//!
//! Times are kept to the millisecond, which is what [`Timestamp::now`] gives; only what a caller
//! asks for ([`TaskFilter::since`]) may be finer.

pub mod decision;
pub mod memory;
#[cfg(any(test, feature = "suite"))]
pub mod suite;

use crate::log::{EntryKind, LogEntry};
use async_trait::async_trait;
use bytes::{BufMut, Bytes};
use sabir_types::{ContextId, MessageId, TaskId, TaskState, Timestamp, Version};
use std::ops::Deref;
use std::sync::Arc;

/// Whose things these are: nothing crosses from one scope to another.
///
/// Cheap to clone: a request makes one, and everything it touches refers to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope(Arc<ScopeNames>);

/// The names that make up a [`Scope`].
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScopeNames {
    /// The agent's name within the store.
    pub agent: Box<str>,
    /// The tenant the caller addressed; empty for none.
    pub tenant: Box<str>,
    /// The principal who owns it; empty for anonymous callers.
    pub owner: Box<str>,
}

impl Scope {
    /// The scope of these names.
    pub fn new(
        agent: impl Into<Box<str>>,
        tenant: impl Into<Box<str>>,
        owner: impl Into<Box<str>>,
    ) -> Self {
        let (agent, tenant, owner) = (agent.into(), tenant.into(), owner.into());
        Self(Arc::new(ScopeNames { agent, tenant, owner }))
    }
}

impl Deref for Scope {
    type Target = ScopeNames;

    fn deref(&self) -> &ScopeNames {
        &self.0
    }
}

/// Names one task.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TaskKey {
    /// Whose task it is.
    pub scope: Scope,
    /// Its id within the scope.
    pub id: TaskId,
}

/// What a store knows of a task without reading its log.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRow {
    /// The conversation the task belongs to.
    pub context_id: ContextId,
    /// The state of the latest committed status.
    pub state: TaskState,
    /// The time of that status: the sort key of ListTasks.
    pub status_at: Timestamp,
    /// Whether GetTask and ListTasks may show the task.
    pub visible: bool,
    /// The sequence of the last entry.
    pub head: u64,
    /// The epoch of the owner of the latest turn.
    pub epoch: u64,
    /// The number of the latest turn that started, from 1.
    pub turn: u64,
    /// Whether that turn has not ended.
    pub turn_open: bool,
    /// The ordinal of the last worker's entry in that turn; 0 before the first.
    pub ordinal: u64,
}

/// A task as a store holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRecord {
    /// The row.
    pub row: TaskRow,
    /// The latest snapshot, with the sequence it was taken at: the fold of all entries up to it.
    pub snapshot: Option<(u64, Bytes)>,
    /// The first sequence still kept, or `head + 1` when no entry is kept.
    pub first: u64,
}

/// An entry to be appended; the store assigns its sequence, and its epoch: the row's after the
/// append.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// The turn it belongs to; 0 for none.
    pub turn: u64,
    /// When it happened.
    pub at: Timestamp,
    /// For a status, its state; otherwise unspecified.
    pub state: TaskState,
    /// For wire-visible kinds the ProtoJSON of a `StreamResponse`, otherwise the kind's own JSON.
    pub payload: Bytes,
}

/// Under what condition an append is taken.
#[derive(Clone, Debug)]
pub enum Condition {
    /// The task does not exist yet, and no record stands under the idempotency key. Unless the
    /// append says otherwise, its state is SUBMITTED at the time of its first entry.
    New {
        /// The context of the new task.
        context_id: ContextId,
    },
    /// From the worker of a turn: the epoch and the turn are the row's own, the turn is open, the
    /// state is not terminal, and `ordinal` is the next one. An append whose last ordinal the row
    /// already has is a repeat: it succeeds and changes nothing, also after the turn has ended. An
    /// append without entries is never a repeat.
    Worker {
        /// The worker's epoch.
        epoch: u64,
        /// The worker's turn.
        turn: u64,
        /// The ordinal of the first entry of the batch.
        ordinal: u64,
    },
    /// From a command (message, cancel): the state is not terminal.
    Command {
        /// Whether it is refused while a turn is open.
        turn_closed: bool,
    },
}

/// What an append changes in the row besides `head`, in this order.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowChange {
    /// The new state with the time of its status.
    pub status: Option<(TaskState, Timestamp)>,
    /// Makes the task visible; it never becomes invisible again.
    pub visible: bool,
    /// Closes the open turn.
    pub close_turn: bool,
    /// Opens a turn, owned by this epoch, of this number; its ordinal is 0.
    pub open_turn: Option<(u64, u64)>,
}

/// What an idempotency record is found by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IdempotencyKey {
    /// Whose message it is.
    pub scope: Scope,
    /// The id its sender gave it.
    pub message_id: MessageId,
    /// For anonymous callers the digest of the content, so that strangers never collide.
    pub content: Option<[u8; 32]>,
}

impl IdempotencyKey {
    /// What a store may keep in place of the key: short, and never the same for two keys.
    pub fn digest(&self) -> [u8; 16] {
        let Self { scope, message_id, content } = self;
        let texts = [&*scope.agent, &*scope.tenant, &*scope.owner, message_id.as_str()];
        let content = content.as_ref().map_or(&[][..], |content| content);
        let size = texts.iter().map(|text| 8 + text.len()).sum::<usize>() + content.len();
        // In one piece, because hashing many small ones takes three times as long.
        let (mut short, mut long) = ([0; 256], Vec::new());
        let bytes = if size <= short.len() {
            &mut short[..size]
        } else {
            long.resize(size, 0);
            &mut long[..]
        };
        let mut rest = &mut *bytes;
        for text in texts {
            // The length first, so that no two lists of texts run into one another.
            rest.put_u64_le(text.len() as u64);
            rest.put_slice(text.as_bytes());
        }
        rest.put_slice(content);
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..16]);
        digest
    }
}

/// Remembers that a message was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The digest of the message's content.
    pub digest: [u8; 32],
    /// The task it was accepted for.
    pub task: TaskId,
    /// The turn it was accepted as.
    pub turn: u64,
    /// When the record may be forgotten.
    pub expires: Timestamp,
}

/// A webhook of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushRow {
    /// The config's id within its task.
    pub id: Arc<str>,
    /// The ProtoJSON of the `TaskPushNotificationConfig`, credentials included.
    pub config: Bytes,
    /// The protocol version it was registered in, which is that of its deliveries.
    pub version: Version,
}

/// One change of one task, taken whole or not at all.
#[derive(Clone, Debug)]
pub struct Append {
    /// The task.
    pub key: TaskKey,
    /// When it is taken.
    pub condition: Condition,
    /// What is added to the log, in order; may be empty.
    pub entries: Vec<NewEntry>,
    /// What changes in the row.
    pub row: RowChange,
    /// The record to be written with it; a record that stands already refuses the append, before
    /// the condition is looked at. One that expired before the first entry does not stand.
    pub idempotency: Option<(IdempotencyKey, IdempotencyRecord)>,
    /// A webhook to be written with it, before the entries.
    pub push: Option<PushRow>,
}

/// What an append did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The sequence of the first entry; the others follow without a gap. 0 for a repeat, whose
    /// entries the log has already.
    pub first: u64,
    /// Whether deliveries were put into the outbox.
    pub outbox: bool,
}

/// Why an append was not taken.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// A new task's id is taken.
    #[error("the task exists already")]
    Exists,
    /// A record stands under the idempotency key.
    #[error("the message was accepted before")]
    Repeated(IdempotencyRecord),
    /// There is no such task.
    #[error("there is no such task")]
    NotFound,
    /// The task has ended.
    #[error("the task has ended as {0:?}")]
    Terminal(TaskState),
    /// A turn is open that the command cannot wait for.
    #[error("a turn is open")]
    TurnOpen,
    /// The worker is not, or no longer, the owner of the open turn, or an entry before this one
    /// was refused.
    #[error("the turn is not this worker's")]
    Fenced,
    /// The store could not do it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The store itself failed; nothing was written, or it is not known.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the store failed: {message}")]
pub struct StoreError {
    /// What went wrong, for the person who runs the store.
    pub message: Arc<str>,
}

impl StoreError {
    /// Wraps what the store's driver said.
    pub fn new(message: impl std::fmt::Display) -> Self {
        Self { message: message.to_string().into() }
    }
}

/// Called exactly once with the outcome of an append, in the order of the commits of its task.
///
/// It runs on the store's own thread or under its lock: it must be quick and must not call the
/// store.
pub type Done = Box<dyn FnOnce(Result<Appended, AppendError>) + Send>;

/// The logs of tasks.
#[async_trait]
pub trait LogStore: Send + Sync + 'static {
    /// Begins a run of a process: a number greater than that of every earlier run.
    async fn begin(&self) -> Result<u64, StoreError>;

    /// Hands an append over; appends of one task are decided in the order of these calls.
    ///
    /// It does not wait. `done` is called once it is durable (what that means is the store's to
    /// say) or refused: before the call returns, or later from another thread. With each
    /// wire-visible entry and each push config of the task an outbox row is written.
    fn append(&self, append: Append, done: Done);

    /// Reads a task's row and latest snapshot, of committed appends only.
    async fn load(&self, key: &TaskKey) -> Result<Option<TaskRecord>, StoreError>;

    /// Reads at most `limit` entries with a sequence greater than `after`, in order.
    async fn entries(
        &self,
        key: &TaskKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<LogEntry>>, StoreError>;

    /// Keeps the fold of all entries up to `seq`; an older snapshot is replaced, a newer one stays.
    async fn snapshot(&self, key: &TaskKey, seq: u64, snapshot: Bytes) -> Result<(), StoreError>;
}

/// What ListTasks asks for; unset members match everything.
#[derive(Clone, Debug, Default)]
pub struct TaskFilter {
    /// Tasks of this context only.
    pub context_id: Option<ContextId>,
    /// Tasks in this state only.
    pub state: Option<TaskState>,
    /// Tasks whose status is of this time or later.
    pub since: Option<Timestamp>,
}

/// A page of visible tasks, newest status first, ties by id, the greater id first.
#[derive(Clone, Debug, Default)]
pub struct TaskPage {
    /// Ids with the time of their status.
    pub tasks: Vec<(TaskId, Timestamp)>,
    /// How many tasks match the filter, whatever the page.
    pub total: u64,
}

/// Finding tasks and messages.
#[async_trait]
pub trait IndexStore: Send + Sync + 'static {
    /// Lists the visible tasks of a scope that come after `after` in the order of [`TaskPage`].
    async fn list(
        &self,
        scope: &Scope,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
        limit: usize,
    ) -> Result<TaskPage, StoreError>;

    /// Finds the record of a message that was accepted before and has not expired at `now`.
    async fn find_message(
        &self,
        key: &IdempotencyKey,
        now: Timestamp,
    ) -> Result<Option<IdempotencyRecord>, StoreError>;

    /// The tasks of an agent, in no order, that have an open turn or an `Accepted` entry whose
    /// turn is greater than the row's, and whose state is not terminal: what a restart looks at.
    async fn unfinished(&self, agent: &str) -> Result<Vec<TaskKey>, StoreError>;

    /// Forgets what the retention no longer wants at `now`, in small steps: snapshots what it
    /// needs by calling `fold` with the kept entries of a finished task whose resume window is
    /// over, then drops its entries. Returns how many tasks were deleted.
    ///
    /// A running task is never deleted; a waiting one only by age.
    async fn sweep(&self, now: Timestamp, fold: &Fold) -> Result<u64, StoreError>;
}

/// Folds a snapshot and the entries after it into a new snapshot.
///
/// Where an entry cannot be read it fails, and the sweep with it: nothing is dropped unfolded.
pub type Fold =
    dyn Fn(&TaskKey, Option<&Bytes>, &[Arc<LogEntry>]) -> Result<Bytes, StoreError> + Send + Sync;

/// How long a store keeps things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Finished tasks kept at most, in all; the oldest go first.
    pub tasks: usize,
    /// Bytes of logs and snapshots of finished tasks kept at most, in all; the one that finished
    /// last stays however large it is.
    pub bytes: u64,
    /// Seconds after its last status after which a finished task is deleted.
    pub finished_secs: u64,
    /// Seconds after its last status after which a waiting task is deleted.
    pub waiting_secs: u64,
    /// Seconds after its end for which a task's entries are kept so that streams can resume.
    pub resume_secs: u64,
    /// Idempotency records kept at most; those that expire first go first, so that a flood of
    /// anonymous callers does not push out what principals rely on for longer.
    pub messages: usize,
}

impl Retention {
    /// For a store in memory: 10,000 tasks, 256 MiB, one hour; waiting tasks a day; entries for
    /// ten minutes; 50,000 messages.
    pub fn memory() -> Self {
        Self {
            tasks: 10_000,
            bytes: 256 << 20,
            finished_secs: 3_600,
            waiting_secs: 86_400,
            resume_secs: 600,
            messages: 50_000,
        }
    }

    /// For a store on disk: a million tasks, 16 GiB, 30 days; waiting tasks 90 days; entries for
    /// a day; ten million messages.
    pub fn durable() -> Self {
        Self {
            tasks: 1_000_000,
            bytes: 16 << 30,
            finished_secs: 30 * 86_400,
            waiting_secs: 90 * 86_400,
            resume_secs: 86_400,
            messages: 10_000_000,
        }
    }
}

/// A delivery that is still to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct OutboxRow {
    /// The task whose event it is.
    pub key: TaskKey,
    /// The webhook, as it is now.
    pub push: PushRow,
    /// The event's sequence.
    pub seq: u64,
    /// The event as it was written: the body to be sent.
    pub body: Bytes,
    /// Attempts made so far.
    pub attempts: u32,
}

/// What became of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The receiver took it; the row goes.
    Delivered,
    /// It is tried again at this time, and holds its queue until then.
    Retry(Timestamp),
    /// It will never be taken; the row is kept as a dead letter as long as its task, the queue
    /// goes on.
    Dead(String),
}

/// Push configs and what is to be delivered to them.
///
/// What is still to be delivered survives the task, with its webhook.
#[async_trait]
pub trait PushStore: Send + Sync + 'static {
    /// Writes a webhook of a task, replacing the one of the same id; at most `limit` a task.
    /// Works on finished tasks too. Returns false when the limit is reached or the task is gone.
    async fn put_push(
        &self,
        key: &TaskKey,
        push: PushRow,
        limit: usize,
    ) -> Result<bool, StoreError>;

    /// The webhooks of a task, by id.
    async fn pushes(&self, key: &TaskKey) -> Result<Vec<PushRow>, StoreError>;

    /// Deletes a webhook and what is still to be delivered to it; false if there was none.
    async fn delete_push(&self, key: &TaskKey, id: &str) -> Result<bool, StoreError>;

    /// At most `limit` rows of an agent that are due at `now`: of each webhook of each task only
    /// the one with the lowest sequence that is neither delivered nor dead. With them, when the
    /// next one that is not due at `now` becomes so.
    async fn due(
        &self,
        agent: &str,
        now: Timestamp,
        limit: usize,
    ) -> Result<(Vec<OutboxRow>, Option<Timestamp>), StoreError>;

    /// Records what became of an attempt on a row that [`due`](Self::due) gave.
    async fn settle(&self, row: &OutboxRow, settled: Settled) -> Result<(), StoreError>;
}

/// Everything the engine needs of a store.
pub trait Store: LogStore + IndexStore + PushStore {}
impl<T: LogStore + IndexStore + PushStore> Store for T {}
