//! The file's schema, and how an older one is brought up to date.
//!
//! A numbered list and SQLite's own `user_version` are all it takes: one process opens a file, with
//! the lock held and before anything else, so a migration tool would add a table, a dependency
//! bound to old versions of the driver, and nothing that is needed here.

use super::{SqliteOptions, Synchronous, lock};
use rusqlite::{Connection, OpenFlags, Transaction};
use std::path::Path;
use std::time::Duration;

/// "Sabr": marks the file as ours.
const APPLICATION_ID: i32 = 0x5361_6272;

/// Each brings the schema from the version of its index to the next.
const MIGRATIONS: &[&str] = &[include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// Pages of the write-ahead log after which it is written back, some 16 MiB: the pages that most
/// commits touch are the same, so a longer log saves writes.
const CHECKPOINT_PAGES: u32 = 4_000;

/// Why a file cannot be opened.
#[derive(Debug)]
pub(super) enum OpenError {
    Driver(rusqlite::Error),
    File(std::io::Error),
    Foreign,
    Later(i64),
    NoWal(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Driver(error) => error.fmt(f),
            Self::File(error) => error.fmt(f),
            Self::Foreign => f.write_str("is a SQLite file of another program"),
            Self::Later(version) => write!(
                f,
                "was written by a later version of this program (schema {version}, this one knows \
                 {})",
                MIGRATIONS.len()
            ),
            Self::NoWal(mode) => write!(
                f,
                "the file system does not support a write-ahead log (journal mode {mode})"
            ),
        }
    }
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Driver(error)
    }
}

/// Opens the file for writing, up to date.
pub(super) fn open(path: &Path, options: &SqliteOptions) -> Result<Connection, OpenError> {
    // Made here and not by SQLite, so that nobody else may read it.
    lock::options().open(path).map_err(OpenError::File)?;
    let mut connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | common())?;
    connection.busy_timeout(Duration::from_secs(10))?;
    check_origin(&connection)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", (), |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoWal(mode));
    }
    let synchronous = match options.synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", 64 << 20)?;
    connection.pragma_update(None, "cache_size", -(16 << 10))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    limit(&connection, options.max_bytes)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens the file for reading.
pub(super) fn open_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | common())?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cache_size", -(8 << 10))?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// A connection is used by one thread at a time, so SQLite need not lock it.
fn common() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_NO_MUTEX
}

fn check_origin(connection: &Connection) -> Result<(), OpenError> {
    let id: i32 = connection.query_row("PRAGMA application_id", (), |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    if id == APPLICATION_ID || (id == 0 && tables == 0) { Ok(()) } else { Err(OpenError::Foreign) }
}

fn limit(connection: &Connection, max_bytes: Option<u64>) -> rusqlite::Result<()> {
    let Some(max_bytes) = max_bytes else { return Ok(()) };
    let page: u32 = connection.query_row("PRAGMA page_size", (), |row| row.get(0))?;
    let pages = i64::try_from(max_bytes / u64::from(page)).unwrap_or(i64::MAX);
    // The pragma answers with what it set.
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), (), |_| Ok(()))
}

fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    let version: i64 = connection.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(usize::MAX);
    let Some(missing) = MIGRATIONS.get(done..) else {
        return Err(OpenError::Later(version));
    };
    for (number, migration) in (version + 1..).zip(missing) {
        let transaction = connection.transaction()?;
        step(&transaction, number, migration)?;
        transaction.commit()?;
    }
    Ok(())
}

fn step(transaction: &Transaction<'_>, number: i64, migration: &str) -> rusqlite::Result<()> {
    transaction.execute_batch(migration)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", number)
}
