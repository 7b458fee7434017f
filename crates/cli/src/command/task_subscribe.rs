//! `task subscribe`: follows a task until it ends or waits for its caller.

use super::Call;
use crate::args::TaskSubscribeArgs;
use crate::connect;
use crate::failure::Failure;
use crate::follow::{self, Poll, Printer};
use crate::output::Format;
use crate::text;
use sabir_types::{SubscribeToTaskRequest, TaskId};
use std::cell::RefCell;

/// Prints its events, or with `-o json` only the task at the end.
pub(super) async fn run(args: TaskSubscribeArgs, call: Call) -> Result<(), Failure> {
    let poll = Poll { interval: connect::poll_interval(&call)?, history: None };
    let connection = connect::connect(&call).await?;
    let id = TaskId::new(args.id.as_str());
    let known = RefCell::new(Some(id.clone()));
    let only_the_end = call.out.format == Format::Json && !args.stream;
    let mut printer = match only_the_end {
        true => Printer::silent(call.out, &known),
        false => Printer::new(call.out, &known),
    };
    let following = async {
        if connection.streams() {
            let request = SubscribeToTaskRequest { id: id.clone(), tenant: None };
            let events = connection.subscribe(request).await;
            let events = events.map_err(|failure| failure.during("streaming error"))?;
            follow::print_until_settled(events, &connection, &mut printer, false).await?;
        } else {
            call.out.detail(|| "the agent does not stream: looking at the task instead".into());
            printer.look(&poll.look(&connection, &id).await?)?;
        }
        follow::to_the_end(call.out, &connection, poll, &mut printer).await
    };
    follow::patiently(&connection, call.out, &known, following).await?;
    printer.end()?;
    if !only_the_end {
        return Ok(());
    }
    let task = connection.in_time(poll.look(&connection, &id)).await??;
    call.out.result(&task, text::task)
}
