//! A task as text.

use super::part::parts;
use super::{clean, table};
use sabir_types::{ListTasksResponse, Message, Role, Task, TaskState, TaskStatus};
use std::fmt::Write;

/// The task, with the command that goes on with it if it waits for its caller.
pub(crate) fn task(task: &Task) -> String {
    let mut out = heading(task);
    section(&mut out, "Artifacts:", &task.artifacts, |artifact| {
        let label = artifact.name.as_deref().filter(|name| !name.is_empty());
        let label = label.unwrap_or(artifact.artifact_id.as_str());
        format!("[{}] {}", clean(label, 4), parts(&artifact.parts, 4))
    });
    section(&mut out, "History:", &task.history, |message| self::message(message, 4));
    out
}

/// The task's ids and its status.
fn heading(task: &Task) -> String {
    let mut out = format!("Task:     {}\n", clean(task.id.as_str(), 2));
    if !task.context_id.as_str().is_empty() {
        let _ = writeln!(out, "Context:  {}", clean(task.context_id.as_str(), 2));
    }
    out.push_str(&status(&task.status));
    out
}

fn status(status: &TaskStatus) -> String {
    let mut out = format!("Status:   {}", state(status.state));
    if let Some(at) = status.timestamp.and_then(|at| jiff::Timestamp::try_from(at).ok()) {
        let _ = write!(out, " ({at:.0})");
    }
    out.push('\n');
    if let Some(said) = &status.message {
        let _ = writeln!(out, "  {}", parts(&said.parts, 2));
    }
    out
}

fn section<T>(out: &mut String, label: &str, items: &[T], line: impl Fn(&T) -> String) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "{label}");
    for item in items {
        let _ = writeln!(out, "  {}", line(item));
    }
}

/// A message with its speaker, later lines indented.
pub(crate) fn message(message: &Message, indent: usize) -> String {
    let role = if message.role == Role::Agent { "agent" } else { "user" };
    format!("[{role}] {}", parts(&message.parts, indent))
}

/// What the task ended as, without artifacts and history: the end of a stream.
pub(crate) fn outcome(task: &Task) -> String {
    heading(task)
}

/// How to answer a task that waits for its caller; empty for others.
pub(crate) fn resume(task: &Task) -> String {
    if task.status.state.is_interrupted() && !task.id.as_str().is_empty() {
        let id = clean(task.id.as_str(), 0);
        format!("\nResume:     a2a send --task-id {id} \"<reply>\"\n")
    } else {
        String::new()
    }
}

/// A state in the short form that people write.
pub(crate) fn state(state: TaskState) -> &'static str {
    match state {
        TaskState::Submitted => "submitted",
        TaskState::Working => "working",
        TaskState::Completed => "completed",
        TaskState::Failed => "failed",
        TaskState::Canceled => "canceled",
        TaskState::Rejected => "rejected",
        TaskState::InputRequired => "input-required",
        TaskState::AuthRequired => "auth-required",
        _ => "TASK_STATE_UNSPECIFIED",
    }
}

/// A page of tasks.
pub(crate) fn task_list(page: &ListTasksResponse) -> String {
    let row = |task: &Task| {
        let ids = [task.id.as_str(), task.context_id.as_str()].map(|id| clean(id, 2));
        let [id, context] = ids;
        vec![id, state(task.status.state).to_owned(), context]
    };
    let rows: Vec<Vec<String>> = page.tasks.iter().map(row).collect();
    let mut out = table(&["ID", "STATUS", "CONTEXT"], &rows);
    if !page.next_page_token.is_empty() {
        let _ = writeln!(out, "\nNext page token: {}", clean(&page.next_page_token, 2));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{resume, task};
    use sabir_types::Task;

    fn read(json: &str) -> Task {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_waiting_task_shows_its_question_and_how_to_answer() {
        let waiting = read(
            r#"{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED",
            "timestamp":"2026-10-13T05:21:00.123Z","message":{"messageId":"m","role":"ROLE_AGENT",
            "parts":[{"text":"lamp: asking 130. Send your offer as a number."}]}},
            "history":[{"messageId":"u","role":"ROLE_USER","parts":[{"text":"I want to buy a lamp"}]}]}"#,
        );
        assert_eq!(
            task(&waiting) + &resume(&waiting),
            "Task:     t1\nContext:  c1\nStatus:   input-required (2026-10-13T05:21:00Z)\n  \
             lamp: asking 130. Send your offer as a number.\nHistory:\n  \
             [user] I want to buy a lamp\n\nResume:     a2a send --task-id t1 \"<reply>\"\n"
        );
    }

    #[test]
    fn what_is_absent_has_no_line() {
        let bare = read(r#"{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}"#);
        assert_eq!(task(&bare) + &resume(&bare), "Task:     t1\nStatus:   working\n");
    }

    #[test]
    fn artifacts_show_their_name_or_else_their_id() {
        let done = read(
            r#"{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[
            {"artifactId":"a1","name":"receipt","parts":[{"data":{"seller":"Lamp Shop","item":"lamp","price":105}}]},
            {"artifactId":"a2","parts":[{"text":"one\ntwo"}]}]}"#,
        );
        assert_eq!(
            task(&done),
            "Task:     t\nStatus:   completed\nArtifacts:\n  \
             [receipt] {\"item\":\"lamp\",\"price\":105,\"seller\":\"Lamp Shop\"}\n  \
             [a2] one\n    two\n"
        );
    }
}
