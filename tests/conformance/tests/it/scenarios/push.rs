//! Webhooks: set, read, listed, deleted, and called.

use crate::world::{World, everywhere, in_both_versions, says, state};
use sabir::types::{ErrorKind, Operation};
use sabir_testkit::{Answer, Received};
use serde_json::{Value, json};

async fn create(w: &World, task: &Value, credentials: &str) -> Value {
    let request = json!({
        "taskId": task["id"],
        "url": format!("{}/notifications", w.webhook.url().trim_end_matches('/')),
        "token": "a-token",
        "authentication": {"scheme": "Bearer", "credentials": credentials},
    });
    w.get(Operation::CreateTaskPushNotificationConfig, request).await
}

/// The first call that says that the task has ended.
async fn last_call(w: &World) -> Received {
    loop {
        let call = w.webhook.next().await;
        if state(&call.json()) == "COMPLETED" {
            return call;
        }
    }
}

// acts: PUSH-CFG-001, PUSH-CFG-002, PUSH-LIST-001, PUSH-CFG-003, PUSH-IDEM-001
// tck: PUSH-CREATE-001, PUSH-CREATE-002, PUSH-GET-001, PUSH-LIST-001, PUSH-DEL-001, PUSH-DEL-002
#[tokio::test]
async fn a_webhook_of_a_finished_task_is_set_read_listed_and_deleted_twice() {
    in_both_versions(|w| async move {
        let task = w.send("tck-complete-task").await;
        let made = create(&w, &task, "test-token").await;
        let one = json!({"taskId": task["id"], "id": made["id"]});
        let read = w.get(Operation::GetTaskPushNotificationConfig, one.clone()).await;
        assert_eq!((&read["id"], &read["url"]), (&made["id"], &made["url"]));
        let all = json!({"taskId": task["id"]});
        let list = w.get(Operation::ListTaskPushNotificationConfigs, all.clone()).await;
        assert_eq!(list["configs"].as_array().unwrap().len(), 1);
        for _ in 0..2 {
            w.get(Operation::DeleteTaskPushNotificationConfig, one.clone()).await;
        }
        let kind = ErrorKind::TaskNotFound;
        w.refused_as(kind, Operation::GetTaskPushNotificationConfig, one).await;
        let list = w.get(Operation::ListTaskPushNotificationConfigs, all).await;
        assert_eq!(list.get("configs").and_then(Value::as_array).map_or(0, Vec::len), 0);
    })
    .await;
}

// acts: PUSH-ERR-001
// tck: PUSH-GET-002
#[tokio::test]
async fn a_webhook_that_nobody_set_is_not_found() {
    in_both_versions(|w| async move {
        let task = w.send("tck-complete-task").await;
        let request = json!({"taskId": task["id"], "id": "nobody-set-this"});
        let kind = ErrorKind::TaskNotFound;
        w.refused_as(kind, Operation::GetTaskPushNotificationConfig, request).await;
    })
    .await;
}

// acts: PUSH-DELIV-001, PUSH-DELIV-002, PUSH-DELIV-003, SEC-PUSH-001, SEC-PUSH-002
// tck: PUSH-DELIVER-001, PUSH-DELIVER-002, PUSH-DELIVER-003
#[tokio::test]
async fn a_webhook_set_while_the_task_works_is_told_its_end_whatever_it_refused_before() {
    everywhere(|w| async move {
        // The receiver of ACTS refuses what is neither a task nor a status.
        w.webhook.answer(Answer::status(400));
        let task = w.begin("tck-long-running").await;
        create(&w, &task, "expected-token").await;
        let call = last_call(&w).await;
        assert_eq!(call.header("authorization"), Some("Bearer expected-token"));
        assert_eq!(call.header("x-a2a-notification-token"), Some("a-token"));
        assert_eq!(call.json()["statusUpdate"]["taskId"], task["id"]);
        assert_eq!(w.webhook.received().len(), 2, "an artifact and the end");
    })
    .await;
}

#[tokio::test]
async fn an_answer_waits_for_the_calls_of_its_webhook() {
    everywhere(|w| async move {
        let mut request = says("tck-stream-basic");
        // As ITK sets it: without an id and without a task.
        let config = json!({"url": w.webhook.url(), "token": "itk-token"});
        request["configuration"] = json!({ "taskPushNotificationConfig": config });
        w.get(Operation::SendMessage, request).await;
        let calls = w.webhook.received();
        let last = calls.last().expect("it was called before the answer").json();
        assert_eq!(state(&last), "COMPLETED");
        assert!(last["statusUpdate"]["status"]["message"]["parts"][0]["text"].is_string());
    })
    .await;
}
