//! `task get`: a task as it is, or as it will have become.

use super::Call;
use crate::args::TaskGetArgs;
use crate::connect;
use crate::failure::Failure;
use crate::follow::{self, Poll};
use crate::{message, text};
use sabir_types::TaskId;
use std::cell::RefCell;

/// Prints it.
pub(super) async fn run(args: TaskGetArgs, call: Call) -> Result<(), Failure> {
    let history = message::history(args.history.as_deref())?;
    let poll = Poll { interval: connect::poll_interval(&call)?, history };
    let connection = connect::connect(&call).await?;
    let id = TaskId::new(args.id.as_str());
    let known = RefCell::new(Some(id.clone()));
    let looking = async {
        let task = poll.look(&connection, &id).await?;
        if !args.wait {
            return Ok(task);
        }
        poll.until_settled(&connection, call.out, task, |_| Ok(())).await
    };
    let task = follow::patiently(&connection, call.out, &known, looking).await?;
    if args.wait {
        follow::warn(call.out, &task);
    }
    call.out.result(&task, |task| text::task(task) + &text::resume(task))
}
