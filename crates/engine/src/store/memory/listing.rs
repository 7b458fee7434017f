//! What ListTasks reads: per scope the settled tasks in order, and the few whose turn is open.

use super::tasks::{Listed, Map, RandomState, Slot, TaskLog, Tasks, shrink_map, shrink_table};
use crate::store::{Scope, TaskFilter, TaskPage};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use sabir_types::{ContextId, TaskId, TaskState, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::ops::Bound;

/// All scopes that have tasks.
#[derive(Debug, Default)]
pub(super) struct Listing {
    numbers: Map<Scope, u32>,
    scopes: Vec<ScopeTasks>,
    free: Vec<u32>,
    /// Most new tasks are of the same scope as the one before.
    last: u32,
    /// By the hash of the scope's number and the context's id.
    contexts: HashTable<Members>,
    hashes: RandomState,
}

/// The tasks of one scope.
#[derive(Debug, Default)]
struct ScopeTasks {
    scope: Option<Scope>,
    tasks: usize,
    /// The id, which orders those of one moment, is looked up when they are listed.
    settled: BTreeMap<(Timestamp, Slot), TaskState>,
    open: BTreeSet<Slot>,
}

/// The tasks of one context, visible or not. Most contexts have one.
#[derive(Debug)]
enum Members {
    One(Slot),
    #[expect(clippy::box_collection, reason = "few have many, and half the size for the others")]
    Many(Box<BTreeSet<Slot>>),
}

impl Listing {
    /// The number of a scope that has tasks.
    pub(super) fn number(&self, scope: &Scope) -> Option<u32> {
        let last = self.scopes.get(self.last as usize);
        if last.is_some_and(|tasks| tasks.scope.as_ref() == Some(scope)) {
            return Some(self.last);
        }
        self.numbers.get(scope).copied()
    }

    /// The scope of a task that is there.
    pub(super) fn scope(&self, number: u32) -> Option<&Scope> {
        self.scopes.get(number as usize)?.scope.as_ref()
    }

    /// Counts a new task in; returns its scope's number.
    pub(super) fn enter(&mut self, scope: &Scope) -> u32 {
        let number = self.number(scope).unwrap_or_else(|| {
            let number = self.free.pop().unwrap_or_else(|| {
                self.scopes.push(ScopeTasks::default());
                (self.scopes.len() - 1) as u32
            });
            self.scopes[number as usize].scope = Some(scope.clone());
            self.numbers.insert(scope.clone(), number);
            number
        });
        self.last = number;
        self.scopes[number as usize].tasks += 1;
        number
    }

    pub(super) fn join(&mut self, tasks: &mut Tasks, slot: Slot) {
        let Some(task) = tasks.at_mut(slot) else { return };
        let hash = self.hashes.hash_one((task.scope, &task.held.row.context_id));
        task.context_hash = hash;
        let (scope, context) = (task.scope, task.held.row.context_id.clone());
        let is_it = |members: &Members| members.are_of(tasks, scope, &context);
        match self.contexts.entry(hash, is_it, |members| members.hash(tasks)) {
            Entry::Occupied(mut members) => members.get_mut().add(slot),
            Entry::Vacant(none) => drop(none.insert(Members::One(slot))),
        }
    }

    /// Counts a task out that [`place`](Self::place) has taken out of the order.
    pub(super) fn leave(&mut self, task: &TaskLog, slot: Slot) {
        let is_it = |members: &Members| members.have(slot);
        if let Ok(mut members) = self.contexts.find_entry(task.context_hash, is_it)
            && members.get_mut().remove(slot)
        {
            members.remove();
        }
        let tasks = &mut self.scopes[task.scope as usize];
        tasks.tasks -= 1;
        if tasks.tasks == 0 {
            if let Some(scope) = std::mem::take(tasks).scope {
                self.numbers.remove(&scope);
            }
            self.free.push(task.scope);
        }
    }

    /// Puts a task where it is found from now on.
    pub(super) fn place(&mut self, task: &mut TaskLog, slot: Slot, listed: Option<Listed>) {
        if task.listed == listed {
            return;
        }
        let tasks = &mut self.scopes[task.scope as usize];
        match task.listed {
            None => {}
            Some(Listed::Open) => {
                tasks.open.remove(&slot);
            }
            Some(Listed::Settled(at, _)) => {
                tasks.settled.remove(&(at, slot));
            }
        }
        match listed {
            None => {}
            Some(Listed::Open) => {
                tasks.open.insert(slot);
            }
            Some(Listed::Settled(at, state)) => {
                tasks.settled.insert((at, slot), state);
            }
        }
        task.listed = listed;
    }

    pub(super) fn list(
        &self,
        tasks: &Tasks,
        scope: &Scope,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
        limit: usize,
    ) -> TaskPage {
        let Some(number) = self.numbers.get(scope).copied() else {
            return TaskPage::default();
        };
        let mut page = match &filter.context_id {
            Some(context) => self.context(tasks, number, context, filter, after),
            None => self.scopes[number as usize].list(tasks, filter, after, limit),
        };
        page.tasks
            .sort_unstable_by(|(id, at), (other_id, other_at)| (other_at, other_id).cmp(&(at, id)));
        page.tasks.truncate(limit);
        page
    }

    fn context(
        &self,
        tasks: &Tasks,
        scope: u32,
        context: &ContextId,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
    ) -> TaskPage {
        let mut page = TaskPage::default();
        let is_it = |members: &Members| members.are_of(tasks, scope, context);
        match self.contexts.find(self.hashes.hash_one((scope, context)), is_it) {
            None => {}
            Some(Members::One(slot)) => page.consider(tasks, *slot, filter, after),
            Some(Members::Many(slots)) => {
                slots.iter().for_each(|slot| page.consider(tasks, *slot, filter, after));
            }
        }
        page
    }

    pub(super) fn shrink(&mut self, tasks: &Tasks) {
        shrink_map(&mut self.numbers);
        shrink_table(&mut self.contexts, |members| members.hash(tasks));
        if self.free.len() > 64 + 3 * self.numbers.len() {
            while self.scopes.last().is_some_and(|tasks| tasks.scope.is_none()) {
                self.scopes.pop();
            }
            let scopes = self.scopes.len();
            self.free.retain(|number| (*number as usize) < scopes);
            self.free.shrink_to(scopes);
            self.scopes.shrink_to(2 * scopes);
        }
    }
}

impl ScopeTasks {
    /// A page that has `limit` settled tasks and all open ones, in no order.
    fn list(
        &self,
        tasks: &Tasks,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
        limit: usize,
    ) -> TaskPage {
        let since = filter.since.map(|since| (since, Slot::MIN));
        let from = since.map_or(Bound::Unbounded, Bound::Included);
        let is_match = |state: TaskState| filter.state.is_none_or(|wanted| wanted == state);
        let total = match (filter.state, &filter.since) {
            (None, None) => self.settled.len(),
            _ => {
                let matching = self.settled.range((from, Bound::Unbounded));
                matching.filter(|(_, state)| is_match(**state)).count()
            }
        };
        let mut page = TaskPage { tasks: Vec::new(), total: total as u64 };
        let until = after.map_or(Bound::Unbounded, |(at, _)| Bound::Included((*at, Slot::MAX)));
        if !is_empty(&from, &until) {
            let settled = self.settled.range((from, until)).rev();
            for ((at, slot), _) in settled.filter(|(_, state)| is_match(**state)) {
                // All of one moment, because only their ids say which of them come first.
                if page.tasks.len() >= limit
                    && page.tasks.last().is_some_and(|(_, last)| last != at)
                {
                    break;
                }
                let Some(id) = tasks.at(*slot).map(|task| &task.id) else { continue };
                if after.is_none_or(|(after_at, after_id)| (at, id) < (after_at, after_id)) {
                    page.tasks.push((id.clone(), *at));
                }
            }
        }
        for slot in &self.open {
            page.consider(tasks, *slot, filter, after);
        }
        page
    }
}

/// Whether nothing lies between two bounds, where a map would panic.
fn is_empty(from: &Bound<(Timestamp, Slot)>, until: &Bound<(Timestamp, Slot)>) -> bool {
    matches!((from, until), (Bound::Included(from), Bound::Included(until)) if from > until)
}

impl TaskPage {
    /// Adds a task by its row, if it matches.
    fn consider(
        &mut self,
        tasks: &Tasks,
        slot: Slot,
        filter: &TaskFilter,
        after: Option<&(Timestamp, TaskId)>,
    ) {
        let Some(task) = tasks.at(slot) else { return };
        let row = &task.held.row;
        let is_match = row.visible
            && filter.state.is_none_or(|state| state == row.state)
            && filter.since.is_none_or(|since| row.status_at >= since);
        if !is_match {
            return;
        }
        self.total += 1;
        if after.is_none_or(|(at, id)| (row.status_at, &task.id) < (*at, id)) {
            self.tasks.push((task.id.clone(), row.status_at));
        }
    }
}

impl Members {
    fn are_of(&self, tasks: &Tasks, scope: u32, context: &ContextId) -> bool {
        self.first(tasks)
            .is_some_and(|task| task.scope == scope && task.held.row.context_id == *context)
    }

    fn hash(&self, tasks: &Tasks) -> u64 {
        self.first(tasks).map_or(0, |task| task.context_hash)
    }

    fn first<'a>(&self, tasks: &'a Tasks) -> Option<&'a TaskLog> {
        match self {
            Self::One(slot) => tasks.at(*slot),
            Self::Many(slots) => tasks.at(*slots.first()?),
        }
    }

    fn have(&self, slot: Slot) -> bool {
        match self {
            Self::One(only) => *only == slot,
            Self::Many(slots) => slots.contains(&slot),
        }
    }

    fn add(&mut self, slot: Slot) {
        match self {
            Self::One(first) => *self = Self::Many(Box::new(BTreeSet::from([*first, slot]))),
            Self::Many(slots) => {
                slots.insert(slot);
            }
        }
    }

    /// Removes a task; returns whether none is left.
    fn remove(&mut self, slot: Slot) -> bool {
        match self {
            Self::One(_) => true,
            Self::Many(slots) => {
                slots.remove(&slot);
                slots.is_empty()
            }
        }
    }
}
