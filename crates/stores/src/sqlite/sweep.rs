//! Forgets what the retention no longer wants, in steps that other writes come between.

use super::SqliteStore;
use super::messages::Key;
use super::read::entry;
use super::tables::Tables;
use super::value::{COMPACTED, int, key, uint};
use bytes::Bytes;
use rusqlite::{Connection, Row, params};
use sabir_engine::LogEntry;
use sabir_engine::store::decision::cutoff;
use sabir_engine::store::{Fold, StoreError, TaskKey};
use sabir_types::Timestamp;
use std::sync::Arc;

/// Rows that one step deletes at most, roughly: some milliseconds.
const ROWS: i64 = 1_000;

/// Tasks that one step looks at.
const TASKS: i64 = 100;

/// Bytes of entries that one step reads at most, unless one task has more.
const BYTES: usize = 4 << 20;

pub(super) async fn sweep(
    store: &SqliteStore,
    now: Timestamp,
    fold: &Fold,
) -> Result<u64, StoreError> {
    let mut deleted = 0;
    loop {
        let step = store.write(move |tables| tables.evict(now)).await?;
        deleted += step;
        if step == 0 {
            break;
        }
    }
    while store.write(|tables| tables.collect_garbage()).await? {}
    while store.write(move |tables| tables.expire_messages(now)).await? {}
    let before = cutoff(now, store.retention.resume_secs);
    loop {
        let unfolded = store.read(move |connection| unfolded(connection, before)).await?;
        if unfolded.is_empty() {
            break;
        }
        let folded = unfolded.into_iter().map(|task| task.fold(fold));
        let folded = folded.collect::<Result<Vec<_>, _>>()?;
        store.write(move |tables| folded.iter().try_for_each(|task| tables.compact(task))).await?;
    }
    Ok(deleted)
}

/// A finished task whose entries may go, once they are folded.
struct Unfolded {
    key: TaskKey,
    head: u64,
    snapshot: Option<Bytes>,
    /// Those that the snapshot does not cover.
    entries: Vec<Arc<LogEntry>>,
}

/// A finished task whose entries may go.
struct Folded {
    key: TaskKey,
    head: u64,
    snapshot: Option<Bytes>,
}

impl Unfolded {
    fn fold(self, fold: &Fold) -> Result<Folded, StoreError> {
        let Self { key, head, snapshot, entries } = self;
        let snapshot = match &entries[..] {
            [] => None,
            entries => Some(fold(&key, snapshot.as_ref(), entries)?),
        };
        Ok(Folded { key, head, snapshot })
    }
}

fn unfolded(connection: &Connection, before: Timestamp) -> rusqlite::Result<Vec<Unfolded>> {
    let mut statement = connection.prepare_cached(
        "SELECT s.agent, s.tenant, s.owner, t.id, t.task, t.head, ifnull(k.seq, 0), k.body \
         FROM tasks AS t JOIN scopes AS s ON s.scope = t.scope \
         LEFT JOIN snapshots AS k ON k.task = t.task \
         WHERE t.standing = 2 AND t.standing > 0 AND t.status_at <= ?1 ORDER BY t.status_at LIMIT ?2",
    )?;
    let mut entries = connection.prepare_cached(
        "SELECT seq, turn, epoch, at, kind, state, payload FROM entries \
         WHERE task = ?1 AND seq > ?2 ORDER BY seq",
    )?;
    let mut rows = statement.query([before.as_millis(), TASKS])?;
    let (mut unfolded, mut bytes, mut count) = (Vec::new(), 0, 0);
    while let Some(row) = rows.next()? {
        let task: i64 = row.get(4)?;
        let covered: i64 = row.get(6)?;
        let entries = entries.query_map([task, covered], entry)?;
        let entries = entries.collect::<rusqlite::Result<Vec<_>>>()?;
        bytes += entries.iter().map(|entry| entry.payload.len()).sum::<usize>();
        count += entries.len() as i64;
        let snapshot = row.get::<_, Option<Vec<u8>>>(7)?.map(Bytes::from);
        unfolded.push(Unfolded { key: key(row, 0)?, head: uint(row, 5)?, snapshot, entries });
        if bytes > BYTES || count > ROWS {
            break;
        }
    }
    Ok(unfolded)
}

/// A task that may be deleted.
struct Candidate {
    task: i64,
    scope: i64,
    status_at: i64,
    bytes: i64,
    rows: i64,
    pushes: i64,
}

