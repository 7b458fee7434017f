//! Finds out which kit is asking, and plays what it asks for.

use crate::{acts, itk};
use sabir::prelude::*;
use sabir_examples::puppet::Puppet;

/// Plays what the kits ask for.
#[derive(Debug, Default)]
pub(crate) struct Conformance {
    /// Has the scripts of the official kit.
    puppet: Puppet,
}

#[async_trait]
impl Executor for Conformance {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        if let Some(behaviour) = acts::asked(&turn) {
            return acts::play(&behaviour, turn).await;
        }
        // A text can be read as an instruction by chance, but none that has an id of the kit.
        if !turn.message().message_id.as_str().starts_with("tck-")
            && let Some(instruction) = itk::instruction(turn.message())
        {
            return itk::obey(&instruction, &turn).await;
        }
        self.puppet.play_kit(turn).await
    }
}
