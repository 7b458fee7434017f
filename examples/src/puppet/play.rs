//! What a script has at hand.

use super::book::Book;
use sabir::engine::EmitError;
use sabir::prelude::*;
use std::sync::Arc;
use std::time::Duration;

/// The greatest number a script takes.
const MOST: u64 = 1_000_000;

/// One performance of a script.
pub(super) struct Play {
    pub(super) turn: Turn,
    /// The text after the first word.
    pub(super) rest: String,
    pub(super) book: Arc<Book>,
}

impl Play {
    /// The number after the word. Without a good one the task is rejected.
    pub(super) async fn number(&self, word: &str) -> Result<Option<u64>, EmitError> {
        let number = self.rest.trim().parse().ok().filter(|n| *n <= MOST);
        if number.is_none() {
            let usage = format!("`{word}` wants a whole number up to {MOST}, such as `{word} 3`.");
            self.turn.rejected(usage).await?;
        }
        Ok(number)
    }

    /// Waits; false when the task was canceled meanwhile.
    pub(super) async fn wait(&self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            () = self.turn.canceled() => false,
        }
    }
}
