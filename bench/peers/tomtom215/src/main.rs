//! An echo agent on the SDK of tomtom215, with the events of its `hello-agent` example.

use a2a_protocol_sdk::prelude::*;
use a2a_protocol_sdk::server::push::SqlitePushConfigStore;
use a2a_protocol_sdk::server::store::SqliteTaskStore;
use clap::Parser;
use std::error::Error;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

/// Serves an echo agent on the SDK of tomtom215
#[derive(Parser)]
struct Args {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Keep tasks in an SQLite file in this folder, as the SDK opens one
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

/// Echoes; `blob K` gives an artifact of K chunks instead.
struct Echo;

agent_executor!(Echo, |ctx, queue| async {
    let emit = EventEmitter::new(ctx, queue);
    emit.status(TaskState::Working).await?;
    let text = ctx.message.text().unwrap_or_default();
    match text.strip_prefix("blob ").and_then(|count| count.parse::<u64>().ok()) {
        Some(count) => {
            for number in 1..=count {
                let part = Part::text(format!("{number}\n"));
                let (append, last) = (Some(number > 1), Some(number == count));
                emit.artifact("blob", vec![part], append, last).await?;
                // Lets the reader in, or it would be told that it lags.
                tokio::task::yield_now().await;
            }
        }
        None => {
            let echo = Part::text(format!("Echo: {text}"));
            emit.artifact("echo", vec![echo], None, Some(true)).await?;
        }
    }
    emit.status(TaskState::Completed).await
});

fn card(url: &str) -> AgentCard {
    AgentCard::new("Echo Agent", "1.0.0", AgentInterface::jsonrpc(url))
        .with_description("Echoes the user's message back as a response")
        .with_skill(AgentSkill::new("echo", "Echo", "Returns the message.").with_tags(["demo"]))
        .with_capabilities(AgentCapabilities::none().with_streaming(true))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let url = format!("http://127.0.0.1:{}", args.port);
    let mut builder = RequestHandlerBuilder::new(Echo).with_agent_card(card(&url));
    if let Some(folder) = args.data {
        let url = format!("sqlite://{}", folder.join("a2a.db").display());
        builder = builder
            .with_task_store(SqliteTaskStore::with_migrations(&url).await?)
            .with_push_config_store(SqlitePushConfigStore::new(&url).await?);
    }
    let dispatcher = JsonRpcDispatcher::new(Arc::new(builder.build()?));
    let address = serve_with_addr((Ipv4Addr::LOCALHOST, args.port), dispatcher).await?;
    eprintln!("Listening on http://{address}");
    std::future::pending().await
}
