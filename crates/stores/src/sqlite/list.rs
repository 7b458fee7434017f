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
        .prepare_cached(&query.select("count(*)"))?
        .query_row(&*query.bind(), |row| row.get::<_, i64>(0))?;
    query.page(after, limit);
    let task = |row: &Row<'_>| Ok((TaskId::new(text(row, 0)?), time(row, 1)?));
    let tasks = connection
        .prepare_cached(&query.select("id, status_at"))?
        .query_map(&*query.bind(), task)?
        .collect::<rusqlite::Result<_>>()?;
    Ok(TaskPage { tasks, total: total.unsigned_abs() })
}

/// A condition and what it is bound to.
struct Query {
    /// Named, because without statistics SQLite would rather take one that has two ranges.
    index: &'static str,
    condition: String,
    values: Vec<Box<dyn ToSql>>,
}

impl Query {
    fn new(scope: i64, filter: &TaskFilter) -> Self {
        // As the indexes have it, so that they are used.
        let condition = "visible = 1 AND scope = ?".to_owned();
        let index = match (&filter.context_id, filter.state) {
            (Some(_), _) => "tasks_by_context",
            (None, Some(_)) => "tasks_by_state",
            (None, None) => "tasks_by_status",
        };
        let mut query = Self { index, condition, values: vec![Box::new(scope)] };
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

    /// Only those of one page, in order.
    fn page(&mut self, after: Option<&(Timestamp, TaskId)>, limit: usize) {
        if let Some((at, id)) = after {
            let values: [Box<dyn ToSql>; 2] = [Box::new(at.as_millis()), Box::new(id.to_string())];
            self.add("(status_at, id) < (?, ?)", values);
        }
        self.add("true ORDER BY status_at DESC, id DESC LIMIT ?", [Box::new(int(limit))]);
    }

    fn add<const N: usize>(&mut self, condition: &str, values: [Box<dyn ToSql>; N]) {
        self.condition.push_str(" AND ");
        self.condition.push_str(condition);
        self.values.extend(values);
    }

    fn select(&self, columns: &str) -> String {
        let Self { index, condition, .. } = self;
        format!("SELECT {columns} FROM tasks INDEXED BY {index} WHERE {condition}")
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

#[cfg(test)]
mod tests {
    use super::*;
    use sabir_types::{ContextId, TaskState};

    /// The steps by which SQLite runs the query of a page after another.
    fn plan(filter: &TaskFilter) -> String {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(include_str!("schema/1.sql")).unwrap();
        let mut query = Query::new(1, filter);
        query.page(Some(&(Timestamp::from_millis(1), TaskId::new("id"))), 10);
        let sql = format!("EXPLAIN QUERY PLAN {}", query.select("id, status_at"));
        let mut statement = connection.prepare(&sql).unwrap();
        let steps = statement.query_map(&*query.bind(), |row| row.get::<_, String>(3)).unwrap();
        steps.collect::<rusqlite::Result<Vec<_>>>().unwrap().join("; ")
    }

    #[test]
    fn each_filter_is_read_in_order_from_its_index() {
        let context_id = Some(ContextId::new("context"));
        let state = Some(TaskState::Completed);
        let since = Some(Timestamp::from_millis(1));
        for (filter, index) in [
            (TaskFilter::default(), "tasks_by_status"),
            (TaskFilter { since, ..TaskFilter::default() }, "tasks_by_status"),
            (TaskFilter { state, ..TaskFilter::default() }, "tasks_by_state"),
            (TaskFilter { state, since, ..TaskFilter::default() }, "tasks_by_state"),
            (
                TaskFilter { context_id: context_id.clone(), ..TaskFilter::default() },
                "tasks_by_context",
            ),
            (TaskFilter { context_id, state, since }, "tasks_by_context"),
        ] {
            let plan = plan(&filter);
            assert!(plan.starts_with("SEARCH tasks USING"), "{filter:?}: {plan}");
            assert!(plan.contains(index) && plan.contains("status_at"), "{filter:?}: {plan}");
            assert!(!plan.contains("B-TREE"), "it is sorted: {filter:?}: {plan}");
        }
    }
}
