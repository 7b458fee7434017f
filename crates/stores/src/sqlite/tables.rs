//! What the writing thread knows: its statements, and what it need not read again.

use super::messages::{Key, MessageIndex, half};
use super::value::{HELD, held, int, uint};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, Statement, params};
use sabir_engine::store::decision::{Held, Standing};
use sabir_engine::store::{Retention, Scope, TaskKey};
use std::collections::HashMap;
use std::sync::Arc;

/// How many rows and scopes are remembered; beyond, all are forgotten.
const REMEMBERED: usize = 20_000;

/// The tables, inside a transaction.
pub(super) struct Tables<'c> {
    connection: &'c Connection,
    pub(super) retention: Retention,
    pub(super) totals: Totals,
    /// As they are on the disk.
    written: Totals,
    next_task: i64,
    next_message: i64,
    messages: Arc<MessageIndex>,
    /// Where messages were found before the transaction.
    moved: Vec<(u64, Option<i64>)>,
    scopes: HashMap<Scope, i64>,
    /// Tasks that have not finished: nobody else writes, so their rows are as they were left.
    known: HashMap<TaskKey, Known>,
    pub(super) hot: Hot<'c>,
}

/// Sums that retention needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) tasks: i64,
    pub(super) bytes: i64,
    pub(super) messages: i64,
}

/// A task's row.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) task: i64,
    pub(super) scope: i64,
    pub(super) held: Held,
    pub(super) bytes: i64,
    pub(super) pushes: i64,
}

/// The statements of an append, prepared once: looking them up would cost as much as some of them.
pub(super) struct Hot<'c> {
    pub(super) insert_task: Statement<'c>,
    pub(super) update_progress: Statement<'c>,
    pub(super) update_status: Statement<'c>,
    pub(super) insert_entry: Statement<'c>,
    pub(super) insert_message: Statement<'c>,
    find_task: Statement<'c>,
    write_totals: Statement<'c>,
    begin: Statement<'c>,
    commit: Statement<'c>,
}

impl<'c> Hot<'c> {
    fn prepare(connection: &'c Connection) -> rusqlite::Result<Self> {
        let prepare = |sql: &str| connection.prepare(sql);
        Ok(Self {
            insert_task: prepare(
                "INSERT INTO tasks (task, scope, id, context, state, status_at, visible, head, \
                 epoch, turn, turn_open, ordinal, accepted, bytes, pushes, standing, first) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, 1)",
            )?,
            // Of its own, because a statement that names an indexed column writes the index.
            update_progress: prepare(
                "UPDATE tasks SET head = ?2, epoch = ?3, turn = ?4, turn_open = ?5, ordinal = ?6, \
                 accepted = ?7, bytes = ?8, pushes = ?9 WHERE task = ?1",
            )?,
            update_status: prepare(
                "UPDATE tasks SET head = ?2, epoch = ?3, turn = ?4, turn_open = ?5, ordinal = ?6, \
                 accepted = ?7, bytes = ?8, pushes = ?9, state = ?10, status_at = ?11, \
                 visible = ?12, standing = ?13 WHERE task = ?1",
            )?,
            insert_entry: prepare("INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?,
            insert_message: prepare("INSERT INTO messages VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?,
            find_task: prepare(&format!(
                "SELECT {HELD}, task, bytes, pushes FROM tasks WHERE scope = ?1 AND id = ?2"
            ))?,
            write_totals: prepare(
                "UPDATE meta SET finished_tasks = ?1, finished_bytes = ?2, messages = ?3",
            )?,
            begin: prepare("BEGIN IMMEDIATE")?,
            commit: prepare("COMMIT")?,
        })
    }
}

impl<'c> Tables<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        messages: Arc<MessageIndex>,
        retention: Retention,
    ) -> rusqlite::Result<Self> {
        connection.set_prepared_statement_cache_capacity(64);
        let totals = connection.query_row(
            "SELECT finished_tasks, finished_bytes, messages FROM meta",
            (),
            |row| Ok(Totals { tasks: row.get(0)?, bytes: row.get(1)?, messages: row.get(2)? }),
        )?;
        let next_task = connection.query_row(
            "SELECT 1 + max(ifnull((SELECT max(task) FROM tasks), 0), \
             ifnull((SELECT max(task) FROM garbage), 0), ifnull((SELECT max(task) FROM pushes), 0))",
            (),
            |row| row.get(0),
        )?;
        let next_message =
            connection.query_row("SELECT 1 + ifnull(max(number), 0) FROM messages", (), |row| {
                row.get(0)
            })?;
        Ok(Self {
            connection,
            retention,
            totals,
            written: totals,
            next_task,
            next_message,
            messages,
            moved: Vec::new(),
            scopes: HashMap::new(),
            known: HashMap::new(),
            hot: Hot::prepare(connection)?,
        })
    }

    /// Begins a transaction.
    pub(super) fn open(&mut self) -> rusqlite::Result<()> {
        self.hot.begin.execute(()).map(drop)
    }

    /// The last thing a transaction writes.
    pub(super) fn write_totals(&mut self) -> rusqlite::Result<()> {
        let Totals { tasks, bytes, messages } = self.totals;
        if self.totals != self.written {
            self.hot.write_totals.execute((tasks, bytes, messages))?;
        }
        Ok(())
    }

    pub(super) fn commit(&mut self) -> rusqlite::Result<()> {
        self.hot.commit.execute(())?;
        self.written = self.totals;
        self.moved.clear();
        Ok(())
    }

