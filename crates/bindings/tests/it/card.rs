//! The agent card.

use crate::stub::{ELSEWHERE, Stub, card};
use crate::wire::{Fixture, ask};
use sabir_bindings::{Binding, Routes, Server, ServerConfig};
use sabir_types::{AgentCard, AgentCardSignature, AgentInterface, binding};
use serde_json::{Value, json};
use std::sync::Arc;

const CARD: &str = "/.well-known/agent-card.json";

fn urls(card: &Value) -> Vec<(&str, &str)> {
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    interfaces
        .iter()
        .map(|i| (i["protocolBinding"].as_str().unwrap(), i["url"].as_str().unwrap()))
        .collect()
}

async fn card_of(fixture: &Fixture, headers: &[(&str, &str)]) -> Value {
    fixture.ask("GET", CARD, headers, b"").await.json()
}

#[tokio::test]
async fn the_card_lists_what_is_served_where_it_was_asked_for() {
    let fixture = Fixture::new().await;
    let card = card_of(&fixture, &[]).await;
    let (rpc, rest) = (format!("http://{}/", fixture.addr()), format!("http://{}", fixture.addr()));
    let grpc = fixture.addr().to_string();
    let expected = [("JSONRPC", &*rpc), ("HTTP+JSON", &*rest), ("GRPC", &*grpc), ELSEWHERE];
    assert_eq!(urls(&card), expected);
    assert_eq!(card["supportedInterfaces"][0]["protocolVersion"], "1.0");
    let port = fixture.addr().port();
    let card = card_of(&fixture, &[("Host", &format!("localhost:{port}"))]).await;
    assert_eq!(urls(&card)[0].1, format!("http://localhost:{port}/"));
}

#[tokio::test]
async fn the_base_url_shows_the_same_card() {
    let fixture = Fixture::new().await;
    let reply = fixture.ask("GET", "/", &[], b"").await;
    assert_eq!((reply.status(), reply.json()), (200, card_of(&fixture, &[]).await));
    assert!(reply.header("etag").is_some());
    let stub = Arc::new(Stub::default());
    let server = Server::new().agent("/agents/stub", Routes::new(stub, card()));
    let server = server.listen("127.0.0.1:0").await.unwrap();
    for target in ["/agents/stub", "/agents/stub/"] {
        let reply = ask(server.local_addr(), "GET", target, &[], b"").await;
        assert_eq!(reply.json()["name"], "Stub", "{target}");
    }
}

#[tokio::test]
async fn a_public_url_goes_before_the_name_in_the_request() {
    let config = ServerConfig {
        public_url: Some("https://agents.example/a2a/".parse().unwrap()),
        bindings: vec![Binding::HttpJson, Binding::JsonRpc],
        ..ServerConfig::default()
    };
    let stub = Arc::new(Stub::default());
    let server = Server::new().config(config).agent("/agents/stub", Routes::new(stub, card()));
    let server = server.listen("127.0.0.1:0").await.unwrap();
    let target = format!("/agents/stub{CARD}");
    let card = ask(server.local_addr(), "GET", &target, &[], b"").await.json();
    let expected = [
        ("HTTP+JSON", "https://agents.example/a2a/agents/stub"),
        ("JSONRPC", "https://agents.example/a2a/agents/stub/"),
        ELSEWHERE,
    ];
    assert_eq!(urls(&card), expected);
}

#[tokio::test]
async fn forwarding_headers_are_believed_of_trusted_proxies_only() {
    let headers = [
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "agents.example"),
        ("X-Forwarded-Prefix", "/a2a"),
    ];
    let fixture = Fixture::new().await;
    let card = card_of(&fixture, &headers).await;
    assert_eq!(urls(&card)[0].1, format!("http://{}/", fixture.addr()));

    let trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    let fixture = Fixture::with(ServerConfig { trusted_proxies, ..ServerConfig::default() }).await;
    let card = card_of(&fixture, &headers).await;
    assert_eq!(urls(&card)[0].1, "https://agents.example/a2a/");
    let standard = [("Forwarded", "for=192.0.2.1;proto=https;host=other.example")];
    assert_eq!(urls(&card_of(&fixture, &standard).await)[1].1, "https://other.example");
}

