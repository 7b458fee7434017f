//! Calls one operation of an agent by our client, for suites that are written in other languages.

use clap::Parser;
use sabir::Client;
use sabir::client::Transport;
use sabir::types::{Operation, Version};
use serde_json::Value;
use std::error::Error;

/// Calls one operation of an agent, and prints what it answers
#[derive(Parser)]
#[command(name = "ask")]
struct Args {
    /// The URL of the agent or of its card
    card: String,
    /// jsonrpc, rest or grpc
    transport: Transport,
    /// 1.0 or 0.3
    version: Version,
    /// An operation that does not stream, such as `GetTask`
    #[arg(value_parser = operation)]
    operation: Operation,
    /// The request in the JSON of A2A 1.0
    #[arg(value_parser = json)]
    request: Value,
}

fn operation(name: &str) -> Result<Operation, String> {
    Operation::from_name(name).ok_or_else(|| "not an operation of A2A".to_owned())
}

fn json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::parse();
    let builder = Client::builder().card(args.card).transport(args.transport);
    let client = builder.version(args.version).connect().await?;
    let answer = sabir_conformance::ask(&client, args.operation, args.request).await?;
    println!("{answer:#}");
    Ok(())
}
