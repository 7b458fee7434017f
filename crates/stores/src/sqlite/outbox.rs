//! Webhooks, and what is to be delivered to them.

use super::tables::{Known, Tables};
use super::value::{int, key, push, text, time, uint};
use rusqlite::{Connection, OptionalExtension, Row, params};
use sabir_engine::store::{NewEntry, OutboxRow, PushRow, Settled, TaskKey};
use sabir_types::Timestamp;

/// The rows of an agent that are due, and else when the next one is.
pub(super) fn due(
    connection: &Connection,
    agent: &str,
    now: Timestamp,
    limit: usize,
) -> rusqlite::Result<(Vec<OutboxRow>, Option<Timestamp>)> {
    let mut statement = connection.prepare_cached(
        "SELECT s.agent, s.tenant, s.owner, p.task_id, p.id, p.config, p.version, o.seq, o.body, o.attempts \
         FROM pushes AS p \
         JOIN outbox AS o ON o.task = p.task AND o.push = p.id AND o.seq = p.next \
         JOIN scopes AS s ON s.scope = p.scope \
         WHERE p.agent = ?1 AND p.next IS NOT NULL AND p.due <= ?2 ORDER BY p.due LIMIT ?3",
    )?;
    let row = |row: &Row<'_>| {
        Ok(OutboxRow {
            key: key(row, 0)?,
            push: push(row, 4)?,
            seq: uint(row, 7)?,
            body: row.get::<_, Vec<u8>>(8)?.into(),
            attempts: row.get(9)?,
        })
    };
    let rows = statement.query_map(params![agent, now.as_millis(), int(limit)], row)?;
    let rows = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut next = connection.prepare_cached(
        "SELECT due FROM pushes WHERE agent = ?1 AND next IS NOT NULL AND due > ?2 \
         ORDER BY due LIMIT 1",
    )?;
    let next = next.query_row(params![agent, now.as_millis()], |row| time(row, 0)).optional()?;
    Ok((rows, next))
}

/// A queue: one webhook of one task, which may be gone.
struct Queue {
    task: i64,
    scope: i64,
    is_orphan: bool,
}

