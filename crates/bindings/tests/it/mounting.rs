//! Agents under paths, on the server and in a router of somebody else.

use crate::stub::{Stub, card};
use crate::wire::{Reply, ask, envelope, message};
use axum::Router;
use sabir_bindings::{Routes, Server, ServerConfig};
use sabir_types::AgentCard;
use std::net::SocketAddr;
use std::sync::Arc;

const CARD: &str = "/.well-known/agent-card.json";

fn named(name: &str) -> Routes {
    Routes::new(Arc::new(Stub::default()), AgentCard { name: name.to_owned(), ..card() })
}

async fn get(addr: SocketAddr, target: &str) -> Reply {
    ask(addr, "GET", target, &[("A2A-Version", "1.0")], b"").await
}

async fn post(addr: SocketAddr, target: &str, body: &str) -> Reply {
    let headers = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
    ask(addr, "POST", target, &headers, body.as_bytes()).await
}

/// Everything an agent serves, below this path.
async fn is_served_at(addr: SocketAddr, base: &str, name: &str) {
    let card = get(addr, &format!("{base}{CARD}")).await.json();
    assert_eq!(card["name"], name, "{base}");
    assert_eq!(card["supportedInterfaces"][0]["url"], format!("http://{addr}{base}/"));
    assert_eq!(card["supportedInterfaces"][1]["url"], format!("http://{addr}{base}"));
    let rpc = envelope("ListTasks", "{}");
    let (one, two) = (format!("{base}/"), format!("{base}//"));
    let without = if base.is_empty() { "/" } else { base };
    for target in [&*one, &*two, without] {
        let reply = post(addr, target, &rpc).await;
        assert!(reply.json().get("result").is_some(), "{target}: {reply:?}");
    }
    assert_eq!(post(addr, &format!("{base}/message:send"), &message("x")).await.status(), 200);
    assert_eq!(get(addr, &format!("{base}/acme/tasks")).await.status(), 200);
}

#[tokio::test]
async fn several_agents_stand_under_their_paths_and_one_at_the_origin() {
    let other = Router::new().route("/ping", axum::routing::get(|| async { "pong" }));
    let server = Server::new()
        .agent("/agents/hello", named("hello"))
        .agent("/agents/hello/deeper/", named("deeper"))
        .default_agent(named("default"))
        .router("/other", other)
        .listen("127.0.0.1:0")
        .await
        .unwrap();
    let addr = server.local_addr();
    is_served_at(addr, "/agents/hello", "hello").await;
    is_served_at(addr, "/agents/hello/deeper", "deeper").await;
    is_served_at(addr, "", "default").await;
    assert_eq!(get(addr, "/other/ping").await.body, b"pong");
    // A path that only begins like one is another path.
    assert_eq!(get(addr, &format!("/agents/hellofriend{CARD}")).await.status(), 404);
    let foreign = ask(addr, "GET", "/other/ping", &[("Host", "evil.test")], b"").await;
    assert_eq!(foreign.status(), 403);
}

#[tokio::test]
async fn the_card_of_one_agent_may_also_stand_at_the_origin() {
    let server = Server::new()
        .agent("/agents/hello", named("hello"))
        .agent("/agents/other", named("other"))
        .origin_card("/agents/hello")
        .listen("127.0.0.1:0")
        .await
        .unwrap();
    let addr = server.local_addr();
    let origin = get(addr, CARD).await;
    assert_eq!(origin.body, get(addr, &format!("/agents/hello{CARD}")).await.body);
    assert_eq!(get(addr, "/tasks").await.status(), 404);
    assert_eq!(get(addr, "/tasks").await.json()["error"]["code"], 404);
}

#[tokio::test]
async fn a_server_refuses_paths_that_are_none_and_paths_that_are_taken() {
    let listen = async |server: Server| server.listen("127.0.0.1:0").await.unwrap_err().to_string();
    for bad in ["agents", "/a b", "/a//b", "/{id}", "/a?b"] {
        assert!(listen(Server::new().agent(bad, named("x"))).await.contains(bad), "{bad}");
    }
    let twice = Server::new().agent("/a", named("x")).agent("/a/", named("y"));
    assert!(listen(twice).await.contains("two things"));
    assert!(listen(Server::new().origin_card("/nobody")).await.contains("/nobody"));
}

async fn foreign(router: Router) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    addr
}

#[tokio::test]
async fn an_agent_can_be_mounted_in_a_router_of_somebody_else() {
    let inner = Router::new().nest_service("/hello", named("hello").into_router());
    let router = Router::new()
        .route("/ping", axum::routing::get(|| async { "pong" }))
        .nest("/agents", inner)
        .merge(named("origin").into_router());
    let addr = foreign(router).await;
    is_served_at(addr, "/agents/hello", "hello").await;
    is_served_at(addr, "", "origin").await;
    assert_eq!(get(addr, "/ping").await.body, b"pong");
}

#[tokio::test]
async fn a_mounted_agent_streams_and_checks_names_where_it_is_told_to() {
    let config = ServerConfig { loopback_only: Some(true), ..ServerConfig::default() };
    let addr = foreign(named("hello").config(config).into_router()).await;
    let stream = post(addr, "/message:stream", &message("x")).await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    assert_eq!(ask(addr, "GET", CARD, &[("Host", "evil.test")], b"").await.status(), 403);
}
