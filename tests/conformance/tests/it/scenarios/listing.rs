//! Lists of tasks.

use crate::world::{World, everywhere};
use sabir::types::Operation;
use serde_json::{Value, json};

async fn list(w: &World, request: Value) -> Value {
    w.get(Operation::ListTasks, request).await
}

fn ids(page: &Value) -> Vec<&Value> {
    page["tasks"].as_array().unwrap().iter().map(|task| &task["id"]).collect()
}

// acts: CORE-LIST-001
#[tokio::test]
async fn a_conversation_is_listed_alone() {
    everywhere(|w| async move {
        let task = w.send("tck-complete-task").await;
        w.send("tck-complete-task").await;
        let page = list(&w, json!({"contextId": task["contextId"]})).await;
        assert_eq!(ids(&page), [&task["id"]]);
        assert_eq!(page["totalSize"], 1);
    })
    .await;
}

// acts: CORE-LIST-002
// tck: CORE-LIST-005
#[tokio::test]
async fn artifacts_are_listed_only_when_asked_for() {
    everywhere(|w| async move {
        w.send("tck-artifact-text").await;
        for request in [json!({}), json!({"includeArtifacts": false})] {
            assert_eq!(list(&w, request).await["tasks"][0].get("artifacts"), None);
        }
        let page = list(&w, json!({"includeArtifacts": true})).await;
        assert_eq!(page["tasks"][0]["artifacts"].as_array().unwrap().len(), 1);
    })
    .await;
}

// acts: CORE-LIST-003
// tck: CORE-LIST-002, CORE-LIST-003, CORE-LIST-004
#[tokio::test]
async fn pages_follow_each_other_newest_first_and_the_last_one_has_no_token() {
    everywhere(|w| async move {
        let mut made = Vec::new();
        for _ in 0..5 {
            made.insert(0, w.send("tck-complete-task").await["id"].clone());
        }
        let mut listed = Vec::new();
        let mut token = json!("");
        for size in [2, 2, 1] {
            let page = list(&w, json!({"pageSize": 2, "pageToken": token})).await;
            assert_eq!(page["tasks"].as_array().unwrap().len(), size);
            assert_eq!((&page["totalSize"], &page["pageSize"]), (&json!(5), &json!(2)));
            listed.extend(ids(&page).into_iter().cloned());
            token = page["nextPageToken"].clone();
        }
        assert_eq!((listed, token), (made, json!("")));
    })
    .await;
}
