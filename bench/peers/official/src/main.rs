//! An echo agent on the official Rust SDK, with the events of its `helloworld` example.

use a2a::{
    A2AError, AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Artifact, Message, Part,
    PartContent, Role, StreamResponse, TRANSPORT_PROTOCOL_JSONRPC, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent, new_message_id,
};
use a2a_grpc::GrpcHandler;
use a2a_pb::proto::a2a_service_server::A2aServiceServer;
use a2a_server::agent_card::agent_card_router;
use a2a_server::jsonrpc::jsonrpc_router;
use a2a_server::{
    AgentExecutor, DefaultRequestHandler, ExecutorContext, InMemoryTaskStore, StaticAgentCard,
};
use axum::serve::ListenerExt;
use clap::Parser;
use futures::stream::{self, BoxStream, StreamExt};
use std::net::Ipv4Addr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// Serves an echo agent on the official Rust SDK
#[derive(Parser)]
struct Args {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Serve gRPC instead of JSON-RPC
    #[arg(long)]
    grpc: bool,
}

type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

/// Echoes; `blob K` gives an artifact of K chunks instead.
struct Echo;

impl AgentExecutor for Echo {
    fn execute(&self, ctx: ExecutorContext) -> Events {
        let text = ctx.message.as_ref().map(text).unwrap_or_default();
        let working = status(&ctx, TaskState::Working);
        match text.strip_prefix("blob ").and_then(|count| count.parse().ok()) {
            Some(count) => {
                let done = status(&ctx, TaskState::Completed);
                let chunks =
                    stream::iter((1..=count).map(move |number| chunk(&ctx, number, count)));
                // Lets the reader in, or it would be told that it lags.
                let chunks = chunks.then(async |chunk| {
                    tokio::task::yield_now().await;
                    chunk
                });
                let events = stream::iter([working]).chain(chunks).chain(stream::iter([done]));
                events.map(Ok).boxed()
            }
            None => {
                stream::iter([Ok(working), Ok(completed(ctx, format!("Echo: {text}")))]).boxed()
            }
        }
    }

    fn cancel(&self, ctx: ExecutorContext) -> Events {
        stream::iter([Ok(status(&ctx, TaskState::Canceled))]).boxed()
    }
}

fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match &part.content {
        PartContent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn now(state: TaskState, message: Option<Message>) -> TaskStatus {
    TaskStatus { state, message, timestamp: Some(chrono::Utc::now()) }
}

fn status(ctx: &ExecutorContext, state: TaskState) -> StreamResponse {
    StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
        task_id: ctx.task_id.clone(),
        context_id: ctx.context_id.clone(),
        status: now(state, None),
        metadata: None,
    })
}

fn completed(ctx: ExecutorContext, text: String) -> StreamResponse {
    let said = Message {
        role: Role::Agent,
        message_id: new_message_id(),
        task_id: Some(ctx.task_id.clone()),
        context_id: Some(ctx.context_id.clone()),
        parts: vec![Part::text(text)],
        metadata: None,
        extensions: None,
        reference_task_ids: None,
    };
    StreamResponse::Task(Task {
        id: ctx.task_id,
        context_id: ctx.context_id,
        status: now(TaskState::Completed, Some(said)),
        artifacts: None,
        history: None,
        metadata: None,
    })
}

fn chunk(ctx: &ExecutorContext, number: u64, count: u64) -> StreamResponse {
    StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
        task_id: ctx.task_id.clone(),
        context_id: ctx.context_id.clone(),
        artifact: Artifact {
            artifact_id: "blob".to_owned(),
            name: Some("blob".to_owned()),
            description: None,
            parts: vec![Part::text(format!("{number}\n"))],
            metadata: None,
            extensions: None,
        },
        append: Some(number > 1),
        last_chunk: Some(number == count),
        metadata: None,
    })
}

fn card(url: &str) -> AgentCard {
    AgentCard {
        name: "Echo Agent".to_owned(),
        description: "Echoes the user's message back as a response".to_owned(),
        version: "1.0.0".to_owned(),
        provider: None,
        capabilities: AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(false),
            extensions: None,
            extended_agent_card: None,
        },
        skills: vec![AgentSkill {
            id: "echo".to_owned(),
            name: "Echo".to_owned(),
            description: "Returns the message.".to_owned(),
            tags: vec!["demo".to_owned()],
            examples: None,
            input_modes: None,
            output_modes: None,
            security_requirements: None,
        }],
        default_input_modes: vec!["text/plain".to_owned()],
        default_output_modes: vec!["text/plain".to_owned()],
        supported_interfaces: vec![AgentInterface::new(url, TRANSPORT_PROTOCOL_JSONRPC)],
        security_schemes: None,
        security_requirements: None,
        documentation_url: None,
        icon_url: None,
        signatures: None,
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let args = Args::parse();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let handler = Arc::new(DefaultRequestHandler::new(Echo, InMemoryTaskStore::new()));
    if args.grpc {
        eprintln!("Listening on {url}");
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        let service = A2aServiceServer::new(GrpcHandler::new(handler));
        let server = Server::builder().add_service(service).serve_with_incoming(incoming);
        return server.await.map_err(std::io::Error::other);
    }
    let card = Arc::new(StaticAgentCard::new(card(&url)));
    let app = jsonrpc_router(handler).merge(agent_card_router(card));
    eprintln!("Listening on {url}");
    // Its example does not say so, and each of its streams then waits 40 ms for an ACK.
    let listener = listener.tap_io(|io| io.set_nodelay(true).expect("TCP has TCP_NODELAY"));
    axum::serve(listener, app).await
}
