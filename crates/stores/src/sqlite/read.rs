//! Reads of one task, one message, or what a restart looks at.

use super::value::{HELD, held, int, key, push, state, time, uint};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sabir_engine::store::{PushRow, TaskKey, TaskRecord};
use sabir_engine::{EntryKind, LogEntry};
use std::sync::Arc;

/// Finds a task by `?1` to `?4`: agent, tenant, owner and id.
const TASK: &str = "scope = (SELECT scope FROM scopes WHERE agent = ?1 AND tenant = ?2 \
                    AND owner = ?3) AND id = ?4";

fn names(key: &TaskKey) -> [&str; 4] {
    [&key.scope.agent, &key.scope.tenant, &key.scope.owner, key.id.as_str()]
}

pub(super) fn load(connection: &Connection, key: &TaskKey) -> rusqlite::Result<Option<TaskRecord>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {HELD}, first, s.seq, s.body \
         FROM tasks LEFT JOIN snapshots AS s ON s.task = tasks.task WHERE {TASK}"
    ))?;
    let record = |row: &Row<'_>| {
        let snapshot = match row.get::<_, Option<i64>>(11)? {
            Some(_) => Some((uint(row, 11)?, row.get::<_, Vec<u8>>(12)?.into())),
            None => None,
        };
        Ok(TaskRecord { row: held(row)?.row, snapshot, first: uint(row, 10)? })
    };
    statement.query_row(names(key), record).optional()
}

pub(super) fn entries(
    connection: &Connection,
    key: &TaskKey,
    after: u64,
    limit: usize,
) -> rusqlite::Result<Vec<Arc<LogEntry>>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT seq, turn, epoch, at, kind, state, payload FROM entries \
         WHERE task = (SELECT task FROM tasks WHERE {TASK}) AND seq > ?5 ORDER BY seq LIMIT ?6"
    ))?;
    let [agent, tenant, owner, id] = names(key);
    let rows = params![agent, tenant, owner, id, int(after), int(limit)];
    statement.query_map(rows, entry)?.collect()
}

pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Arc<LogEntry>> {
    Ok(Arc::new(LogEntry {
        seq: uint(row, 0)?,
        turn: uint(row, 1)?,
        epoch: uint(row, 2)?,
        at: time(row, 3)?,
        kind: EntryKind::from_number(row.get(4)?),
        state: state(row, 5)?,
        payload: row.get::<_, Vec<u8>>(6)?.into(),
    }))
}

pub(super) fn unfinished(connection: &Connection, agent: &str) -> rusqlite::Result<Vec<TaskKey>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.agent, s.tenant, s.owner, t.id FROM tasks AS t \
         JOIN scopes AS s ON s.scope = t.scope WHERE t.standing = 0 AND s.agent = ?1",
    )?;
    statement.query_map([agent], |row| key(row, 0))?.collect()
}

pub(super) fn pushes(connection: &Connection, key: &TaskKey) -> rusqlite::Result<Vec<PushRow>> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, config, version FROM pushes WHERE task = (SELECT task FROM tasks WHERE {TASK}) \
         ORDER BY id"
    ))?;
    statement.query_map(names(key), |row| push(row, 0))?.collect()
}
