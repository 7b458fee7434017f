//! Scripts that end or interrupt a task with something said.

use super::play::Play;
use super::script::Played;

pub(super) async fn ask(play: Play) -> Played {
    play.turn.input_required("What next?").await?;
    Ok(())
}

pub(super) async fn auth(play: Play) -> Played {
    play.turn.auth_required("Log in, then say what next.").await?;
    Ok(())
}

pub(super) async fn reject(play: Play) -> Played {
    play.turn.rejected("rejected").await?;
    Ok(())
}

pub(super) async fn count(play: Play) -> Played {
    play.turn.completed(play.book.summary()).await?;
    Ok(())
}
