//! Scripts of an agent that goes wrong.

use super::play::Play;
use super::script::Played;
use sabir::prelude::*;

pub(super) async fn fail_before(_: Play) -> Played {
    Err(ExecutorError::new("failed before the first event"))
}

pub(super) async fn fail_after(play: Play) -> Played {
    play.turn.working("about to fail").await?;
    Err(ExecutorError::new("failed after the first event"))
}

pub(super) async fn panic(play: Play) -> Played {
    play.turn.working("about to panic").await?;
    panic!("the puppet was told to");
}

/// Says more after the end, and notes what an author is told then.
pub(super) async fn late(play: Play) -> Played {
    play.turn.completed("done").await?;
    play.book.was_late(match play.turn.working("one more thing").await {
        Ok(()) => "nothing".to_owned(),
        Err(error) => error.to_string(),
    });
    Ok(())
}
