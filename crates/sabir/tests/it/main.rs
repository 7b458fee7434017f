//! The facade: what the README shows is what is compiled, and it works.

#![allow(clippy::unwrap_used, reason = "a test has nothing better to do with an error")]

use sabir::prelude::*;
use std::path::Path;

const HELLO: &str = include_str!("../../examples/hello.rs");
const ASK: &str = include_str!("../../examples/ask.rs");

#[test]
fn the_readme_shows_the_examples_as_they_are_compiled() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(&readme)
        .unwrap_or_else(|error| panic!("{}: {error}", readme.display()));
    for example in [HELLO, ASK] {
        assert!(readme.contains(&format!("```rust\n{example}```\n")), "missing:\n{example}");
    }
}

#[test]
fn an_agent_fits_in_25_lines_and_a_client_in_15() {
    assert!(HELLO.lines().count() <= 25);
    assert!(ASK.lines().count() <= 15);
}

struct Hello;

#[async_trait]
impl Executor for Hello {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        turn.completed(format!("Hello! You said: {}", turn.text())).await?;
        Ok(())
    }
}

fn card() -> AgentCard {
    let skill = AgentSkill::new("hello", "Say hello", "Answers any message").tags(["demo"]);
    AgentCard::new("Hello Agent", "Says hello").with_skill(skill)
}

/// Says hello, and gives the task that comes back.
async fn greet(url: &str) -> Task {
    let agent = Client::connect(url).await.unwrap();
    match agent.send("hi").await.unwrap() {
        SendMessageResponse::Task(task) => task,
        other => panic!("{other:?}"),
    }
}

fn said(task: &Task) -> String {
    task.status.message.as_ref().unwrap().text()
}

#[tokio::test]
async fn an_agent_is_served_called_and_stopped() {
    let running = Server::new(card(), Hello).start("127.0.0.1:0").await.unwrap();
    let task = greet(&running.url()).await;
    assert_eq!((task.state(), said(&task)), (TaskState::Completed, "Hello! You said: hi".into()));
    let url = running.url();
    running.stop().await;
    assert!(Client::connect(&url).await.is_err());
}

#[tokio::test]
async fn a_router_serves_the_agent_where_it_is_mounted() {
    let hello = Server::new(card(), Hello).router().await.unwrap();
    let app = axum::Router::new().nest_service("/agents/hello", hello);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/agents/hello", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    assert_eq!(greet(&url).await.state(), TaskState::Completed);
}

#[tokio::test]
async fn several_agents_share_a_port_and_only_one_fits_a_router() {
    let both = || Server::new(card(), Hello).agent("/agents/two", card(), Hello);
    let running = both().start("127.0.0.1:0").await.unwrap();
    greet(&running.url()).await;
    greet(&format!("{}/agents/two", running.url())).await;
    running.stop().await;
    assert!(both().router().await.is_err());
}

#[tokio::test]
async fn the_public_url_stands_in_the_card_and_a_wrong_one_is_refused() {
    let public = |url: &str| Server::new(card(), Hello).public_url(url).start("127.0.0.1:0");
    let running = public("https://agents.example.com/hello").await.unwrap();
    let found = Client::connect(&running.url()).await;
    let card = found.unwrap();
    let url = &card.card().unwrap().supported_interfaces[0].url;
    assert_eq!(url, "https://agents.example.com/hello/");
    assert!(public("agents").await.is_err());
}

#[tokio::test]
async fn only_those_who_are_known_may_call() {
    use sabir::bindings::StaticTokens;
    use sabir::types::Principal;
    let users = StaticTokens::new().bearer("s3cret", Principal::new("alice"));
    let running = Server::new(card(), Hello).auth(users).start("127.0.0.1:0").await.unwrap();
    let url = running.url();
    let stranger = Client::connect(&url).await.unwrap();
    assert!(stranger.send("hi").await.is_err());
    let alice = Client::builder().card(&url).bearer("s3cret").connect().await.unwrap();
    assert!(alice.send("hi").await.is_ok());
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn tasks_in_a_folder_survive_the_server() {
    let folder = sabir_testkit::DataDir::new();
    let serve = || Server::new(card(), Hello).data(folder.path()).start("127.0.0.1:0");
    let running = serve().await.unwrap();
    let task = greet(&running.url()).await;
    running.stop().await;
    let running = serve().await.unwrap();
    let agent = Client::connect(&running.url()).await.unwrap();
    assert_eq!(agent.get(&task.id).await.unwrap().state(), TaskState::Completed);
}
