//! The contract reviewer on the official Rust crates, for our client to talk to.
//!
//! It says what `reviewer.json` holds. As our puppet does, it also knows three words for what the
//! conversation does not show: `ticks K` (K numbered statuses), `msg X` (the bare message X) and
//! `parts` (an artifact with the other parts of the message). Prints "Listening on URL" once it can
//! be called.

#[path = "server/reviewer.rs"]
mod reviewer;

use a2a::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, TRANSPORT_PROTOCOL_GRPC,
    TRANSPORT_PROTOCOL_HTTP_JSON, TRANSPORT_PROTOCOL_JSONRPC,
};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::rest::rest_router;
use a2a_server::{
    DefaultRequestHandler, HttpPushSender, HttpPushSenderConfig, InMemoryPushConfigStore,
    InMemoryTaskStore, StaticAgentCard,
};
use interop_support::{Texts, Why};
use reviewer::Reviewer;
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

fn card(name: String, http: &str, grpc: &str) -> AgentCard {
    let skill = AgentSkill {
        id: "risk-review".to_owned(),
        name: "Contract risk review".to_owned(),
        description: "Lists risks.".to_owned(),
        tags: vec!["legal".to_owned()],
        examples: None,
        input_modes: None,
        output_modes: None,
        security_requirements: None,
    };
    let modes = ["text/plain", "application/json", "application/octet-stream"].map(str::to_owned);
    AgentCard {
        name,
        description: "Reviews contracts.".to_owned(),
        version: "1.0.0".to_owned(),
        provider: None,
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(true),
            extensions: None,
            extended_agent_card: None,
        },
        skills: vec![skill],
        default_input_modes: modes.to_vec(),
        default_output_modes: modes.to_vec(),
        supported_interfaces: vec![
            AgentInterface::new(format!("{http}/"), TRANSPORT_PROTOCOL_JSONRPC),
            AgentInterface::new(http, TRANSPORT_PROTOCOL_HTTP_JSON),
            AgentInterface::new(grpc, TRANSPORT_PROTOCOL_GRPC),
        ],
        security_schemes: None,
        security_requirements: None,
        documentation_url: None,
        icon_url: None,
        signatures: None,
    }
}

fn handler(texts: Texts) -> DefaultRequestHandler {
    let sender = HttpPushSender::new(Some(HttpPushSenderConfig {
        // The webhooks of the suite are on loopback addresses.
        validate_urls: false,
        ..HttpPushSenderConfig::default()
    }));
    DefaultRequestHandler::new(Reviewer::new(texts), InMemoryTaskStore::new())
        .with_push_notifications(InMemoryPushConfigStore::new(), sender)
}

#[tokio::main]
async fn main() -> Result<(), Why> {
    let http = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let grpc = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}", http.local_addr()?);
    let texts = Texts::read();
    let card = card(texts.name.clone(), &url, &grpc.local_addr()?.to_string());
    let handler = Arc::new(handler(texts));
    let service = A2aServiceServer::new(GrpcHandler::new(Arc::clone(&handler)));
    let rpc = Server::builder().add_service(service).serve_with_incoming(TcpIncoming::from(grpc));
    let app = jsonrpc_router(Arc::clone(&handler))
        .merge(rest_router(handler))
        .merge(agent_card_router(Arc::new(StaticAgentCard::new(card))));
    // The sockets listen already: who calls now is answered as soon as the servers run.
    println!("Listening on {url}");
    tokio::select! {
        ended = rpc => ended?,
        ended = axum::serve(http, app) => ended?,
    }
    Ok(())
}
