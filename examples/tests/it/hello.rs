use crate::support::{assert_state, engine, says, send, user};
use sabir::types::TaskState;
use sabir_examples::hello::{Hello, card};

#[tokio::test]
async fn it_completes_at_once_and_makes_no_artifact() {
    let engine = engine(card(), Hello).await;
    let task = send(&engine, user("hello A2A")).await;
    assert_state(&task, TaskState::Completed);
    assert_eq!(says(&task), "Hello! You said: hello A2A");
    assert!(task.artifacts.is_empty());
}

#[tokio::test]
async fn every_message_is_a_new_task() {
    let engine = engine(card(), Hello).await;
    let first = send(&engine, user("one")).await;
    let second = send(&engine, user("two").with_context(&first.context_id)).await;
    assert_ne!(first.id, second.id);
    assert_eq!(first.context_id, second.context_id);
}
