//! Finding, reading and remembering cards.

use crate::fixture::{
    QUICK, Server, card, interface, json_answer, redirect, status, typed, with_header,
};
use sabir_client::{CardReference, Client, Failure, Resolver, Transport};
use std::time::Duration;

const WELL_KNOWN: &str = "GET /.well-known/agent-card.json";

async fn resolve(server: &Server) -> Result<(), Failure> {
    let client = Client::builder().card(server.url("")).retry(QUICK).connect().await?;
    assert_eq!(client.card().expect("has one").name, "Fixture");
    Ok(())
}

fn good_card() -> serde_json::Value {
    card(&[interface("http://127.0.0.1:1/", Transport::JsonRpc)])
}

fn reference(server: &Server) -> CardReference {
    server.url("").parse().expect("a reference")
}

#[tokio::test]
async fn a_card_is_found_at_the_well_known_path_and_kept_as_it_came() {
    let text = r#"{"x-more": [1.0], "name":"A","supportedInterfaces":[
        {"url":"http://127.0.0.1:1/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}"#;
    let server = Server::script(vec![typed(200, "text/plain", text.into())]).await;
    let client = Client::connect(&server.url("")).await.expect("found");
    assert_eq!(client.card().expect("has one").json(), text.as_bytes());
    let seen = server.only();
    assert_eq!(server.targets(), [WELL_KNOWN]);
    assert_eq!(seen.header("a2a-version"), Some("1.0"));
    assert_eq!(seen.header("accept"), Some("application/json"));
}

#[tokio::test]
async fn another_path_is_used_as_it_is() {
    let server = Server::script(vec![json_answer(&good_card())]).await;
    Client::connect(&server.url("/agents/x.json?v=2")).await.expect("found");
    assert_eq!(server.targets(), ["GET /agents/x.json?v=2"]);
}

#[tokio::test]
async fn what_is_no_card_is_told_apart() {
    type IsRight = fn(&Failure) -> bool;
    let cases: [(axum::response::Response, IsRight); 6] = [
        (status(404, "no"), |f| matches!(f, Failure::CardNotFound { .. })),
        (status(410, "no"), |f| matches!(f, Failure::CardNotFound { .. })),
        (status(500, "no"), |f| matches!(f, Failure::Status { status: 500, .. })),
        (status(200, "<html>"), |f| matches!(f, Failure::CardNotJson { .. })),
        (typed(200, "application/json", "[]".into()), |f| matches!(f, Failure::CardInvalid { .. })),
        (
            typed(200, "application/json", r#"{"name":"A"}"#.into()),
            |f| matches!(f, Failure::CardInvalid { field, .. } if field == "supportedInterfaces"),
        ),
    ];
    for (answer, expected) in cases {
        let server = Server::script(vec![answer]).await;
        let failure = resolve(&server).await.expect_err("no card");
        assert!(expected(&failure), "{failure:?}");
    }
}

#[tokio::test]
async fn an_unreachable_host_is_told_apart() {
    let server = Server::script(Vec::new()).await;
    let (url, addr) = (server.url(""), server.addr);
    drop(server);
    // The listener is gone once the port can be bound again.
    while tokio::net::TcpListener::bind(addr).await.is_err() {
        tokio::task::yield_now().await;
    }
    let outcome = Client::builder().card(url).retry(QUICK).connect().await;
    assert!(matches!(outcome, Err(Failure::Unreachable { .. })), "{outcome:?}");
}

#[tokio::test]
async fn a_card_is_asked_for_again_while_the_server_is_only_busy() {
    let answers = vec![status(503, ""), status(502, ""), json_answer(&good_card())];
    let server = Server::script(answers).await;
    resolve(&server).await.expect("the third time");
    let server = Server::script((0..4).map(|_| status(503, "")).collect()).await;
    let failure = resolve(&server).await.expect_err("never");
    assert!(matches!(failure, Failure::Status { status: 503, .. }), "{failure:?}");
    assert_eq!(server.seen().len(), 3);
}

#[tokio::test]
async fn a_redirect_of_a_card_is_followed_to_another_host() {
    let other = Server::script(vec![json_answer(&good_card())]).await;
    let server = Server::script(vec![redirect(301, &other.url("/card"))]).await;
    let builder = Client::builder().card(server.url("")).bearer("s3cret");
    builder.connect().await.expect("followed");
    assert_eq!(other.only().header("authorization"), None);
    assert_eq!(server.only().header("authorization"), None);
}

#[tokio::test]
async fn redirects_in_a_circle_end() {
    let server = Server::start(|_, _| redirect(302, "/again")).await;
    let failure = resolve(&server).await.expect_err("never arrives");
    assert!(matches!(failure, Failure::Redirect { .. }), "{failure:?}");
    assert_eq!(server.seen().len(), 6);
}

#[tokio::test]
async fn a_fresh_card_is_not_asked_for_again() {
    let answer = with_header(json_answer(&good_card()), "cache-control", "max-age=60");
    let server = Server::script(vec![answer]).await;
    let resolver = Resolver::new().expect("TLS");
    let first = resolver.resolve(&reference(&server)).await.expect("found");
    let second = resolver.clone().resolve(&reference(&server)).await.expect("known");
    assert!(std::sync::Arc::ptr_eq(&first, &second));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn a_stale_card_is_confirmed_by_its_etag_and_then_fresh_again() {
    let first = with_header(json_answer(&good_card()), "cache-control", "max-age=60");
    let first = with_header(with_header(first, "etag", "\"v1\""), "last-modified", "x");
    let confirmed = with_header(status(304, ""), "cache-control", "max-age=60");
    let confirmed = with_header(confirmed, "etag", "\"v1\"");
    let server = Server::script(vec![first, confirmed]).await;
    let resolver = Resolver::new().expect("TLS");
    let first = resolver.resolve(&reference(&server)).await.expect("found");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    for _ in 0..2 {
        let again = resolver.resolve(&reference(&server)).await.expect("confirmed");
        assert!(std::sync::Arc::ptr_eq(&first, &again));
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[1].header("if-none-match"), Some("\"v1\""));
    assert_eq!(seen[1].header("if-modified-since"), None);
}

#[tokio::test]
async fn a_changed_card_replaces_the_one_known() {
    let first = with_header(json_answer(&good_card()), "last-modified", "yesterday");
    let mut changed = good_card();
    changed["name"] = "Changed".into();
    let server = Server::script(vec![first, json_answer(&changed)]).await;
    let resolver = Resolver::new().expect("TLS");
    resolver.resolve(&reference(&server)).await.expect("found");
    let again = resolver.resolve(&reference(&server)).await.expect("found");
    assert_eq!(again.name, "Changed");
    assert_eq!(server.seen()[1].header("if-modified-since"), Some("yesterday"));
}

#[tokio::test]
async fn a_card_that_may_not_be_stored_is_forgotten() {
    let answer = || with_header(json_answer(&good_card()), "cache-control", "no-store, max-age=9");
    let answer = move || with_header(answer(), "etag", "\"v1\"");
    let server = Server::script(vec![answer(), answer()]).await;
    let resolver = Resolver::new().expect("TLS");
    for _ in 0..2 {
        resolver.resolve(&reference(&server)).await.expect("found");
    }
    assert_eq!(server.seen()[1].header("if-none-match"), None);
}

#[tokio::test]
async fn a_card_is_read_from_a_file() {
    let path = std::env::temp_dir().join(format!("sabir-client-{}.json", std::process::id()));
    std::fs::write(&path, good_card().to_string()).expect("written");
    let client = Client::connect(path.to_str().expect("text")).await.expect("read");
    assert_eq!(client.url().as_str(), "http://127.0.0.1:1/");
    std::fs::remove_file(&path).expect("removed");
    let outcome = Client::connect(path.to_str().expect("text")).await;
    assert!(matches!(outcome, Err(Failure::File { .. })), "{outcome:?}");
}

#[tokio::test]
async fn the_card_decides_which_interface_is_called() {
    let server = Server::script(vec![json_answer(&card(&[
        serde_json::json!({"url": "g:1", "protocolBinding": "WS", "protocolVersion": "1.0"}),
        interface("http://127.0.0.1:1/rest", Transport::HttpJson),
        interface("http://127.0.0.1:1/rpc", Transport::JsonRpc),
    ]))])
    .await;
    let client = Client::connect(&server.url("")).await.expect("found");
    assert_eq!(client.transport(), Transport::HttpJson);
    assert_eq!(client.url().path(), "/rest");
}
