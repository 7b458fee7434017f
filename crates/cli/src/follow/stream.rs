//! Prints the events of a task as they come, and remembers where the task is.

use super::changes;
use crate::failure::Failure;
use crate::output::Output;
use crate::text;
use sabir_types::{StreamResponse, Task, TaskArtifactUpdateEvent, TaskId, TaskStatusUpdateEvent};
use std::cell::RefCell;

/// Prints events: as text, or as JSON one a line.
#[derive(Debug)]
pub(crate) struct Printer<'a> {
    out: Output,
    /// Whether events are printed at all, or only remembered.
    events: bool,
    /// The task as far as it is known; its history is as of the last look.
    pub(crate) task: Option<Task>,
    known: &'a RefCell<Option<TaskId>>,
    printed: usize,
}

impl<'a> Printer<'a> {
    /// A printer of events; the task's id goes to `known` as soon as it is told.
    pub(crate) fn new(out: Output, known: &'a RefCell<Option<TaskId>>) -> Self {
        Self { out: out.in_lines(), events: true, task: None, known, printed: 0 }
    }

    /// A printer that only remembers.
    pub(crate) fn silent(out: Output, known: &'a RefCell<Option<TaskId>>) -> Self {
        Self { events: false, ..Self::new(out, known) }
    }

    /// Takes an event.
    pub(crate) fn event(&mut self, event: &StreamResponse) -> Result<(), Failure> {
        self.remember(event);
        if !self.events {
            return Ok(());
        }
        self.printed += 1;
        self.out.result(event, text::event)
    }

    /// Takes a look at the task, and prints what has changed since the one before.
    pub(crate) fn look(&mut self, now: &Task) -> Result<(), Failure> {
        let events = match &self.task {
            None => vec![StreamResponse::Task(now.clone())],
            Some(before) => changes::between(before, now),
        };
        events.iter().try_for_each(|event| self.event(event))?;
        self.task = Some(now.clone());
        Ok(())
    }

    /// Says at the end, for people, where the task is.
    pub(crate) fn end(&self) -> Result<(), Failure> {
        let Some(task) = &self.task else { return Ok(()) };
        super::warn(self.out, task);
        if !self.events || self.out.is_json() {
            return Ok(());
        }
        // A stream of one event was the whole task already.
        if self.printed > 1 {
            self.out.text(&format!("\n{}", text::outcome(task)))?;
        }
        self.out.text(&text::resume(task))
    }

    fn remember(&mut self, event: &StreamResponse) {
        match event {
            StreamResponse::Task(task) => self.task = Some(task.clone()),
            StreamResponse::StatusUpdate(update) => self.update(update),
            StreamResponse::ArtifactUpdate(update) => self.add(update),
            _ => {}
        }
        if let Some(task) = &self.task {
            *self.known.borrow_mut() = Some(task.id.clone());
        }
    }

    /// Keeps artifacts as well: a look at the task must not tell them again.
    fn add(&mut self, update: &TaskArtifactUpdateEvent) {
        let Some(task) = &mut self.task else { return };
        let id = &update.artifact.artifact_id;
        match task.artifacts.iter_mut().find(|artifact| artifact.artifact_id == *id) {
            Some(artifact) if update.append => {
                artifact.parts.extend(update.artifact.parts.iter().cloned());
            }
            Some(artifact) => artifact.clone_from(&update.artifact),
            None => task.artifacts.push(update.artifact.clone()),
        }
    }

    fn update(&mut self, update: &TaskStatusUpdateEvent) {
        let task = self.task.get_or_insert_with(|| {
            Task::new(update.task_id.clone(), update.context_id.clone(), update.status.clone())
        });
        task.status = update.status.clone();
    }
}
