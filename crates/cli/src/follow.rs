//! Follows a task to where it ends or waits: by its events, or by looking again and again.

mod changes;
mod poll;
mod stream;

pub(crate) use poll::{Poll, is_settled};
pub(crate) use stream::Printer;

use crate::connect::Connection;
use crate::failure::{Failure, Kind};
use crate::output::Output;
use crate::signal;
use futures_util::StreamExt;
use sabir_engine::EventStream;
use sabir_types::{Error, Task, TaskId, TaskState};
use std::cell::RefCell;
use std::future::Future;

/// Prints a stream until the task has ended or waits: the stream itself may stay open then.
///
/// Who answers a waiting task (`answering`) may see it waiting as it was at first.
pub(crate) async fn print_until_settled(
    mut events: EventStream,
    connection: &Connection,
    printer: &mut Printer<'_>,
    answering: bool,
) -> Result<(), Failure> {
    let failed = |error: &Error| connection.failure(error).during("streaming error");
    let mut first = true;
    while let Some(event) = events.next().await {
        let event = event.map_err(|error| failed(&error))?;
        printer.event(event.response().map_err(|error| failed(&error))?)?;
        let before = first && answering;
        let over = |task: &Task| task.state().is_terminal() || is_settled(task) && !before;
        if printer.task.as_ref().is_some_and(over) {
            break;
        }
        first = false;
    }
    Ok(())
}

/// Goes on by looking, if a stream is over and the task is not.
pub(crate) async fn to_the_end(
    out: Output,
    connection: &Connection,
    poll: Poll,
    printer: &mut Printer<'_>,
) -> Result<(), Failure> {
    match printer.task.clone() {
        Some(task) if !is_settled(&task) => {
            poll.until_settled(connection, out, task, |task| printer.look(task)).await.map(|_| ())
        }
        _ => Ok(()),
    }
}

/// Runs a wait that ends with Ctrl-C or when the time is over. `known` tells the task that is
/// waited for, as far as it is known then: whoever stops waiting learns how to go on.
pub(crate) async fn patiently<T>(
    connection: &Connection,
    out: Output,
    known: &RefCell<Option<TaskId>>,
    wait: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let done = connection.in_time(signal::until_interrupted(wait)).await;
    let known = known.borrow();
    match done {
        Ok(Some(done)) => done,
        Ok(None) => {
            out.note(&match &*known {
                Some(id) => format!("Task {id} goes on. To wait again: a2a task get --wait {id}"),
                None => "What was sent goes on. To find it: a2a task list".to_owned(),
            });
            Err(Failure::new(Kind::Interrupted, "interrupted"))
        }
        Err(failure) => {
            if let Some(id) = &*known {
                out.note(&format!("Task {id} goes on. To wait again: a2a task get --wait {id}"));
            }
            Err(failure)
        }
    }
}

/// Warns that a task ended otherwise than well, or needs something: the exit status does not tell.
pub(crate) fn warn(out: Output, task: &Task) {
    let what = match task.state() {
        TaskState::Failed => "the task failed",
        TaskState::Rejected => "the agent rejected the task",
        TaskState::Canceled => "the task was canceled",
        TaskState::InputRequired => "the task waits for your answer",
        TaskState::AuthRequired => "the task waits for authentication",
        _ => return,
    };
    out.warning(what);
}
