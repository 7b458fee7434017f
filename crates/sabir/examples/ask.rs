//! Greets the agent of `hello.rs` and prints its answer.

use sabir::prelude::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Client::connect("http://127.0.0.1:9000").await?;
    match agent.send("Good morning").await? {
        SendMessageResponse::Task(task) => println!("{}: {}", task.state(), task.said()),
        SendMessageResponse::Message(reply) => println!("{}", reply.text()),
        _ => {}
    }
    Ok(())
}
