//! `task list`: the caller's tasks, newest first.

use super::Call;
use crate::args::TaskListArgs;
use crate::connect;
use crate::failure::Failure;
use crate::output::Format;
use crate::{message, text};
use sabir_types::{ListTasksRequest, ProtoEnum, TaskState};

/// Prints a page of them.
pub(super) async fn run(args: TaskListArgs, call: Call) -> Result<(), Failure> {
    let request = request(&args)?;
    let connection = connect::connect(&call).await?;
    let listing = connection.in_time(connection.list_tasks(request)).await?;
    let page = listing.map_err(|failure| failure.during("failed to list tasks"))?;
    if args.stream || call.out.format == Format::Jsonl {
        let out = call.out.in_lines();
        return page.tasks.iter().try_for_each(|task| out.result(task, text::task));
    }
    call.out.result(&page, text::task_list)
}

fn request(args: &TaskListArgs) -> Result<ListTasksRequest, Failure> {
    let status = args.status.as_deref().map(state).transpose()?;
    let since = args.since.as_deref().map(|time| {
        time.parse().map_err(|_| {
            Failure::usage(format!(
                "--since must be a time such as 2026-10-13T05:21:00Z, not `{time}`"
            ))
        })
    });
    Ok(ListTasksRequest {
        context_id: args.context.as_deref().map(Into::into),
        status: status.unwrap_or_default(),
        page_size: args.limit,
        page_token: args.page_token.clone(),
        history_length: message::history(args.history.as_deref())?,
        status_timestamp_after: since.transpose()?,
        include_artifacts: args.with_artifacts.then_some(true),
        ..ListTasksRequest::default()
    })
}

/// A state by its short name or its protocol name.
fn state(name: &str) -> Result<TaskState, Failure> {
    let short = name.to_ascii_lowercase().replace('_', "-");
    let short = short.strip_prefix("task-state-").unwrap_or(&short);
    TaskState::from_short_name(short).ok_or_else(|| {
        let known: Vec<&str> = TaskState::ALL
            .iter()
            .filter(|state| **state != TaskState::Unspecified)
            .map(|state| state.short_name())
            .collect();
        Failure::usage(format!("--status must be one of {}, not `{name}`", known.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::state;
    use sabir_types::TaskState;

    #[test]
    fn states_have_short_and_long_names() {
        for name in ["input-required", "TASK_STATE_INPUT_REQUIRED", "INPUT_REQUIRED"] {
            assert_eq!(state(name).unwrap(), TaskState::InputRequired, "{name}");
        }
        assert!(state("done").unwrap_err().message.contains("completed"));
    }
}
