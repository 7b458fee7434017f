//! The bindings with a real engine behind them.

use crate::wire::{ask, envelope, message};
use sabir_bindings::{Routes, Server, ServerHandle};
use sabir_engine::{Engine, Executor, ExecutorError, MemoryStore, Retention, Turn, async_trait};
use sabir_testkit::RawConnection;
use sabir_types::{AgentCapabilities, AgentCard, Artifact};
use std::sync::Arc;

struct Echo;

#[async_trait]
impl Executor for Echo {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        turn.artifact(Artifact::new("echo").text(turn.text())).await?;
        turn.completed("done").await?;
        Ok(())
    }
}

async fn serve() -> ServerHandle {
    let capabilities = AgentCapabilities { streaming: Some(true), ..AgentCapabilities::default() };
    let card = AgentCard::new("Echo", "Says it again.").with_capabilities(capabilities);
    let store = Arc::new(MemoryStore::new(Retention::memory()));
    let engine =
        Engine::builder(card.clone(), Echo).name("echo").store(store).start().await.unwrap();
    let server = Server::new().default_agent(Routes::new(Arc::new(engine), card));
    server.listen("127.0.0.1:0").await.unwrap()
}

#[tokio::test]
async fn a_task_that_one_binding_makes_the_other_reads() {
    let server = serve().await;
    let addr = server.local_addr();
    let headers = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
    let body = envelope("SendMessage", &message("hello"));
    let sent = ask(addr, "POST", "/", &headers, body.as_bytes()).await.json();
    let task = &sent["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{sent}");
    let target = format!("/tasks/{}", task["id"].as_str().unwrap());
    let read = ask(addr, "GET", &target, &headers, b"").await.json();
    assert_eq!(read["artifacts"], task["artifacts"]);
    let gone = ask(addr, "GET", "/tasks/nothing", &headers, b"").await;
    assert_eq!((gone.status(), gone.reason()), (404, "TASK_NOT_FOUND".to_owned()));
}

#[tokio::test]
async fn a_stream_of_a_task_is_complete_and_can_be_had_again_from_any_of_its_events() {
    let server = serve().await;
    let mut connection = RawConnection::open(server.local_addr()).await;
    connection.post_json("/message:stream", &message("hello")).await;
    connection.head().await;
    let mut frames = Vec::new();
    while let Some(frame) = connection.event().await {
        frames.push(frame);
    }
    let first = frames[0].json();
    let id = first["task"]["id"].as_str().expect("the first event is the task");
    let last = frames.last().unwrap().json();
    assert_eq!(last["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");

    let seq = frames[0].id().unwrap();
    let headers = [("A2A-Version", "1.0"), ("Last-Event-ID", seq)];
    let target = format!("/tasks/{id}:subscribe");
    connection.request("POST", &target, &headers, b"").await;
    assert_eq!(connection.head().await.status, 200);
    let mut again = Vec::new();
    while let Some(frame) = connection.event().await {
        again.push(frame);
    }
    assert_eq!(again[1..], frames[1..]);
}
