//! Greets whoever writes: the least an agent needs.

use crate::cards;
use sabir::prelude::*;

/// The port it customarily listens on when it is served alone.
pub const PORT: u16 = 9000;

/// What it says of itself.
pub fn card() -> AgentCard {
    AgentCard::new("Hello Agent", "Greets you and repeats what you said.")
        .with_capabilities(cards::streaming(false))
        .with_skill(
            AgentSkill::new("hello", "Say hello", "Answers any message at once.").tags(["demo"]),
        )
}

/// Completes every message at once; every message is a new task.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hello;

#[async_trait]
impl Executor for Hello {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        turn.completed(greeting(&turn.text())).await?;
        Ok(())
    }
}

/// What it answers.
pub fn greeting(text: &str) -> String {
    format!("Hello! You said: {text}")
}

#[cfg(test)]
mod tests {
    use super::greeting;

    #[test]
    fn it_repeats_what_was_said() {
        assert_eq!(greeting("hello A2A"), "Hello! You said: hello A2A");
        assert_eq!(greeting(""), "Hello! You said: ");
    }
}
