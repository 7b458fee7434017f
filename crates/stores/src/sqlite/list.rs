//! Lists tasks by the index that fits the filter.

use super::value::{int, text, time};
use rusqlite::{Connection, OptionalExtension, Row, ToSql};
use sabir_engine::store::{Scope, TaskFilter, TaskPage};
use sabir_types::{ProtoEnum, TaskId, Timestamp};

pub(super) fn list(
    connection: &Connection,
    scope: &Scope,
    filter: &TaskFilter,
    after: Option<&(Timestamp, TaskId)>,
    limit: usize,
) -> rusqlite::Result<TaskPage> {
    let scope: Option<i64> = connection
        .prepare_cached("SELECT scope FROM scopes WHERE agent = ?1 AND tenant = ?2 AND owner = ?3")?
        .query_row([&scope.agent, &scope.tenant, &scope.owner], |row| row.get(0))
        .optional()?;
    let Some(scope) = scope else {
        return Ok(TaskPage::default());
    };
    let mut query = Query::new(scope, filter);
    let total = connection
        .prepare_cached(&format!("SELECT count(*) FROM tasks WHERE {}", query.condition))?
        .query_row(&*query.bind(), |row| row.get::<_, i64>(0))?;
    if let Some((at, id)) = after {
        query.add("(status_at, id) < (?, ?)", [Box::new(at.as_millis()), Box::new(id.to_string())]);
    }
    query.add("true ORDER BY status_at DESC, id DESC LIMIT ?", [Box::new(int(limit))]);
    let task = |row: &Row<'_>| Ok((TaskId::new(text(row, 0)?), time(row, 1)?));
    let tasks = connection
        .prepare_cached(&format!("SELECT id, status_at FROM tasks WHERE {}", query.condition))?
        .query_map(&*query.bind(), task)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(TaskPage { tasks, total: total.unsigned_abs() })
}

/// A condition and what it is bound to.
struct Query {
    condition: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Query {
    fn new(scope: i64, filter: &TaskFilter) -> Self {
        // As the indexes have it, so that they are used.
        let condition = "visible = 1 AND scope = ?".to_owned();
        let mut query = Self { condition, values: vec![Box::new(scope)] };
        if let Some(context) = &filter.context_id {
            query.add("context = ?", [Box::new(context.to_string())]);
        }
        if let Some(state) = filter.state {
            query.add("state = ?", [Box::new(state.number())]);
        }
        if let Some(since) = filter.since {
            query.add("status_at >= ?", [Box::new(not_before(since))]);
        }
        query
    }

    fn add<const N: usize>(&mut self, condition: &str, values: [Box<dyn ToSql>; N]) {
        self.condition.push_str(" AND ");
        self.condition.push_str(condition);
        self.values.extend(values);
    }

    fn bind(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| &**value).collect()
    }
}

/// The first millisecond that is not before a time.
fn not_before(time: Timestamp) -> i64 {
    let is_finer = time.nanos() % 1_000_000 != 0;
    time.as_millis().saturating_add(i64::from(is_finer))
}
