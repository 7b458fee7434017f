//! Delegates a contract review: finds the agent, asks vaguely, answers its question on the same
//! task, and prints what comes back.
//!
//! `sabir up` in one terminal, and in another:
//! `cargo run -p sabir-examples --example delegate`

use sabir::prelude::*;
use std::error::Error;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1);
    let url = url.as_deref().unwrap_or("http://127.0.0.1:7420/agents/contract-review");
    let agent = Client::connect(url).await?;
    if let Some(found) = agent.card() {
        println!("found:    {}: {}", found.name, found.description);
    }

    let mut task = show(agent.send("Please review my contract.").await?)?;
    if task.state() == TaskState::InputRequired {
        task = show(agent.task(&task.id).reply("HD-2026-014").await?)?;
    }
    println!("{}", task.text());
    Ok(())
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
