//! `task cancel`: asks for a task to be stopped.

use super::Call;
use crate::args::TaskCancelArgs;
use crate::connect;
use crate::failure::Failure;
use crate::{message, text};
use sabir_types::CancelTaskRequest;

/// Prints the task as it is then.
pub(super) async fn run(args: TaskCancelArgs, call: Call) -> Result<(), Failure> {
    let metadata = message::metadata(&args.metadata)?;
    let connection = connect::connect(&call).await?;
    let request =
        CancelTaskRequest { id: args.id.as_str().into(), metadata, ..CancelTaskRequest::default() };
    let canceling = connection.in_time(connection.cancel_task(request)).await?;
    let doing = format!("failed to cancel task {}", args.id);
    let task = canceling.map_err(|failure| failure.during(doing))?;
    call.out.result(&task, |task| text::task(task) + &text::resume(task))
}
