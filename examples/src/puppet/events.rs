//! Scripts about statuses and artifacts, and how they come.

use super::play::Play;
use super::script::Played;
use sabir::prelude::*;
use sabir::types::ArtifactId;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

/// The longest gap between two ticks.
const LONGEST_GAP_MS: u64 = 750;

/// After so many events in a row the others on the thread get a chance.
const PACE: u64 = 64;

pub(super) async fn echo(play: Play) -> Played {
    play.turn.artifact(Artifact::default().text(play.rest)).await?;
    play.turn.completed(()).await?;
    Ok(())
}

pub(super) async fn parts(play: Play) -> Played {
    let parts = play.turn.message().parts.iter().skip(1).cloned();
    let artifact = parts.fold(Artifact::new("parts"), Artifact::part);
    if artifact.parts.is_empty() {
        play.turn.rejected("`parts` wants other parts beside the word, such as a file.").await?;
        return Ok(());
    }
    play.turn.artifact(artifact).await?;
    play.turn.completed(()).await?;
    Ok(())
}

pub(super) async fn msg(play: Play) -> Played {
    play.turn.reply(play.rest).await?;
    Ok(())
}

pub(super) async fn slow(play: Play) -> Played {
    let Some(seconds) = play.number("slow").await? else { return Ok(()) };
    play.turn.working(()).await?;
    for second in 1..=seconds {
        if !play.wait(SECOND).await {
            return Ok(());
        }
        play.turn.working(format!("{second}/{seconds}")).await?;
    }
    play.turn.artifact(Artifact::new("result").text("slow and steady")).await?;
    play.turn.completed("done").await?;
    Ok(())
}

pub(super) async fn ticks(play: Play) -> Played {
    let Some(count) = play.number("ticks").await? else { return Ok(()) };
    for tick in 1..=count {
        if !play.wait(random_gap()).await {
            return Ok(());
        }
        play.turn.working(format!("{tick}/{count}")).await?;
    }
    play.turn.completed("done").await?;
    Ok(())
}

/// Good enough for a gap: the keys of a hash map are random.
fn random_gap() -> Duration {
    Duration::from_millis(RandomState::new().hash_one(()) % (LONGEST_GAP_MS + 1))
}

pub(super) async fn burst(play: Play) -> Played {
    let Some(count) = play.number("burst").await? else { return Ok(()) };
    for number in 1..=count {
        if play.turn.is_canceled() {
            return Ok(());
        }
        play.turn.working(format!("{number}/{count}")).await?;
        breathe(number).await;
    }
    play.turn.completed("done").await?;
    Ok(())
}

pub(super) async fn chunks(play: Play) -> Played {
    let id = ArtifactId::new("chunks");
    let mut pieces = play.rest.split('|').peekable();
    while let Some(piece) = pieces.next() {
        let chunk = Artifact::new("chunks").with_id(&id).text(piece);
        play.turn.append(chunk, pieces.peek().is_none()).await?;
    }
    play.turn.completed("done").await?;
    Ok(())
}

pub(super) async fn blob(play: Play) -> Played {
    let Some(count) = play.number("blob").await? else { return Ok(()) };
    let id = ArtifactId::new("blob");
    for number in 1..=count {
        if play.turn.is_canceled() {
            return Ok(());
        }
        let chunk = Artifact::new("blob").with_id(&id).text(format!("{number}\n"));
        play.turn.append(chunk, number == count).await?;
        breathe(number).await;
    }
    play.turn.completed("done").await?;
    Ok(())
}

async fn breathe(number: u64) {
    if number.is_multiple_of(PACE) {
        tokio::task::yield_now().await;
    }
}

pub(super) async fn detach(play: Play) -> Played {
    let Some(seconds) = play.number("detach").await? else { return Ok(()) };
    play.turn.working("working on in the background").await?;
    tokio::spawn(async move {
        if !play.wait(Duration::from_secs(seconds)).await {
            return;
        }
        // Whoever reads learns of a failure here by the task's state: the turn ends with `play`.
        if play.turn.artifact(Artifact::new("result").text("done in the background")).await.is_ok()
        {
            let _ = play.turn.completed("done").await;
        }
    });
    Ok(())
}