impl Tables<'_> {
    /// Writes the visible entries of an append for each webhook of the task.
    pub(super) fn write_deliveries(
        &mut self,
        known: &Known,
        first: u64,
        entries: &[NewEntry],
    ) -> rusqlite::Result<bool> {
        let mut pushes = self.sql("SELECT id FROM pushes WHERE task = ?1")?;
        let pushes = pushes.query_map([known.task], |row| text(row, 0))?;
        let pushes = pushes.collect::<rusqlite::Result<Vec<_>>>()?;
        let mut insert = self.sql("INSERT INTO outbox VALUES (?1, ?2, ?3, ?4, 0, NULL)")?;
        let visible = (first..).zip(entries).filter(|(_, entry)| entry.kind.is_visible());
        let mut next = None;
        for (seq, entry) in visible {
            for push in &pushes {
                insert.execute(params![known.task, push, int(seq), &entry.payload[..]])?;
            }
            next = next.or(Some(int(seq)));
        }
        if let Some(next) = next {
            self.sql("UPDATE pushes SET next = ?2, due = 0 WHERE task = ?1 AND next IS NULL")?
                .execute([known.task, next])?;
        }
        Ok(next.is_some())
    }

    pub(super) fn put_push(
        &mut self,
        key: &TaskKey,
        push: &PushRow,
        limit: usize,
    ) -> rusqlite::Result<bool> {
        let Some(mut known) = self.find(key)? else { return Ok(false) };
        let is_allowed = known.pushes < int(limit)
            || self
                .sql("SELECT 1 FROM pushes WHERE task = ?1 AND id = ?2")?
                .exists(params![known.task, &push.id])?;
        if is_allowed {
            self.write_push(&mut known, key, push)?;
            self.write_pushes(&known)?;
        }
        self.remember(key.clone(), known);
        Ok(is_allowed)
    }

    pub(super) fn delete_push(&mut self, key: &TaskKey, id: &str) -> rusqlite::Result<bool> {
        let Some(mut known) = self.find(key)? else { return Ok(false) };
        let deleted = self
            .sql("DELETE FROM pushes WHERE task = ?1 AND id = ?2")?
            .execute(params![known.task, id])?;
        if deleted > 0 {
            self.sql("DELETE FROM outbox WHERE task = ?1 AND push = ?2")?
                .execute(params![known.task, id])?;
            known.pushes -= 1;
            self.write_pushes(&known)?;
        }
        self.remember(key.clone(), known);
        Ok(deleted > 0)
    }

    fn write_pushes(&mut self, known: &Known) -> rusqlite::Result<()> {
        self.sql("UPDATE tasks SET pushes = ?2 WHERE task = ?1")?
            .execute([known.task, known.pushes])
            .map(drop)
    }

    /// Records what became of an attempt, if the row is still the first of its queue.
    pub(super) fn settle(&mut self, row: &OutboxRow, settled: &Settled) -> rusqlite::Result<()> {
        let Some(queue) = self.queue(row)? else { return Ok(()) };
        let (task, push, seq) = (queue.task, &row.push.id, int(row.seq));
        match settled {
            Settled::Retry(at) => {
                self.sql(
                    "UPDATE outbox SET attempts = attempts + 1 \
                     WHERE task = ?1 AND push = ?2 AND seq = ?3",
                )?
                .execute(params![task, push, seq])?;
                self.sql("UPDATE pushes SET due = ?3 WHERE task = ?1 AND id = ?2")?
                    .execute(params![task, push, at.as_millis()])?;
                return Ok(());
            }
            Settled::Dead(reason) if !queue.is_orphan => {
                self.sql(
                    "UPDATE outbox SET dead = ?4, attempts = attempts + 1 \
                     WHERE task = ?1 AND push = ?2 AND seq = ?3",
                )?
                .execute(params![task, push, seq, reason])?;
            }
            Settled::Dead(_) | Settled::Delivered => {
                self.sql("DELETE FROM outbox WHERE task = ?1 AND push = ?2 AND seq = ?3")?
                    .execute(params![task, push, seq])?;
            }
        }
        self.go_on(&queue, row)
    }

    fn queue(&self, row: &OutboxRow) -> rusqlite::Result<Option<Queue>> {
        let OutboxRow { key, push, seq, .. } = row;
        self.sql(
            "SELECT p.task, p.scope, NOT EXISTS (SELECT 1 FROM tasks AS t WHERE t.task = p.task) \
             FROM pushes AS p JOIN scopes AS s ON s.scope = p.scope \
             WHERE s.agent = ?1 AND s.tenant = ?2 AND s.owner = ?3 AND p.task_id = ?4 \
             AND p.id = ?5 AND p.next = ?6",
        )?
        .query_row(
            params![
                &key.scope.agent,
                &key.scope.tenant,
                &key.scope.owner,
                key.id.as_str(),
                &push.id,
                int(*seq)
            ],
            |row| Ok(Queue { task: row.get(0)?, scope: row.get(1)?, is_orphan: row.get(2)? }),
        )
        .optional()
    }

    /// The next row of the queue is due at once.
    fn go_on(&mut self, queue: &Queue, row: &OutboxRow) -> rusqlite::Result<()> {
        let next: Option<i64> = self
            .sql("SELECT min(seq) FROM outbox WHERE task = ?1 AND push = ?2 AND seq > ?3")?
            .query_row(params![queue.task, &row.push.id, int(row.seq)], |row| row.get(0))?;
        if next.is_none() && queue.is_orphan {
            self.sql("DELETE FROM pushes WHERE task = ?1 AND id = ?2")?
                .execute(params![queue.task, &row.push.id])?;
            return self.leave_scope(queue.scope);
        }
        self.sql("UPDATE pushes SET next = ?3, due = 0 WHERE task = ?1 AND id = ?2")?
            .execute(params![queue.task, &row.push.id, next])
            .map(drop)
    }
}
