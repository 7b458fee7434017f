use crate::support::{engine, script, send, stream, user};
use sabir::types::{Message, Part};
use sabir_examples::echo::{Echo, card};

#[tokio::test]
async fn the_text_comes_back_as_one_unnamed_artifact() {
    let engine = engine(card(), Echo).await;
    let task = send(&engine, user("hello A2A")).await;
    assert_eq!(task.artifacts.len(), 1);
    assert_eq!(task.artifacts[0].name, None);
    assert_eq!(task.artifacts[0].to_text(), "hello A2A");
    assert_eq!(task.history.len(), 1);
}

#[tokio::test]
async fn a_stream_shows_work_artifact_and_end() {
    let engine = engine(card(), Echo).await;
    let events = stream(&engine, user("hi")).await;
    assert_eq!(script(&events)[1..], ["working", "artifact. hi", "completed"]);
}

#[tokio::test]
async fn all_parts_come_back_as_they_are() {
    let engine = engine(card(), Echo).await;
    let parts = vec![Part::text("a"), Part::data(serde_json::json!({"b": [1, null]}))];
    let message = Message { parts: parts.clone(), ..user("") };
    let task = send(&engine, message).await;
    assert_eq!(task.artifacts[0].parts, parts);
}
