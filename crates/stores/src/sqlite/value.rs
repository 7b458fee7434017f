//! How values of the engine stand in columns.

use rusqlite::Row;
use rusqlite::types::Type;
use sabir_engine::store::decision::{Held, Standing};
use sabir_engine::store::{PushRow, Scope, TaskKey, TaskRow};
use sabir_types::{ContextId, ProtoEnum, TaskId, TaskState, Timestamp};
use std::sync::Arc;

/// Numbers beyond a column's range stand for the greatest one: they only ever bound something.
pub(super) fn int(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// A number from a column; ours are never negative.
pub(super) fn uint(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, number))
}

pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Ok(Timestamp::from_millis(row.get(column)?))
}

pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<TaskState> {
    Ok(TaskState::from_number(row.get(column)?))
}

pub(super) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Arc<str>> {
    Ok(row.get_ref(column)?.as_str()?.into())
}

/// The columns of a scope, from `column` on.
pub(super) fn scope(row: &Row<'_>, column: usize) -> rusqlite::Result<Scope> {
    let name = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    Ok(Scope::new(name(column)?, name(column + 1)?, name(column + 2)?))
}

/// The columns of a scope and then a task's id, from `column` on.
pub(super) fn key(row: &Row<'_>, column: usize) -> rusqlite::Result<TaskKey> {
    Ok(TaskKey { scope: scope(row, column)?, id: TaskId::new(text(row, column + 3)?) })
}

/// The columns id, config and version of a webhook, from `column` on.
pub(super) fn push(row: &Row<'_>, column: usize) -> rusqlite::Result<PushRow> {
    let version = row.get_ref(column + 2)?.as_str()?.parse().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column + 2, Type::Text, Box::new(error))
    })?;
    let config = row.get::<_, Vec<u8>>(column + 1)?.into();
    Ok(PushRow { id: text(row, column)?, config, version })
}

/// The columns that [`held`] reads.
pub(super) const HELD: &str =
    "context, state, status_at, visible, head, epoch, turn, turn_open, ordinal, accepted";

pub(super) fn held(row: &Row<'_>) -> rusqlite::Result<Held> {
    let task = TaskRow {
        context_id: ContextId::new(text(row, 0)?),
        state: state(row, 1)?,
        status_at: time(row, 2)?,
        visible: row.get(3)?,
        head: uint(row, 4)?,
        epoch: uint(row, 5)?,
        turn: uint(row, 6)?,
        turn_open: row.get(7)?,
        ordinal: uint(row, 8)?,
    };
    Ok(Held { row: task, accepted: uint(row, 9)? })
}

pub(super) fn standing(standing: Standing) -> i64 {
    match standing {
        Standing::Running => 0,
        Standing::Waiting => 1,
        Standing::Finished => 2,
    }
}

/// A finished task whose entries are gone.
pub(super) const COMPACTED: i64 = 3;
