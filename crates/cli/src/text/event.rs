//! One event of a stream as text.

use super::part::parts;
use super::{message, state, task};
use sabir_types::StreamResponse;

/// The event, on one line unless it is a whole task.
pub(crate) fn event(event: &StreamResponse) -> String {
    match event {
        StreamResponse::Task(whole) => task(whole),
        StreamResponse::Message(reply) => message(reply, 2) + "\n",
        StreamResponse::StatusUpdate(update) => {
            let short = state(update.status.state);
            match &update.status.message {
                Some(said) => format!("[status] {short}: {}\n", parts(&said.parts, 2)),
                None => format!("[status] {short}\n"),
            }
        }
        StreamResponse::ArtifactUpdate(update) => {
            let label = if update.append { "artifact+" } else { "artifact" };
            format!("[{label}] {}\n", parts(&update.artifact.parts, 2))
        }
        _ => "[event of a kind this version does not know]\n".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::event;

    #[test]
    fn updates_take_one_line_each() {
        let lines = [
            (
                r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Reading clauses..."}]}}}}"#,
                "[status] working: Reading clauses...\n",
            ),
            (
                r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}"#,
                "[status] completed\n",
            ),
            (
                r#"{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"text":"x"}]}}}"#,
                "[artifact] x\n",
            ),
            (
                r#"{"artifactUpdate":{"taskId":"t","contextId":"c","append":true,"artifact":{"artifactId":"a","parts":[{"text":"y"}]}}}"#,
                "[artifact+] y\n",
            ),
            (
                r#"{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"hi"}]}}"#,
                "[agent] hi\n",
            ),
        ];
        for (json, text) in lines {
            assert_eq!(event(&serde_json::from_str(json).unwrap()), text);
        }
    }
}
