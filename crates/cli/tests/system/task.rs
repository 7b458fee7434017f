//! What a task's JSON says.

use serde_json::Value;

/// The states that end a task.
const TERMINAL: [&str; 4] = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"];

/// The task of an answer to SendMessage.
#[track_caller]
pub(crate) fn of(answer: &Value) -> &Value {
    answer.get("task").unwrap_or_else(|| panic!("no task: {answer}"))
}

/// The task's id.
#[track_caller]
pub(crate) fn id(task: &Value) -> &str {
    task["id"].as_str().unwrap_or_else(|| panic!("no id: {task}"))
}

/// The task's state, without the part that all states share.
#[track_caller]
pub(crate) fn state(task: &Value) -> &str {
    let state = task["status"]["state"].as_str();
    let state = state.and_then(|state| state.strip_prefix("TASK_STATE_"));
    state.unwrap_or_else(|| panic!("no state: {task}"))
}

/// Whether a state ends the task.
pub(crate) fn is_terminal(state: &str) -> bool {
    TERMINAL.contains(&state)
}

/// The text of the status' message.
pub(crate) fn said(task: &Value) -> String {
    texts(&task["status"]["message"]["parts"])
}

/// The text of all artifacts.
pub(crate) fn artifacts(task: &Value) -> String {
    let artifacts = task["artifacts"].as_array().map_or(&[][..], Vec::as_slice);
    artifacts.iter().map(|artifact| texts(&artifact["parts"])).collect()
}

/// The ids of the messages in the history.
pub(crate) fn history(task: &Value) -> Vec<&str> {
    let history = task["history"].as_array().map_or(&[][..], Vec::as_slice);
    history.iter().filter_map(|message| message["messageId"].as_str()).collect()
}

fn texts(parts: &Value) -> String {
    let parts = parts.as_array().map_or(&[][..], Vec::as_slice);
    parts.iter().filter_map(|part| part["text"].as_str()).collect()
}