impl Tables<'_> {
    /// Keeps a snapshot and drops entries, as many as one step may.
    fn compact(&mut self, folded: &Folded) -> rusqlite::Result<()> {
        if let Some(snapshot) = &folded.snapshot {
            self.snapshot(&folded.key, folded.head, snapshot)?;
        }
        let Some(mut known) = self.find(&folded.key)? else { return Ok(()) };
        if known.held.row.head == folded.head {
            let first: i64 = self
                .sql("SELECT first FROM tasks WHERE task = ?1")?
                .query_row([known.task], |row| row.get(0))?;
            let first = (first + ROWS).min(int(folded.head) + 1);
            let dropped = self.drop_entries(known.task, first)?;
            self.count(&known, -1);
            known.bytes -= dropped;
            self.count(&known, 1);
            self.sql(
                "UPDATE tasks SET first = ?2, bytes = ?3, \
                 standing = iif(?2 > head AND standing = 2, ?4, standing) WHERE task = ?1",
            )?
            .execute(params![known.task, first, known.bytes, COMPACTED])?;
        }
        self.remember(folded.key.clone(), known);
        Ok(())
    }

    /// Drops the entries before `first`; returns what they took.
    fn drop_entries(&mut self, task: i64, first: i64) -> rusqlite::Result<i64> {
        let bytes = self
            .sql(
                "SELECT ifnull(sum(length(payload) + 32), 0) FROM entries \
                 WHERE task = ?1 AND seq < ?2",
            )?
            .query_row([task, first], |row| row.get(0))?;
        self.sql("DELETE FROM entries WHERE task = ?1 AND seq < ?2")?.execute([task, first])?;
        Ok(bytes)
    }

    /// Deletes some tasks that are too old or too many; returns how many.
    fn evict(&mut self, now: Timestamp) -> rusqlite::Result<u64> {
        let mut candidates = self.candidates(COMPACTED)?;
        candidates.extend(self.candidates(2)?);
        candidates.sort_by_key(|candidate| candidate.status_at);
        let finished = cutoff(now, self.retention.finished_secs).as_millis();
        let waiting = cutoff(now, self.retention.waiting_secs).as_millis();
        let (mut evicted, mut rows) = (Vec::new(), 0);
        for candidate in candidates {
            let is_excess = self.totals.tasks > int(self.retention.tasks)
                || (self.totals.bytes > int(self.retention.bytes) && self.totals.tasks > 1);
            if rows >= ROWS || (!is_excess && candidate.status_at > finished) {
                break;
            }
            self.totals.tasks -= 1;
            self.totals.bytes -= candidate.bytes;
            rows += candidate.rows + 1;
            evicted.push(candidate);
        }
        for candidate in self.candidates(1)? {
            if rows >= ROWS || candidate.status_at > waiting {
                break;
            }
            rows += candidate.rows + 1;
            evicted.push(candidate);
        }
        self.delete(&evicted)?;
        Ok(evicted.len() as u64)
    }

    fn candidates(&self, standing: i64) -> rusqlite::Result<Vec<Candidate>> {
        let candidate = |row: &Row<'_>| {
            Ok(Candidate {
                task: row.get(0)?,
                scope: row.get(1)?,
                status_at: row.get(2)?,
                bytes: row.get(3)?,
                rows: row.get(4)?,
                pushes: row.get(5)?,
            })
        };
        self.sql(
            "SELECT task, scope, status_at, bytes, head + 1 - first, pushes FROM tasks \
             WHERE standing = ?1 AND standing > 0 ORDER BY status_at LIMIT ?2",
        )?
        .query_map([standing, TASKS], candidate)?
        .collect()
    }

    fn delete(&mut self, evicted: &[Candidate]) -> rusqlite::Result<()> {
        for Candidate { task, rows, pushes, .. } in evicted {
            if *rows > ROWS {
                // It is gone at once, and what it leaves goes step by step.
                self.sql("INSERT INTO garbage VALUES (?1)")?.execute([task])?;
            } else {
                self.sql("DELETE FROM entries WHERE task = ?1")?.execute([task])?;
            }
            if *pushes > 0 {
                self.sql("DELETE FROM outbox WHERE task = ?1 AND dead IS NOT NULL")?
                    .execute([task])?;
                self.sql("DELETE FROM pushes WHERE task = ?1 AND next IS NULL")?.execute([task])?;
            }
            self.sql("DELETE FROM snapshots WHERE task = ?1")?.execute([task])?;
            self.sql("DELETE FROM tasks WHERE task = ?1")?.execute([task])?;
        }
        let tasks: Vec<_> = evicted.iter().map(|candidate| candidate.task).collect();
        self.forget(&tasks);
        let mut scopes: Vec<_> = evicted.iter().map(|candidate| candidate.scope).collect();
        scopes.sort_unstable();
        scopes.dedup();
        scopes.into_iter().try_for_each(|scope| self.leave_scope(scope))
    }

    /// Deletes some entries of tasks that are gone; returns whether there may be more.
    fn collect_garbage(&mut self) -> rusqlite::Result<bool> {
        let deleted = self
            .sql(
                "DELETE FROM entries WHERE task = (SELECT min(task) FROM garbage) AND seq < \
                 (SELECT min(seq) FROM entries WHERE task = (SELECT min(task) FROM garbage)) + ?1",
            )?
            .execute([ROWS])?;
        if deleted > 0 {
            return Ok(true);
        }
        let done = self
            .sql("DELETE FROM garbage WHERE task = (SELECT min(task) FROM garbage)")?
            .execute(())?;
        Ok(done > 0)
    }

    /// Forgets some records that have expired or are too many; returns whether there may be more.
    fn expire_messages(&mut self, now: Timestamp) -> rusqlite::Result<bool> {
        let excess = self.totals.messages - int(self.retention.messages);
        let mut deleted = self.delete_messages(now.as_millis(), ROWS)?;
        if excess > deleted {
            deleted += self.delete_messages(i64::MAX, (excess - deleted).min(ROWS))?;
        }
        self.totals.messages -= deleted;
        Ok(deleted >= ROWS)
    }

    /// Deletes the first `limit` of those that expire by then.
    fn delete_messages(&mut self, expires: i64, limit: i64) -> rusqlite::Result<i64> {
        let mut statement = self.sql(
            "DELETE FROM messages WHERE number IN (SELECT number FROM messages \
             WHERE expires <= ?1 ORDER BY expires LIMIT ?2) RETURNING key, number",
        )?;
        let deleted =
            statement.query_map([expires, limit], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let deleted = deleted.collect::<rusqlite::Result<Vec<(Key, i64)>>>()?;
        for (key, number) in &deleted {
            if self.message(key) == Some(*number) {
                self.move_message(key, None);
            }
        }
        Ok(int(deleted.len()))
    }
}
