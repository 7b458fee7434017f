//! Delegates a contract review: finds the agent, asks vaguely, answers its question on the same
//! task, and prints what comes back.
//!
//! `sabir up` in one terminal, and in another:
//! `cargo run -p sabir-examples --example delegate`

use sabir::prelude::*;
use std::error::Error;

/// Where `sabir up` serves the reviewer's card.
const REVIEWER: &str = "http://127.0.0.1:7420/agents/contract-review/.well-known/agent-card.json";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let card = std::env::args().nth(1);
    println!("{}", delegate(card.as_deref().unwrap_or(REVIEWER)).await?);
    Ok(())
}

/// Has a contract reviewed by the agent of this card, and returns what it found.
pub(crate) async fn delegate(card: &str) -> Result<String, Box<dyn Error>> {
    let agent = Client::connect(card).await?;
    if let Some(found) = agent.card() {
        println!("found: {}: {}", found.name, found.description);
    }
    let mut task = show(agent.send("Please review my contract.").await?)?;
    if task.state() == TaskState::InputRequired {
        task = show(agent.task(&task.id).reply("HD-2026-014").await?)?;
    }
    Ok(task.text())
}

/// Prints where the task stands and what the agent says about it.
fn show(answer: SendMessageResponse) -> Result<Task, String> {
    let SendMessageResponse::Task(task) = answer else {
        return Err(format!("the agent answered without a task: {answer:?}"));
    };
    let said = task.status.message.as_ref().map(Message::text).unwrap_or_default();
    println!("{}: {said}", task.state());
    Ok(task)
}
