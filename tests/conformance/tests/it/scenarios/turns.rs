//! Several turns, and what belongs to which conversation.

use crate::world::{in_both_versions, says, state};
use sabir::types::{ErrorKind, Operation};
use serde_json::json;

// acts: CORE-MULTI-001
// tck: CORE-EXECUTION-MODE-001
#[tokio::test]
async fn a_task_asks_until_it_is_told_that_it_is_done() {
    in_both_versions(|w| async move {
        let task = w.send("tck-multi-turn").await;
        assert_eq!(state(&task), "INPUT_REQUIRED");
        let again = w.reply(&task, "more").await;
        assert_eq!((state(&again), &again["id"]), ("INPUT_REQUIRED", &task["id"]));
        let done = w.reply(&task, "Done, thank you").await;
        assert_eq!((state(&done), &done["id"]), ("COMPLETED", &task["id"]));
    })
    .await;
}

// acts: CORE-MULTI-005
// tck: CORE-MULTI-005
#[tokio::test]
async fn the_conversation_follows_from_the_task() {
    in_both_versions(|w| async move {
        let task = w.send("tck-multi-turn").await;
        let again = w.reply(&task, "more").await;
        assert_eq!(again["contextId"], task["contextId"]);
    })
    .await;
}

// acts: CORE-MULTI-003, CORE-MULTI-006
// tck: CORE-MULTI-006
#[tokio::test]
async fn a_task_and_a_conversation_that_is_not_its_own_are_refused() {
    in_both_versions(|w| async move {
        let task = w.send("tck-multi-turn").await;
        let other = w.send("tck-multi-turn").await;
        for context in [json!("of nobody"), other["contextId"].clone()] {
            let mut request = says("more");
            request["message"]["taskId"] = task["id"].clone();
            request["message"]["contextId"] = context;
            w.refused_as(ErrorKind::InvalidParams, Operation::SendMessage, request).await;
        }
    })
    .await;
}

// acts: CORE-CTX-001
// tck: CORE-MULTI-002, CORE-MULTI-002a
#[tokio::test]
async fn a_conversation_that_the_client_named_keeps_its_name() {
    in_both_versions(|w| async move {
        let mut request = says("tck-complete-task");
        request["message"]["contextId"] = "of the client".into();
        let answer = w.get(Operation::SendMessage, request).await;
        assert_eq!(answer["task"]["contextId"], "of the client");
    })
    .await;
}

// acts: SEC-AUTH-005
// tck: AUTH-INTASK-001, AUTH-INTASK-002, AUTH-INTASK-003, AUTH-INTASK-004, AUTH-INTASK-006
#[tokio::test]
async fn a_task_that_wants_an_authorisation_says_so_and_goes_on_when_told() {
    in_both_versions(|w| async move {
        let task = w.send("tck-auth-required").await;
        assert_eq!(state(&task), "AUTH_REQUIRED");
        assert!(task["status"]["message"]["parts"][0]["text"].is_string());
        let again = w.reply(&task, "tck-complete-task").await;
        assert_eq!((state(&again), &again["id"]), ("COMPLETED", &task["id"]));
    })
    .await;
}
