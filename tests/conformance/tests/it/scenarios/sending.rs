//! Sending, reading, polling and canceling.

use crate::world::{everywhere, holds, in_both_versions, says, state};
use sabir::types::{ErrorKind, Operation};
use serde_json::json;
use std::time::Duration;

// acts: CORE-SEND-001, CORE-GET-001, DM-FMT-002, DM-SERIAL-001, DM-SERIAL-002
// tck: CORE-SEND-001, CORE-GET-001, CORE-EXECUTION-MODE-001, DM-TASK-001, DM-TASK-002
// tck: DM-STATUS-001, DM-SERIAL-002, DM-SERIAL-003, DM-MSG-001, DM-MSG-002, CORE-MULTI-001
// tck: CORE-MULTI-001a, CORE-MULTI-003
#[tokio::test]
async fn a_message_makes_a_task_that_can_be_read() {
    in_both_versions(|w| async move {
        let task = w.send("tck-complete-task").await;
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
        assert_eq!(task["status"]["message"]["role"], "ROLE_AGENT");
        let at = task["status"]["timestamp"].as_str().unwrap();
        assert!(at.len() == 24 && at.ends_with('Z'), "{at}");
        assert!(!task["contextId"].as_str().unwrap().is_empty());
        let read = w.task(&task).await;
        assert_eq!((&read["id"], &read["status"]), (&task["id"], &task["status"]));
        let other = w.send("tck-complete-task").await;
        assert!(other["id"] != task["id"] && other["contextId"] != task["contextId"]);
    })
    .await;
}

// acts: CORE-SEND-003, DM-FMT-003
// tck: CORE-SEND-001
#[tokio::test]
async fn an_agent_may_answer_with_a_message_and_no_task() {
    in_both_versions(|w| async move {
        let answer = w.get(Operation::SendMessage, says("tck-message-response")).await;
        assert_eq!(answer.get("task"), None);
        let message = &answer["message"];
        assert_eq!(message["role"], "ROLE_AGENT");
        assert_eq!(message.get("taskId"), None);
        assert!(!message["contextId"].as_str().unwrap().is_empty());
    })
    .await;
}

// acts: CORE-SEND-002, CORE-ERR-004
// tck: CORE-SEND-002
#[tokio::test]
async fn a_finished_task_takes_no_message() {
    in_both_versions(|w| async move {
        let task = w.send("tck-complete-task").await;
        let mut request = says("more");
        request["message"]["taskId"] = task["id"].clone();
        w.refused_as(ErrorKind::UnsupportedOperation, Operation::SendMessage, request).await;
    })
    .await;
}

// acts: CORE-SEND-004
// tck: CORE-SEND-003
#[tokio::test]
async fn a_part_of_an_unknown_media_type_is_refused_before_there_is_a_task() {
    everywhere(|w| async move {
        let parts =
            json!([{"data": {"a": 1}, "mediaType": "application/x-unsupported-type-12345"}]);
        let kind = ErrorKind::ContentTypeNotSupported;
        w.refused_as(kind, Operation::SendMessage, holds(&parts)).await;
        let all = w.get(Operation::ListTasks, json!({})).await;
        assert_eq!(all["totalSize"], 0);
    })
    .await;
}

// acts: CORE-FAIL-001
#[tokio::test]
async fn a_task_that_failed_says_why() {
    in_both_versions(|w| async move {
        let task = w.send("tck-task-failure").await;
        assert_eq!(state(&task), "FAILED");
        assert!(task["status"]["message"]["parts"][0]["text"].is_string());
        assert_eq!(state(&w.send("tck-nobody-knows-this").await), "FAILED");
    })
    .await;
}

#[tokio::test]
async fn a_task_can_be_rejected() {
    in_both_versions(|w| async move {
        assert_eq!(state(&w.send("tck-reject-task").await), "REJECTED");
    })
    .await;
}

// acts: CORE-CANCEL-001, GRPC-STREAM-002
// tck: CORE-CANCEL-001
#[tokio::test]
async fn a_working_task_can_be_canceled() {
    in_both_versions(|w| async move {
        let task = w.begin("tck-cancel").await;
        assert!(["SUBMITTED", "WORKING"].contains(&state(&task)));
        let canceled = w.get(Operation::CancelTask, json!({"id": task["id"]})).await;
        assert_eq!((state(&canceled), &canceled["id"]), ("CANCELED", &task["id"]));
        assert_eq!(state(&w.task(&task).await), "CANCELED");
    })
    .await;
}

// tck: CORE-CANCEL-001
#[tokio::test]
async fn a_waiting_task_can_be_canceled() {
    in_both_versions(|w| async move {
        let task = w.send("tck-input-required").await;
        assert_eq!(state(&task), "INPUT_REQUIRED");
        let canceled = w.get(Operation::CancelTask, json!({"id": task["id"]})).await;
        assert_eq!(state(&canceled), "CANCELED");
    })
    .await;
}

// acts: CORE-CANCEL-002, CORE-ERR-003
// tck: CORE-CANCEL-002
#[tokio::test]
async fn a_finished_or_canceled_task_cannot_be_canceled() {
    in_both_versions(|w| async move {
        let done = w.send("tck-complete-task").await;
        let request = json!({"id": done["id"]});
        w.refused_as(ErrorKind::TaskNotCancelable, Operation::CancelTask, request).await;
        let task = w.send("tck-input-required").await;
        let request = json!({"id": task["id"]});
        w.get(Operation::CancelTask, request.clone()).await;
        w.refused_as(ErrorKind::TaskNotCancelable, Operation::CancelTask, request).await;
    })
    .await;
}

// acts: CORE-EXEC-001, CORE-EXEC-002
// tck: CORE-EXECUTION-MODE-002
#[tokio::test]
async fn who_does_not_wait_sees_the_work_and_then_its_result() {
    in_both_versions(|w| async move {
        let task = w.begin("tck-long-running").await;
        assert!(["SUBMITTED", "WORKING"].contains(&state(&task)));
        let mut seen = Vec::new();
        loop {
            let read = w.unseen().task(&task).await;
            if !seen.iter().any(|known| known == state(&read)) {
                seen.push(state(&read).to_owned());
            }
            if state(&read) == "COMPLETED" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(seen, ["WORKING", "COMPLETED"]);
        assert_eq!(w.task(&task).await["artifacts"].as_array().unwrap().len(), 1);
    })
    .await;
}
