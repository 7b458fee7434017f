//! Asks by our client.

use crate::fault::Fault;
use crate::world::{Events, Terms};
use sabir::Client;
use sabir::client::Transport;
use sabir::engine::{Agent, Call};
use sabir::types::{Operation, Version};
use serde_json::Value;
use std::net::SocketAddr;

/// A transport, and the version that is spoken on it.
type Way = (Transport, Version);

async fn connect(addr: SocketAddr, (transport, version): Way, terms: &Terms) -> Client {
    let url = format!("http://{addr}");
    let mut builder = if terms.by_card {
        Client::builder().card(url).transport(transport)
    } else {
        Client::builder().endpoint(url, transport)
    };
    builder = builder.version(version);
    if let Some(token) = terms.token {
        builder = builder.bearer(token);
    }
    if let Some(extension) = terms.extension {
        builder = builder.extension(extension);
    }
    let client = builder.connect().await.expect("the agent has a card");
    assert_eq!(client.transport(), transport);
    client
}

pub(crate) async fn ask(
    addr: SocketAddr,
    way: Way,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Value, Fault> {
    let client = connect(addr, way, terms).await;
    Ok(sabir_conformance::ask(&client, operation, request.clone()).await?)
}

pub(crate) async fn follow(
    addr: SocketAddr,
    way: Way,
    operation: Operation,
    request: &Value,
    terms: &Terms,
) -> Result<Events, Fault> {
    let client = connect(addr, way, terms).await;
    let (call, request) = (Call::default(), request.clone());
    let events = if operation == Operation::SubscribeToTask {
        let request = serde_json::from_value(request).expect("a request");
        client.subscribe_to_task(&call, request).await?
    } else {
        let request = serde_json::from_value(request).expect("a request");
        client.send_streaming_message(&call, request).await?.value
    };
    Ok(Events::Client(events))
}
