//! The thread that writes: all that waits goes into one transaction.

use super::lock::FileLock;
use super::messages::MessageIndex;
use super::tables::Tables;
use rusqlite::Connection;
use sabir_engine::store::{Retention, StoreError};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// How much goes into one transaction, so that the first does not wait too long for the last.
const GROUP_JOBS: usize = 1_000;
const GROUP_BYTES: usize = 4 << 20;

/// Something to be written.
pub(super) trait Job: Send {
    /// Writes it. It is called again when the transaction it was in fails for another's sake.
    fn run(&mut self, tables: &mut Tables<'_>) -> rusqlite::Result<()>;

    /// Tells whoever waits, once it is committed or has failed.
    fn finish(self: Box<Self>, committed: Result<(), StoreError>);

    /// The memory it takes, roughly.
    fn bytes(&self) -> usize {
        64
    }
}

/// The way to the thread.
pub(super) struct Writer {
    jobs: Option<Sender<Box<dyn Job>>>,
    thread: Option<JoinHandle<()>>,
    gauge: Arc<Gauge>,
}

#[derive(Debug, Default)]
struct Gauge {
    backlog: AtomicUsize,
    commits: AtomicU64,
}

impl Writer {
    pub(super) fn start(
        connection: Connection,
        messages: Arc<MessageIndex>,
        lock: FileLock,
        retention: Retention,
    ) -> Result<Self, StoreError> {
        let (jobs, waiting) = channel();
        let gauge = Arc::new(Gauge::default());
        let shared = Arc::clone(&gauge);
        let thread = std::thread::Builder::new()
            .name("sabir-sqlite".into())
            .spawn(move || {
                let tables = Tables::new(&connection, messages, retention);
                serve(tables, &waiting, &shared);
                drop(connection);
                // Last, so that whoever opens the file next finds it closed.
                drop(lock);
            })
            .map_err(StoreError::new)?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), gauge })
    }

    pub(super) fn send(&self, job: Box<dyn Job>) {
        self.gauge.backlog.fetch_add(job.bytes(), Ordering::Relaxed);
        let jobs = self.jobs.as_ref().expect("the sender is there until the writer is dropped");
        if let Err(refused) = jobs.send(job) {
            refused.0.finish(Err(ended()));
        }
    }

    /// Writes and waits for the commit.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        write: impl FnMut(&mut Tables<'_>) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, outcome) = oneshot::channel();
        self.send(Box::new(Call { write, result: None, reply }));
        outcome.await.unwrap_or_else(|_| Err(ended()))
    }

    pub(super) fn backlog(&self) -> usize {
        self.gauge.backlog.load(Ordering::Relaxed)
    }

    pub(super) fn commits(&self) -> u64 {
        self.gauge.commits.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    /// What was handed over is written before the file is closed.
    fn drop(&mut self) {
        self.jobs = None;
        // The last owner may be an outcome that is told on the thread itself.
        let thread = self.thread.take().filter(|t| t.thread().id() != std::thread::current().id());
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes the SQLite file has panicked");
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("gauge", &self.gauge).finish_non_exhaustive()
    }
}

fn ended() -> StoreError {
    StoreError::new("the thread that writes the SQLite file has ended")
}

/// A write that answers one caller.
struct Call<T, F> {
    write: F,
    result: Option<T>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F> Job for Call<T, F>
where
    F: FnMut(&mut Tables<'_>) -> rusqlite::Result<T> + Send,
{
    fn run(&mut self, tables: &mut Tables<'_>) -> rusqlite::Result<()> {
        self.result = Some((self.write)(tables)?);
        Ok(())
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { result, reply, .. } = *self;
        // The caller may have gone.
        drop(reply.send(committed.and_then(|()| result.ok_or_else(ended))));
    }
}

fn serve(
    mut tables: rusqlite::Result<Tables<'_>>,
    waiting: &Receiver<Box<dyn Job>>,
    gauge: &Gauge,
) {
    let mut group = Vec::new();
    while let Ok(job) = waiting.recv() {
        let mut bytes = job.bytes();
        group.push(job);
        while group.len() < GROUP_JOBS && bytes < GROUP_BYTES {
            let Ok(job) = waiting.try_recv() else { break };
            bytes += job.bytes();
            group.push(job);
        }
        match &mut tables {
            Ok(tables) => commit(tables, &mut group, gauge),
            Err(error) => finish(&mut group, &Err(StoreError::new(error))),
        }
        gauge.backlog.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Why a group was not written.
enum Failed {
    /// One of its jobs: the others may do better alone.
    Job(StoreError),
    /// The commit: nobody knows whose fault it is.
    Commit(StoreError),
}

fn commit(tables: &mut Tables<'_>, group: &mut Vec<Box<dyn Job>>, gauge: &Gauge) {
    match transaction(tables, group) {
        Ok(()) => {
            gauge.commits.fetch_add(1, Ordering::Relaxed);
            finish(group, &Ok(()));
        }
        Err(Failed::Job(_)) if group.len() > 1 => {
            for job in group.drain(..) {
                commit(tables, &mut vec![job], gauge);
            }
        }
        Err(Failed::Job(error) | Failed::Commit(error)) => {
            tracing::error!(operations = group.len(), "nothing was written: {error}");
            finish(group, &Err(error));
        }
    }
}

fn transaction(tables: &mut Tables<'_>, group: &mut [Box<dyn Job>]) -> Result<(), Failed> {
    let mut jobs = |tables: &mut Tables<'_>| {
        tables.open()?;
        group.iter_mut().try_for_each(|job| job.run(tables))?;
        tables.write_totals()
    };
    // Whatever a panic left behind goes with the transaction.
    let written = catch_unwind(AssertUnwindSafe(|| jobs(tables)));
    let written = written
        .map_err(|_| StoreError::new("an operation has panicked"))
        .and_then(|written| written.map_err(StoreError::new));
    let result = match written {
        Ok(()) => tables.commit().map_err(|error| Failed::Commit(StoreError::new(error))),
        Err(error) => Err(Failed::Job(error)),
    };
    if result.is_err() {
        tables.roll_back();
    }
    result
}

fn finish(group: &mut Vec<Box<dyn Job>>, committed: &Result<(), StoreError>) {
    for job in group.drain(..) {
        // One that panics must not keep the others from being told.
        if catch_unwind(AssertUnwindSafe(|| job.finish(committed.clone()))).is_err() {
            tracing::error!("whoever was told of a commit has panicked");
        }
    }
}