#[tokio::test]
async fn only_the_bindings_that_are_served_are_listed() {
    let config = ServerConfig { bindings: vec![Binding::HttpJson], ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    let card = card_of(&fixture, &[]).await;
    assert_eq!(urls(&card).iter().map(|i| i.0).collect::<Vec<_>>(), ["HTTP+JSON", ELSEWHERE.0]);
    assert_eq!(fixture.rpc("ListTasks", "{}").await.status(), 404);
    assert_eq!(fixture.call("GET", "/tasks").await.status(), 200);

    let config = ServerConfig { bindings: vec![Binding::JsonRpc], ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    assert_eq!(fixture.call("GET", "/tasks").await.status(), 404);
    assert_eq!(fixture.rpc("ListTasks", "{}").await.status(), 200);
}

#[tokio::test]
async fn a_cached_card_is_revalidated_by_its_tag_or_its_date() {
    let fixture = Fixture::new().await;
    let first = fixture.ask("GET", CARD, &[], b"").await;
    assert_eq!(first.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(first.header("access-control-allow-origin"), Some("*"));
    assert_eq!(first.header("content-type"), Some("application/json"));
    let etag = first.header("etag").unwrap();
    let modified = first.header("last-modified").unwrap();
    assert!(etag.starts_with('"') && etag.len() > 20, "{etag}");

    let list = format!("\"x\", {etag}");
    let weak = format!("W/{etag}");
    let future = "Fri, 01 Jan 2100 00:00:00 GMT";
    let past = "Thu, 01 Jan 2015 00:00:00 GMT";
    for (headers, status) in [
        (vec![("If-None-Match", etag)], 304),
        (vec![("If-None-Match", &*list)], 304),
        (vec![("If-None-Match", &*weak)], 304),
        (vec![("If-None-Match", "*")], 304),
        (vec![("If-None-Match", "\"x\"")], 200),
        (vec![("If-Modified-Since", modified)], 304),
        (vec![("If-Modified-Since", future)], 304),
        (vec![("If-Modified-Since", past)], 200),
        (vec![("If-Modified-Since", "yesterday")], 200),
        // The tag decides where there is one.
        (vec![("If-None-Match", "\"x\""), ("If-Modified-Since", future)], 200),
    ] {
        let reply = fixture.ask("GET", CARD, &headers, b"").await;
        assert_eq!(reply.status(), status, "{headers:?}");
        assert_eq!(reply.header("etag"), Some(etag));
        assert_eq!(reply.header("last-modified"), Some(modified));
        assert_eq!(reply.body.is_empty(), status == 304);
    }
    let other = fixture.ask("GET", CARD, &[("Host", "localhost")], b"").await;
    assert_ne!(other.header("etag"), Some(etag), "another URL is another card");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let fixture = Fixture::new().await;
    let get = fixture.ask("GET", CARD, &[], b"").await;
    let head = fixture.ask("HEAD", CARD, &[], b"").await;
    assert_eq!(head.status(), 200);
    for name in ["content-length", "content-type", "etag", "last-modified", "cache-control"] {
        assert!(head.header(name).is_some(), "{name}");
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}

#[tokio::test]
async fn a_web_page_may_read_the_card_and_nothing_else() {
    let config = ServerConfig { loopback_only: Some(false), ..ServerConfig::default() };
    let fixture = Fixture::with(config).await;
    let origin = ("Origin", "https://page.example");
    let preflight = fixture
        .ask("OPTIONS", CARD, &[origin, ("Access-Control-Request-Method", "GET")], b"")
        .await;
    assert_eq!(preflight.status(), 204);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("*"));
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET, HEAD"));
    let task = fixture.ask("GET", "/tasks/t", &[origin, ("A2A-Version", "1.0")], b"").await;
    assert_eq!(task.header("access-control-allow-origin"), None);
    assert_eq!(fixture.ask("OPTIONS", "/message:send", &[origin], b"").await.status(), 405);
    let closed = Fixture::with(ServerConfig { card_cors: false, ..ServerConfig::default() }).await;
    let card = closed.ask("GET", CARD, &[], b"").await;
    assert_eq!(card.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn a_card_holds_what_its_author_wrote_and_no_nulls() {
    let fixture = Fixture::new().await;
    let body = fixture.ask("GET", CARD, &[], b"").await.body;
    let read: AgentCard = serde_json::from_slice(&body).unwrap();
    let mut written = card();
    written.supported_interfaces.clone_from(&read.supported_interfaces);
    assert_eq!(read, written);
    assert!(!String::from_utf8_lossy(&body).contains("null"));
}

#[tokio::test]
async fn the_extended_card_has_the_same_urls() {
    let fixture = Fixture::new().await;
    let public = card_of(&fixture, &[]).await;
    for extended in [
        fixture.rpc("GetExtendedAgentCard", "{}").await.json()["result"].clone(),
        fixture.call("GET", "/extendedAgentCard").await.json(),
    ] {
        assert_eq!(extended["version"], "1.0.0-extended");
        assert_eq!(extended["supportedInterfaces"], public["supportedInterfaces"]);
    }
}

#[tokio::test]
async fn the_tenant_of_an_interface_is_kept_and_a_signed_card_is_left_alone() {
    let stub = || Arc::new(Stub::default());
    let own = AgentInterface::new("http://old.example", binding::JSONRPC).with_tenant("acme");
    let tenant = card().with_interface(own.clone());
    let mut signed = tenant.clone();
    signed.signatures = vec![AgentCardSignature::default()];
    let server = Server::new()
        .agent("/tenant", Routes::new(stub(), tenant))
        .agent("/signed", Routes::new(stub(), signed))
        .listen("127.0.0.1:0")
        .await
        .unwrap();
    let get = async |path: &str| {
        ask(server.local_addr(), "GET", &format!("{path}{CARD}"), &[], b"").await.json()
    };
    let card = get("/tenant").await;
    assert_eq!(card["supportedInterfaces"][0]["tenant"], "acme");
    assert_eq!(
        card["supportedInterfaces"][0]["url"],
        format!("http://{}/tenant/", server.local_addr())
    );
    let card = get("/signed").await;
    assert_eq!(card["supportedInterfaces"][1], json!(own));
}
