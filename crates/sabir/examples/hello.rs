//! An agent that greets.

use sabir::prelude::*;

struct Hello;

#[async_trait]
impl Executor for Hello {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        turn.completed(format!("Hello! You said: {}", turn.text())).await?;
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), ServerError> {
    let skill = AgentSkill::new("hello", "Say hello", "Answers any message").tags(["demo"]);
    let card = AgentCard::new("Hello Agent", "Says hello").with_skill(skill);
    Server::new(card, Hello).listen("127.0.0.1:9000").await
}
