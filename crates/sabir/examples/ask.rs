use sabir::prelude::*;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = Client::connect("http://127.0.0.1:9000").await?;
    match agent.send("Good morning").await? {
        SendMessageResponse::Task(task) => {
            println!("{}: {}", task.state(), task.status.message.unwrap_or_default().text())
        }
        SendMessageResponse::Message(reply) => println!("{}", reply.text()),
        _ => {}
    }
    Ok(())
}
