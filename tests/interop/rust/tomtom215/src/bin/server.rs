//! The contract reviewer on the SDK of tomtom215, for our client to talk to.
//!
//! It says what `reviewer.json` holds, and knows the words `ticks K`, `msg X` and `parts`, as
//! `py/server.py` does. Prints "Listening on URL" once it can be called.

#[path = "server/reviewer.rs"]
mod reviewer;

use a2a_protocol_sdk::prelude::*;
use a2a_protocol_sdk::server::push::{HttpPushSender, InMemoryPushConfigStore};
use a2a_protocol_sdk::server::{CombinedDispatcher, GrpcConfig, GrpcDispatcher, Server};
use interop_support::{Texts, Why};
use reviewer::Reviewer;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpListener;

fn card(name: &str, http: &str, grpc: &str) -> AgentCard {
    let skill = AgentSkill::new("risk-review", "Contract risk review", "Lists risks.");
    let capabilities = AgentCapabilities::none().with_streaming(true).with_push_notifications(true);
    let modes = ["text/plain", "application/json", "application/octet-stream"];
    AgentCard::new(name, "1.0.0", AgentInterface::jsonrpc(format!("{http}/")))
        .with_interface(AgentInterface::rest(http))
        .with_interface(AgentInterface::grpc(grpc))
        .with_description("Reviews contracts.")
        .with_input_modes(modes)
        .with_output_modes(modes)
        .with_skill(skill.with_tags(["legal"]))
        .with_capabilities(capabilities)
}

#[tokio::main]
async fn main() -> Result<(), Why> {
    let http = Server::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let grpc = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", http.local_addr()?);
    let texts = Texts::read();
    let card = card(&texts.name, &url, &grpc.local_addr()?.to_string());
    let handler = RequestHandlerBuilder::new(Reviewer::new(texts))
        .with_agent_card(card)
        .with_push_config_store(InMemoryPushConfigStore::new())
        // The webhooks of the suite are on loopback addresses.
        .with_push_sender(HttpPushSender::new().allow_private_urls())
        .build()?;
    let handler = Arc::new(handler);
    GrpcDispatcher::new(Arc::clone(&handler), GrpcConfig::default()).serve_with_listener(grpc)?;
    // The sockets listen already: who calls now is answered as soon as the servers run.
    println!("Listening on {url}");
    http.serve_with_shutdown(CombinedDispatcher::new(handler), std::future::pending()).await;
    Ok(())
}
