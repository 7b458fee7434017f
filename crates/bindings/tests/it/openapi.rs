//! The OpenAPI document: what is in it, and where it stands.

use crate::stub::{Stub, card};
use crate::wire::{Fixture, ask};
use sabir_bindings::{Binding, Routes, Server, ServerConfig};
use sabir_types::{AgentCapabilities, Operation};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

const OPENAPI: &str = "/openapi.json";

#[tokio::test]
async fn it_describes_every_operation_with_its_verbs() {
    let fixture = Fixture::new().await;
    let reply = fixture.ask("GET", OPENAPI, &[], b"").await;
    assert_eq!((reply.status(), reply.header("content-type")), (200, Some("application/json")));
    let document = reply.json();
    for operation in Operation::ALL {
        for verb in operation.verbs() {
            let path = &document["paths"][operation.path()];
            let described = &path[verb.as_str().to_ascii_lowercase()];
            let id = described["operationId"].as_str().unwrap_or_default();
            assert!(id.starts_with(operation.name()), "{id}");
            assert!(described["responses"]["200"]["content"].is_object(), "{id}");
        }
    }
    assert_eq!(document["servers"][0]["url"], format!("http://{}", fixture.addr()));
}

#[tokio::test]
async fn what_it_refers_to_is_there() {
    let document = Fixture::new().await.ask("GET", OPENAPI, &[], b"").await.json();
    let mut references = BTreeSet::new();
    collect(&document, &mut references);
    assert!(references.len() > 30, "{references:?}");
    for reference in references {
        let pointer = reference.strip_prefix('#').expect("within the document");
        assert!(document.pointer(pointer).is_some_and(Value::is_object), "{reference}");
    }
}

fn collect<'a>(value: &'a Value, references: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(object) => {
            references.extend(object.get("$ref").and_then(Value::as_str));
            object.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}

#[tokio::test]
async fn an_agent_below_a_path_describes_only_what_its_card_declares() {
    let card = card().with_capabilities(AgentCapabilities::default());
    let routes = Routes::new(Arc::new(Stub::default()), card);
    let server = Server::new().agent("/agents/stub", routes).listen("127.0.0.1:0").await.unwrap();
    let addr = server.local_addr();
    let document = ask(addr, "GET", "/agents/stub/openapi.json", &[], b"").await.json();
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths, ["/message:send", "/tasks", "/tasks/{id}", "/tasks/{id}:cancel"]);
    let links = &document["paths"]["/message:send"]["post"]["responses"]["200"]["links"];
    assert_eq!(links.as_object().unwrap().keys().collect::<Vec<_>>(), ["CancelTask", "GetTask"]);
    assert_eq!(document["servers"][0]["url"], format!("http://{addr}/agents/stub"));
}

#[tokio::test]
async fn without_http_json_there_is_none() {
    let config = ServerConfig { bindings: vec![Binding::JsonRpc], ..ServerConfig::default() };
    let routes = Routes::new(Arc::new(Stub::default()), card()).config(config);
    let server = Server::new().default_agent(routes).listen("127.0.0.1:0").await.unwrap();
    assert_eq!(ask(server.local_addr(), "GET", OPENAPI, &[], b"").await.status(), 404);
}
