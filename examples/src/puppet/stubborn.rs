//! A script that nobody can stop.

use super::book::Book;
use super::play::Play;
use super::script::Played;
use sabir::prelude::*;
use std::io;
use std::thread;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// The time between two side effects.
const BEAT: Duration = Duration::from_millis(20);

/// Works on a thread of its own, which the engine can neither drop nor interrupt. The thread
/// holds the turn, so the task does not end before it does.
pub(super) async fn stubborn(play: Play) -> Played {
    let Some(seconds) = play.number("stubborn").await? else { return Ok(()) };
    play.turn.working("nobody stops me").await?;
    let (report, reported) = oneshot::channel();
    let runtime = Handle::current();
    thread::Builder::new().name("stubborn".to_owned()).spawn(move || {
        let result = toil(&play.book, &play.turn, Duration::from_secs(seconds));
        let result = result.map_err(ExecutorError::from);
        let result = result.and_then(|()| runtime.block_on(finish(&play.turn)));
        // Nobody listens when the engine has dropped the script.
        let _ = report.send(result);
    })?;
    reported.await?
}

fn toil(book: &Book, turn: &Turn, time: Duration) -> io::Result<()> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        book.effect(turn)?;
        thread::park_timeout(BEAT);
    }
    Ok(())
}

async fn finish(turn: &Turn) -> Played {
    if !turn.is_canceled() {
        turn.artifact(Artifact::new("result").text("done against all odds")).await?;
        turn.completed("done").await?;
    }
    Ok(())
}
