//! A store in one SQLite file, for one process.
//!
//! One thread writes. It takes all operations that wait, up to a thousand or 4 MiB, into one
//! transaction, so that they share one sync; an append that loses its condition fails alone. When a
//! transaction fails, none of it was written, and since the ordinals of a turn must follow one
//! another, what a turn appends later is refused: nothing is ever missing in the middle. Outcomes
//! are told on that thread, after the commit, in the order of the operations.
//!
//! Reads run beside it on a few connections of their own, each in a short transaction, on threads
//! of the tokio runtime they are called in. What a commit wrote is seen by every read that begins
//! after its outcome was told.
//!
//! [`LogStore::append`] does not wait, so what is handed over and not yet written is in memory. The
//! engine bounds that per turn; [`SqliteStore::backlog`] says how much it is.

mod append;
mod list;
mod lock;
mod messages;
mod outbox;
mod read;
mod readers;
mod schema;
mod sweep;
mod tables;
mod value;
mod writer;

use append::AppendJob;
use async_trait::async_trait;
use bytes::Bytes;
use lock::FileLock;
use messages::MessageIndex;
use readers::Readers;
use rusqlite::Connection;
use sabir_engine::LogEntry;
use sabir_engine::store::{
    Append, Done, Fold, IdempotencyKey, IdempotencyRecord, IndexStore, LogStore, OutboxRow,
    PushRow, PushStore, Retention, Scope, Settled, StoreError, TaskFilter, TaskKey, TaskPage,
    TaskRecord,
};
use sabir_types::{TaskId, Timestamp};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tables::Tables;
use writer::Writer;

/// When a commit is told to be durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Synchronous {
    /// When it is on the disk: it survives a loss of power.
    #[default]
    Full,
    /// When the operating system has it: it survives the end of the process, also by `kill -9`,
    /// but not a loss of power.
    Normal,
}

/// How a [`SqliteStore`] works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long things are kept.
    pub retention: Retention,
    /// When a commit is told to be durable.
    pub synchronous: Synchronous,
    /// Connections for reading.
    pub readers: usize,
    /// How large the file may grow; appends fail beyond. The write-ahead log beside it, of some
    /// 16 MiB, is not counted.
    pub max_bytes: Option<u64>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self {
            retention: Retention::durable(),
            synchronous: Synchronous::Full,
            readers: 4,
            max_bytes: None,
        }
    }
}

/// Keeps tasks in a SQLite file.
///
/// Takes some 30 bytes of memory for each idempotency record, and reads them all when the file is
/// opened; everything else stays on the disk. The file does not shrink: what is deleted makes room
/// for what comes.
pub struct SqliteStore {
    path: PathBuf,
    retention: Retention,
    messages: Arc<MessageIndex>,
    writer: Writer,
    readers: Readers,
}

impl SqliteStore {
    /// Opens the file, or makes it.
    ///
    /// # Errors
    /// When another process has it open, when it is not such a file or a later version's, or when
    /// it cannot be read and written.
    pub fn open(path: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let path = path.as_ref().to_path_buf();
        let lock = FileLock::take(&path)?;
        let said =
            |error: &dyn fmt::Display| StoreError::new(format_args!("{}: {error}", path.display()));
        let connection = schema::open(&path, &options).map_err(|error| said(&error))?;
        let messages = MessageIndex::load(&connection).map_err(|error| said(&error))?;
        let messages = Arc::new(messages);
        let SqliteOptions { retention, readers, .. } = options;
        let readers = Readers::new(path.clone(), readers);
        let writer = Writer::start(connection, Arc::clone(&messages), lock, retention.clone())?;
        Ok(Self { path, retention, messages, writer, readers })
    }

    /// Opens the file `sabir.db` in a directory, or makes both.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), and when the directory cannot be made.
    pub fn open_in(dir: impl AsRef<Path>, options: SqliteOptions) -> Result<Self, StoreError> {
        let dir = dir.as_ref();
        std::fs::create_dir_all(dir).map_err(|error| {
            StoreError::new(format_args!("cannot make the directory {}: {error}", dir.display()))
        })?;
        Self::open(dir.join("sabir.db"), options)
    }