    /// Forgets the transaction, and everything that was learned in it.
    pub(super) fn roll_back(&mut self) {
        // SQLite has done it by itself after some errors.
        if !self.connection.is_autocommit()
            && let Err(error) = self.connection.execute_batch("ROLLBACK")
        {
            tracing::error!("a transaction cannot be rolled back: {error}");
        }
        self.totals = self.written;
        for (half, number) in self.moved.drain(..).rev() {
            self.messages.set(half, number);
        }
        self.known.clear();
        self.scopes.clear();
    }

    pub(super) fn connection(&self) -> &'c Connection {
        self.connection
    }

    /// A statement that is not on the path of an append.
    pub(super) fn sql(&self, sql: &str) -> rusqlite::Result<CachedStatement<'c>> {
        self.connection.prepare_cached(sql)
    }

    pub(super) fn begin(&mut self) -> rusqlite::Result<u64> {
        self.sql("UPDATE meta SET epoch = epoch + 1 RETURNING epoch")?
            .query_row((), |row| uint(row, 0))
    }

    pub(super) fn next_task(&mut self) -> i64 {
        self.next_task += 1;
        self.next_task - 1
    }

    pub(super) fn next_message(&mut self) -> i64 {
        self.next_message += 1;
        self.next_message - 1
    }

    pub(super) fn message(&self, key: &Key) -> Option<i64> {
        self.messages.get(key)
    }

    /// Changes where the record of a message is found, until the transaction fails.
    pub(super) fn move_message(&mut self, key: &Key, number: Option<i64>) {
        let half = half(key);
        let before = self.messages.set(half, number);
        self.moved.push((half, before));
    }

    /// The number of a scope, which gets one if it has none.
    pub(super) fn make_scope(&mut self, scope: &Scope) -> rusqlite::Result<i64> {
        if let Some(number) = self.find_scope(scope)? {
            return Ok(number);
        }
        let number = self
            .sql("INSERT INTO scopes (agent, tenant, owner) VALUES (?1, ?2, ?3) RETURNING scope")?
            .query_row([&scope.agent, &scope.tenant, &scope.owner], |row| row.get(0))?;
        self.scopes.insert(scope.clone(), number);
        Ok(number)
    }

    fn find_scope(&mut self, scope: &Scope) -> rusqlite::Result<Option<i64>> {
        if let Some(number) = self.scopes.get(scope) {
            return Ok(Some(*number));
        }
        let found = self
            .sql("SELECT scope FROM scopes WHERE agent = ?1 AND tenant = ?2 AND owner = ?3")?
            .query_row([&scope.agent, &scope.tenant, &scope.owner], |row| row.get(0))
            .optional()?;
        if let Some(number) = found {
            if self.scopes.len() >= REMEMBERED {
                self.scopes.clear();
            }
            self.scopes.insert(scope.clone(), number);
        }
        Ok(found)
    }

    /// Forgets a scope that has nothing any more.
    pub(super) fn leave_scope(&mut self, number: i64) -> rusqlite::Result<()> {
        let left = self
            .sql(
                "DELETE FROM scopes WHERE scope = ?1 \
                 AND NOT EXISTS (SELECT 1 FROM tasks WHERE scope = ?1) \
                 AND NOT EXISTS (SELECT 1 FROM pushes WHERE scope = ?1)",
            )?
            .execute([number])?;
        if left > 0 {
            self.scopes.retain(|_, other| *other != number);
        }
        Ok(())
    }

    /// Takes a task's row; [`remember`](Self::remember) gives it back.
    pub(super) fn find(&mut self, key: &TaskKey) -> rusqlite::Result<Option<Known>> {
        if let Some(known) = self.known.remove(key) {
            return Ok(Some(known));
        }
        let Some(scope) = self.find_scope(&key.scope)? else {
            return Ok(None);
        };
        let known = |row: &Row<'_>| {
            Ok(Known {
                held: held(row)?,
                task: row.get(10)?,
                bytes: row.get(11)?,
                pushes: row.get(12)?,
                scope,
            })
        };
        self.hot.find_task.query_row(params![scope, key.id.as_str()], known).optional()
    }

    /// Finished tasks are not remembered: hardly anything happens to them.
    pub(super) fn remember(&mut self, key: TaskKey, known: Known) {
        if known.held.standing() == Standing::Finished {
            return;
        }
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(key, known);
    }

    pub(super) fn forget(&mut self, tasks: &[i64]) {
        self.known.retain(|_, known| !tasks.contains(&known.task));
    }

    /// Counts a task's bytes where it has finished.
    pub(super) fn count(&mut self, known: &Known, sign: i64) {
        if known.held.standing() == Standing::Finished {
            self.totals.tasks += sign;
            self.totals.bytes += sign * known.bytes;
        }
    }

    /// Keeps a snapshot, unless there is a newer one.
    pub(super) fn snapshot(
        &mut self,
        key: &TaskKey,
        seq: u64,
        body: &[u8],
    ) -> rusqlite::Result<()> {
        let Some(mut known) = self.find(key)? else { return Ok(()) };
        let kept: Option<(i64, i64)> = self
            .sql("SELECT seq, length(body) FROM snapshots WHERE task = ?1")?
            .query_row([known.task], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let (kept, before) = kept.unwrap_or((-1, 0));
        if kept <= int(seq) {
            self.sql("INSERT OR REPLACE INTO snapshots VALUES (?1, ?2, ?3)")?.execute(params![
                known.task,
                int(seq),
                body
            ])?;
            self.count(&known, -1);
            known.bytes += int(body.len()) - before;
            self.count(&known, 1);
            self.sql("UPDATE tasks SET bytes = ?2 WHERE task = ?1")?
                .execute([known.task, known.bytes])?;
        }
        self.remember(key.clone(), known);
        Ok(())
    }
}
