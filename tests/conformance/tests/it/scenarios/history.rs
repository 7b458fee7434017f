//! How much of the history is told.

use crate::world::{World, everywhere, in_both_versions, says};
use sabir::types::Operation;
use serde_json::{Value, json};

/// A task of three turns.
async fn of_three_turns(w: &World) -> Value {
    let task = w.send("tck-multi-turn one").await;
    w.reply(&task, "two").await;
    w.reply(&task, "three").await;
    task
}

fn texts(task: &Value) -> Vec<&str> {
    let history = task["history"].as_array().map(Vec::as_slice).unwrap_or_default();
    history.iter().filter_map(|message| message["parts"][0]["text"].as_str()).collect()
}

async fn with_length(w: &World, task: &Value, length: i32) -> Value {
    w.get(Operation::GetTask, json!({"id": task["id"], "historyLength": length})).await
}

// acts: CORE-GET-002, CORE-HIST-001
// tck: CORE-HIST-001
#[tokio::test]
async fn a_length_of_zero_leaves_the_history_out() {
    everywhere(|w| async move {
        let task = of_three_turns(&w).await;
        assert!(texts(&with_length(&w, &task, 0).await).is_empty());
    })
    .await;
}

// acts: CORE-HIST-002
// tck: CORE-HIST-002
#[tokio::test]
async fn the_newest_messages_are_told_and_no_more_than_asked_for() {
    in_both_versions(|w| async move {
        let task = of_three_turns(&w).await;
        let whole = w.task(&task).await;
        let all = texts(&whole);
        let told = with_length(&w, &task, 2).await;
        assert_eq!(texts(&told), all[all.len() - 2..]);
    })
    .await;
}

// acts: CORE-HIST-003
// tck: CORE-HIST-003
#[tokio::test]
async fn the_answer_to_a_message_leaves_the_history_out_when_asked_to() {
    everywhere(|w| async move {
        let mut request = says("tck-complete-task");
        request["configuration"] = json!({"historyLength": 0});
        let answer = w.get(Operation::SendMessage, request).await;
        assert!(texts(&answer["task"]).is_empty());
    })
    .await;
}

// acts: CORE-HIST-004, CORE-HIST-005, CORE-HIST-006
// tck: CORE-HIST-004, CORE-HIST-005, CORE-HIST-006
#[tokio::test]
async fn the_history_has_all_turns_in_their_order() {
    in_both_versions(|w| async move {
        let task = of_three_turns(&w).await;
        let task = w.task(&task).await;
        let said = texts(&task);
        let place = |text: &str| said.iter().position(|said| *said == text).expect(text);
        assert_eq!(place("tck-multi-turn one"), 0);
        assert!(place("two") < place("three"));
        assert_eq!(task["history"][0]["role"], "ROLE_USER");
    })
    .await;
}