    /// Bytes that were handed over and are not yet written.
    pub fn backlog(&self) -> usize {
        self.writer.backlog()
    }

    /// How many transactions were committed since the file was opened.
    pub fn commits(&self) -> u64 {
        self.writer.commits()
    }

    async fn write<T: Send + 'static>(
        &self,
        write: impl FnMut(&mut Tables<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer.call(write).await
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.readers.read(read).await
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

#[async_trait]
impl LogStore for SqliteStore {
    async fn begin(&self) -> Result<u64, StoreError> {
        self.write(|tables| tables.begin()).await
    }

    fn append(&self, append: Append, done: Done) {
        self.writer.send(Box::new(AppendJob::new(append, done)));
    }

    async fn load(&self, key: &TaskKey) -> Result<Option<TaskRecord>, StoreError> {
        let key = key.clone();
        self.read(move |connection| read::load(connection, &key)).await
    }

    async fn entries(
        &self,
        key: &TaskKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<LogEntry>>, StoreError> {
        let key = key.clone();
        self.read(move |connection| read::entries(connection, &key, after, limit)).await
    }

    async fn snapshot(&self, key: &TaskKey, seq: u64, snapshot: Bytes) -> Result<(), StoreError> {
        let key = key.clone();
        self.write(move |tables| tables.snapshot(&key, seq, &snapshot)).await
    }
}

#[async_trait]
impl IndexStore for SqliteStore {
    async fn list(
        &self,
        scope: &Scope,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
        limit: usize,
    ) -> Result<TaskPage, StoreError> {
        let (scope, filter, after) = (scope.clone(), filter.clone(), after.cloned());
        self.read(move |connection| list::list(connection, &scope, &filter, after.as_ref(), limit))
            .await
    }

    async fn find_message(
        &self,
        key: &IdempotencyKey,
        now: Timestamp,
    ) -> Result<Option<IdempotencyRecord>, StoreError> {
        let key = key.digest();
        let Some(number) = self.messages.get(&key) else { return Ok(None) };
        let found =
            self.read(move |connection| append::find_message(connection, &key, number)).await?;
        Ok(found.filter(|record| record.expires > now))
    }

    async fn unfinished(&self, agent: &str) -> Result<Vec<TaskKey>, StoreError> {
        let agent = agent.to_owned();
        self.read(move |connection| read::unfinished(connection, &agent)).await
    }

    async fn sweep(&self, now: Timestamp, fold: &Fold) -> Result<u64, StoreError> {
        sweep::sweep(self, now, fold).await
    }
}

#[async_trait]
impl PushStore for SqliteStore {
    async fn put_push(
        &self,
        key: &TaskKey,
        push: PushRow,
        limit: usize,
    ) -> Result<bool, StoreError> {
        let key = key.clone();
        self.write(move |tables| tables.put_push(&key, &push, limit)).await
    }

    async fn pushes(&self, key: &TaskKey) -> Result<Vec<PushRow>, StoreError> {
        let key = key.clone();
        self.read(move |connection| read::pushes(connection, &key)).await
    }

    async fn delete_push(&self, key: &TaskKey, id: &str) -> Result<bool, StoreError> {
        let (key, id) = (key.clone(), id.to_owned());
        self.write(move |tables| tables.delete_push(&key, &id)).await
    }

    async fn due(
        &self,
        agent: &str,
        now: Timestamp,
        limit: usize,
    ) -> Result<(Vec<OutboxRow>, Option<Timestamp>), StoreError> {
        let agent = agent.to_owned();
        self.read(move |connection| outbox::due(connection, &agent, now, limit)).await
    }

    async fn settle(&self, row: &OutboxRow, settled: Settled) -> Result<(), StoreError> {
        // Without the body, which may be large.
        let row = OutboxRow { body: Bytes::new(), ..row.clone() };
        self.write(move |tables| tables.settle(&row, &settled)).await
    }
}
