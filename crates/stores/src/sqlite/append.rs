//! An append as the writing thread does it.

use super::messages::Key;
use super::tables::{Known, Tables};
use super::value::{int, standing, text, time, uint};
use super::writer::Job;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sabir_engine::store::decision::{Decision, Held, Standing, decide};
use sabir_engine::store::{
    Append, AppendError, Appended, Done, IdempotencyRecord, NewEntry, PushRow, StoreError,
};
use sabir_types::{ProtoEnum, TaskId, TaskState, Timestamp};

/// What an entry takes besides its payload, roughly.
const ENTRY: usize = 32;

type Outcome = Result<Appended, AppendError>;

/// An append on its way through a transaction.
pub(super) struct AppendJob {
    append: Append,
    message: Option<Key>,
    done: Done,
    outcome: Option<Outcome>,
}

impl AppendJob {
    pub(super) fn new(append: Append, done: Done) -> Self {
        let message = append.idempotency.as_ref().map(|(key, _)| key.digest());
        Self { append, message, done, outcome: None }
    }
}

impl Job for AppendJob {
    fn run(&mut self, tables: &mut Tables<'_>) -> rusqlite::Result<()> {
        self.outcome = Some(tables.append(&self.append, self.message.as_ref())?);
        Ok(())
    }

    fn finish(self: Box<Self>, committed: Result<(), StoreError>) {
        // Refusals fail with the others: they may rest on what was not committed.
        let outcome = match (committed, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            (Ok(()), None) => Err(StoreError::new("the append was not run").into()),
            (Err(error), _) => Err(error.into()),
        };
        (self.done)(outcome);
    }

    fn bytes(&self) -> usize {
        let entries = self.append.entries.iter().map(|entry| entry.payload.len() + 64);
        entries.sum::<usize>() + 512
    }
}

/// The record of a number, if it is that of the key.
pub(super) fn find_message(
    connection: &Connection,
    key: &Key,
    number: i64,
) -> rusqlite::Result<Option<IdempotencyRecord>> {
    let record = |row: &Row<'_>| {
        Ok(IdempotencyRecord {
            digest: row.get(0)?,
            task: TaskId::new(text(row, 1)?),
            turn: uint(row, 2)?,
            expires: time(row, 3)?,
        })
    };
    connection
        .prepare_cached(
            "SELECT digest, task, turn, expires FROM messages WHERE number = ?1 AND key = ?2",
        )?
        .query_row(params![number, key], record)
        .optional()
}

