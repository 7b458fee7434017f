//! Has our own client read an answer that the kit made up, and tells what it understood.

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Method;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use sabir::Client;
use sabir::client::{CardReference, Resolver, Transport};
use sabir::engine::{Agent, Call};
use sabir::prelude::*;
use sabir::types::{Error, GetExtendedAgentCardRequest};
use serde_json::{Value, json};
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// Plays `tck-client-parse`: the message's data says which operation the client calls, and what
/// the server answers.
pub(super) async fn play(turn: Turn) -> Result<(), ExecutorError> {
    let Some(asked) = turn.message().parts.iter().find_map(Part::as_data) else {
        let missing = "`tck-client-parse` needs a data part with `operation` and `wire_payload`";
        return Ok(turn.failed(missing).await?);
    };
    let operation = asked["operation"].as_str().unwrap_or_default();
    let understood = match understand(operation, asked["wire_payload"].clone()).await? {
        Ok(understood) => understood,
        Err(error) => {
            json!({"error": {"code": error.kind().jsonrpc_code(), "message": error.message()}})
        }
    };
    turn.artifact(Artifact::new("parsed").data(understood)).await?;
    Ok(turn.completed("Parsed").await?)
}

/// Lets the client call a server that answers everything with that payload.
async fn understand(
    operation: &str,
    payload: Value,
) -> Result<Result<Value, Error>, ExecutorError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let server = axum::serve(listener, Router::new().fallback(answer).with_state(payload));
    tokio::select! {
        served = server.into_future() => {
            served?;
            Err(ExecutorError::new("the server that answers the client has ended"))
        }
        called = call(operation, &url) => called,
    }
}

/// Answers with the payload, as the answer to this very request where it is one of JSON-RPC.
async fn answer(
    State(mut payload): State<Value>,
    method: Method,
    body: Bytes,
) -> impl IntoResponse {
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    if method == Method::POST && payload.get("jsonrpc").is_some() {
        payload["id"] = request["id"].clone();
    }
    ([(CONTENT_TYPE, "application/json")], payload.to_string())
}

async fn call(operation: &str, url: &str) -> Result<Result<Value, Error>, ExecutorError> {
    if operation == "get_agent_card" {
        let reference: CardReference = url.parse()?;
        let card = Resolver::new()?.resolve(&reference).await;
        return Ok(match card {
            Ok(card) => Ok(serde_json::to_value(&**card)?),
            Err(failure) => Err(failure.into()),
        });
    }
    let client = Client::builder().endpoint(url, Transport::JsonRpc).connect().await?;
    let read = match operation {
        "send_message" => client.send("parse this").await.map(serde_json::to_value),
        "get_task" => client.get("parse-this").await.map(serde_json::to_value),
        "get_extended_agent_card" => client
            .get_extended_agent_card(&Call::default(), GetExtendedAgentCardRequest::default())
            .await
            .map(serde_json::to_value),
        other => return Err(ExecutorError::new(format!("there is no operation `{other}`"))),
    };
    Ok(match read {
        Ok(value) => Ok(value?),
        Err(error) => Err(error),
    })
}
