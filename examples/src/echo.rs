//! Gives back what it gets, as an artifact.

use crate::cards;
use sabir::prelude::*;

/// What it says of itself.
pub fn card() -> AgentCard {
    AgentCard::new("Echo Agent", "Echoes the user's message back as a response")
        .with_capabilities(cards::streaming(true))
        .with_skill(
            AgentSkill::new("echo", "Echo", "Returns the message as an artifact.").tags(["demo"]),
        )
}

/// Works, returns the parts of the message as one unnamed artifact, and completes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo;

#[async_trait]
impl Executor for Echo {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        turn.working(()).await?;
        let parts = turn.message().parts.clone();
        turn.artifact(Artifact { parts, ..Artifact::default() }).await?;
        turn.completed(()).await?;
        Ok(())
    }
}