impl Tables<'_> {
    fn append(&mut self, append: &Append, message: Option<&Key>) -> rusqlite::Result<Outcome> {
        let record = match message.and_then(|key| Some((key, self.message(key)?))) {
            Some((key, number)) => find_message(self.connection(), key, number)?,
            None => None,
        };
        let found = self.find(&append.key)?;
        let decision = decide(found.as_ref().map(|known| &known.held), record.as_ref(), append);
        let known = match (decision, found) {
            (Ok(Decision::New | Decision::Change), found) => {
                if let (Some(key), Some((_, new))) = (message, &append.idempotency) {
                    self.write_message(key, new, record.is_some())?;
                }
                found
            }
            (refused_or_repeat, found) => {
                if let Some(known) = found {
                    self.remember(append.key.clone(), known);
                }
                return Ok(refused_or_repeat.map(|_| Appended { first: 0, outbox: false }));
            }
        };
        let appended = match known {
            Some(known) => self.change(append, known)?,
            None => self.create(append)?,
        };
        Ok(Ok(appended))
    }

    /// Writes a record, in place of one that has expired.
    fn write_message(
        &mut self,
        key: &Key,
        record: &IdempotencyRecord,
        is_other: bool,
    ) -> rusqlite::Result<()> {
        if let Some(expired) = self.message(key).filter(|_| is_other) {
            self.sql("DELETE FROM messages WHERE number = ?1")?.execute([expired])?;
            self.totals.messages -= 1;
        }
        let number = self.next_message();
        let IdempotencyRecord { digest, task, turn, expires } = record;
        let (turn, expires) = (int(*turn), expires.as_millis());
        self.hot.insert_message.execute(params![
            number,
            key,
            digest,
            task.as_str(),
            turn,
            expires
        ])?;
        self.move_message(key, Some(number));
        self.totals.messages += 1;
        Ok(())
    }

    fn create(&mut self, append: &Append) -> rusqlite::Result<Appended> {
        // Only an append that makes a task gets here.
        let held = Held::new(append).expect("the condition of a new task is New");
        let scope = self.make_scope(&append.key.scope)?;
        let mut known = Known { task: self.next_task(), scope, held, bytes: 0, pushes: 0 };
        let outbox = self.write_log(append, &mut known, 1)?;
        let row = &known.held.row;
        self.hot.insert_task.execute(params![
            known.task,
            scope,
            append.key.id.as_str(),
            row.context_id.as_str(),
            row.state.number(),
            row.status_at.as_millis(),
            row.visible,
            int(row.head),
            int(row.epoch),
            int(row.turn),
            row.turn_open,
            int(row.ordinal),
            int(known.held.accepted),
            known.bytes,
            known.pushes,
            standing(known.held.standing()),
        ])?;
        self.count(&known, 1);
        self.remember(append.key.clone(), known);
        Ok(Appended { first: 1, outbox })
    }

    fn change(&mut self, append: &Append, mut known: Known) -> rusqlite::Result<Appended> {
        self.count(&known, -1);
        let before = indexed(&known.held);
        let first = known.held.apply(&append.condition, &append.entries, &append.row);
        let outbox = self.write_log(append, &mut known, first)?;
        let (row, accepted) = (&known.held.row, known.held.accepted);
        let progress = params![
            known.task,
            int(row.head),
            int(row.epoch),
            int(row.turn),
            row.turn_open,
            int(row.ordinal),
            int(accepted),
            known.bytes,
            known.pushes,
        ];
        if before == indexed(&known.held) {
            self.hot.update_progress.execute(progress)?;
        } else {
            let status = params![
                row.state.number(),
                row.status_at.as_millis(),
                row.visible,
                standing(known.held.standing())
            ];
            let all: Vec<_> = progress.iter().chain(status).copied().collect();
            self.hot.update_status.execute(&all[..])?;
        }
        self.count(&known, 1);
        self.remember(append.key.clone(), known);
        Ok(Appended { first, outbox })
    }

    /// Writes the webhook, the entries and their deliveries; returns whether there are any.
    fn write_log(
        &mut self,
        append: &Append,
        known: &mut Known,
        first: u64,
    ) -> rusqlite::Result<bool> {
        if let Some(push) = &append.push {
            self.write_push(known, &append.key, push)?;
        }
        let epoch = int(known.held.row.epoch);
        for (seq, entry) in (first..).zip(&append.entries) {
            let NewEntry { kind, turn, at, state, payload } = entry;
            self.hot.insert_entry.execute(params![
                known.task,
                int(seq),
                int(*turn),
                epoch,
                at.as_millis(),
                kind.number(),
                state.number(),
                &payload[..],
            ])?;
            known.bytes += int(payload.len() + ENTRY);
        }
        if known.pushes > 0 {
            self.write_deliveries(known, first, &append.entries)
        } else {
            Ok(false)
        }
    }

    /// Writes a webhook in place of the one of the same id.
    pub(super) fn write_push(
        &mut self,
        known: &mut Known,
        key: &sabir_engine::store::TaskKey,
        push: &PushRow,
    ) -> rusqlite::Result<()> {
        let version = push.version.to_string();
        let replaced = self
            .sql("UPDATE pushes SET config = ?3, version = ?4 WHERE task = ?1 AND id = ?2")?
            .execute(params![known.task, &push.id, &push.config[..], &version])?;
        if replaced == 0 {
            self.sql("INSERT INTO pushes VALUES (?1, ?2, ?3, ?4, ?5, ?6, NULL, 0, ?7)")?.execute(
                params![
                    known.task,
                    &push.id,
                    known.scope,
                    key.id.as_str(),
                    &key.scope.agent,
                    &push.config[..],
                    &version
                ],
            )?;
            known.pushes += 1;
        }
        Ok(())
    }
}

/// What the indexes are made of.
fn indexed(held: &Held) -> (TaskState, Timestamp, bool, Standing) {
    (held.row.state, held.row.status_at, held.row.visible, held.standing())
}
