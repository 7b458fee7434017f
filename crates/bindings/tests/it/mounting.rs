//! Agents under paths, on the server and in a router of somebody else.

use crate::grpc_wire::VERSION;
use crate::stub::{Stub, card};
use crate::wire::{Reply, ask, envelope, message};
use axum::Router;
use sabir_bindings::{Routes, Server, ServerConfig};
use sabir_testkit::GrpcConnection;
use sabir_types::{AgentCard, Operation, wire};
use std::net::SocketAddr;
use std::sync::Arc;

const CARD: &str = "/.well-known/agent-card.json";

fn named(name: &str) -> Routes {
    Routes::new(Arc::new(Stub::default()), AgentCard { name: name.to_owned(), ..card() })
}

/// The same, but its extended card tells it too.
fn known(name: &str) -> Routes {
    Routes::new(Arc::new(Stub::named(name)), AgentCard { name: name.to_owned(), ..card() })
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

/// The name of the agent that answers to gRPC there; nothing where nobody does.
async fn named_by_grpc(addr: SocketAddr, base: &str) -> Option<String> {
    let connection = GrpcConnection::open(addr).await;
    let path = format!("{base}{}", Operation::GetExtendedAgentCard.grpc_path());
    let answer = connection.call(&path, &[VERSION], b"").await;
    let [card] = &answer.messages[..] else {
        assert_eq!(answer.code(), 12, "{answer:?}");
        return None;
    };
    Some(wire::from_protobuf::<AgentCard>(&card[..]).unwrap().version)
}

async fn lists_grpc(addr: SocketAddr, base: &str) -> bool {
    let card = get(addr, &format!("{base}{CARD}")).await.json();
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    let url = interfaces.iter().find(|i| i["protocolBinding"] == "GRPC").map(|i| &i["url"]);
    assert!(url.is_none_or(|url| *url == addr.to_string()), "{url:?}");
    url.is_some()
}

#[tokio::test]
async fn grpc_finds_every_agent_below_its_path_and_one_at_the_origin() {
    let answers = |name: &str| Some(format!("1.0.0-extended {name}"));
    let two = || Server::new().agent("/a", known("a")).agent("/b", known("b"));
    let none = two().listen("127.0.0.1:0").await.unwrap().local_addr();
    let shown = two().origin_card("/b").listen("127.0.0.1:0").await.unwrap().local_addr();
    let default = two().origin_card("/b").default_agent(known("c"));
    let default = default.listen("127.0.0.1:0").await.unwrap().local_addr();
    for (addr, at_origin) in [(none, None), (shown, Some("b")), (default, Some("c"))] {
        for name in ["a", "b"] {
            let base = format!("/{name}");
            assert_eq!(named_by_grpc(addr, &base).await, answers(name));
            assert_eq!(lists_grpc(addr, &base).await, at_origin == Some(name), "{base}");
        }
        assert_eq!(named_by_grpc(addr, "").await, at_origin.and_then(answers));
    }
}

#[tokio::test]
async fn grpc_is_served_within_another_router() {
    let app = Router::new().nest_service("/agents/hello", known("hello").into_router());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let found = named_by_grpc(addr, "/agents/hello").await;
    assert_eq!(found.as_deref(), Some("1.0.0-extended hello"));
}
