//! The behaviours of ACTS, selected by the first text of a task.

mod parse;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sabir::prelude::*;
use serde_json::json;
use std::time::Duration;

/// How long `tck-long-running` works: longer than the second between two polls of the kit.
const LONG: Duration = Duration::from_millis(1300);

type Played = Result<(), ExecutorError>;

/// The beginning of a text, and what it makes the agent do.
type Behaviour = (&'static str, fn(Turn) -> BoxFuture<'static, Played>);

/// The behaviour of the client comes last: the kit does not want it declared.
const BEHAVIOURS: [Behaviour; 16] = [
    ("tck-complete-task", |turn| complete(turn).boxed()),
    ("tck-long-running", |turn| long_running(turn).boxed()),
    ("tck-multi-turn", |turn| multi_turn(turn).boxed()),
    ("tck-stream-basic", |turn| stream_basic(turn).boxed()),
    ("tck-message-response", |turn| message_response(turn).boxed()),
    ("tck-cancel", |turn| until_canceled(turn).boxed()),
    ("tck-task-failure", |turn| failure(turn).boxed()),
    ("tck-stream-chunked", |turn| stream_chunked(turn).boxed()),
    ("tck-auth-required", |turn| auth_required(turn).boxed()),
    ("tck-artifact-text", |turn| result(turn, "Generated text content".into()).boxed()),
    ("tck-artifact-data", |turn| result(turn, data()).boxed()),
    ("tck-artifact-file", |turn| result(turn, named(Part::raw(&b"tck"[..]))).boxed()),
    ("tck-artifact-file-url", |turn| result(turn, named(Part::url(URL))).boxed()),
    ("tck-input-required", |turn| input_required(turn).boxed()),
    ("tck-reject-task", |turn| reject(turn).boxed()),
    ("tck-client-parse", |turn| parse::play(turn).boxed()),
];

const URL: &str = "https://example.com/output.txt";

/// The beginnings of texts that `acts/sut-behaviors.yaml` declares.
pub const PREFIXES: [&str; 15] = {
    let mut prefixes = [""; 15];
    let mut n = 0;
    while n < prefixes.len() {
        prefixes[n] = BEHAVIOURS[n].0;
        n += 1;
    }
    prefixes
};

/// The behaviour that a message asks for, else the one that its task was started with.
pub(crate) fn asked(turn: &Turn) -> Option<String> {
    let named = |message: &Message| {
        message.parts.iter().find_map(Part::as_text).and_then(name).map(str::to_owned)
    };
    named(turn.message()).or_else(|| {
        (turn.number() > 1).then(|| turn.task()).and_then(|task| named(task.history.first()?))
    })
}

/// The longest beginning that is a name: `tck`, and words of small letters and digits after dashes.
fn name(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix("tck")?;
    let mut end = 0;
    while let Some(word) = rest.strip_prefix('-') {
        let is_odd = |c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit();
        let size = word.find(is_odd).unwrap_or(word.len());
        if size == 0 {
            break;
        }
        rest = &word[size..];
        end = text.len() - rest.len();
    }
    (end > 0).then(|| &text[..end])
}

/// Plays a behaviour; one that nobody knows fails and says so.
pub(crate) async fn play(name: &str, turn: Turn) -> Played {
    match BEHAVIOURS.iter().find(|(known, _)| *known == name) {
        Some((_, play)) => play(turn).await,
        None => Ok(turn.failed(format!("there is no behaviour `{name}`")).await?),
    }
}

async fn complete(turn: Turn) -> Played {
    Ok(turn.completed("Hello from the conformance agent").await?)
}

/// Works at once, so that whoever asks next sees it working.
async fn long_running(turn: Turn) -> Played {
    turn.working("Working on it").await?;
    tokio::select! {
        () = turn.canceled() => return Ok(()),
        () = tokio::time::sleep(LONG) => {}
    }
    result(turn, "The result of long work".into()).await
}

/// Asks for more until it is told that this was all.
async fn multi_turn(turn: Turn) -> Played {
    let is_done = turn.text().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("done"));
    if is_done {
        return Ok(turn.completed("All turns are done").await?);
    }
    Ok(turn.input_required("Say more, or `done`").await?)
}

async fn stream_basic(turn: Turn) -> Played {
    turn.working("Working on it").await?;
    result(turn, "Streamed text content".into()).await
}

async fn message_response(turn: Turn) -> Played {
    Ok(turn.reply("Direct message response").await?)
}

async fn until_canceled(turn: Turn) -> Played {
    turn.working("Working until canceled").await?;
    turn.canceled().await;
    Ok(())
}

async fn failure(turn: Turn) -> Played {
    Ok(turn.failed("The task failed, as it was asked to").await?)
}

async fn stream_chunked(turn: Turn) -> Played {
    turn.working(()).await?;
    for (number, last) in [(1, false), (2, false), (3, true)] {
        let chunk = Artifact::new("chunks").with_id("chunks").text(format!("chunk-{number} "));
        turn.append(chunk, last).await?;
    }
    Ok(turn.completed(()).await?)
}

async fn auth_required(turn: Turn) -> Played {
    Ok(turn.auth_required("Authorise this, then say so").await?)
}

async fn input_required(turn: Turn) -> Played {
    Ok(turn.input_required("More input is needed").await?)
}

async fn reject(turn: Turn) -> Played {
    Ok(turn.rejected("rejected").await?)
}

/// Completes with an artifact of one part.
async fn result(turn: Turn, part: Part) -> Played {
    turn.artifact(Artifact::new("result").part(part)).await?;
    Ok(turn.completed("Done").await?)
}

fn data() -> Part {
    Part::data(json!({"key": "value", "count": 42}))
}

fn named(part: Part) -> Part {
    part.with_filename("output.txt").with_media_type("text/plain")
}

#[cfg(test)]
mod tests {
    use super::{PREFIXES, name};

    #[test]
    fn the_longest_beginning_that_is_a_name_selects() {
        for (text, found) in [
            ("tck-complete-task", Some("tck-complete-task")),
            ("tck-complete-task and more", Some("tck-complete-task")),
            ("tck-artifact-file-url: x", Some("tck-artifact-file-url")),
            ("tck-stream-basic--x", Some("tck-stream-basic")),
            ("tck-Complete", None),
            ("tck", None),
            ("tckx-complete", None),
            ("please tck-complete-task", None),
            ("tck-ä", None),
        ] {
            assert_eq!(name(text), found, "{text}");
        }
    }

    #[test]
    fn what_is_declared_to_acts_is_what_is_played() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../acts/sut-behaviors.yaml");
        let text = std::fs::read_to_string(file).unwrap();
        let declared: Vec<_> =
            text.lines().filter_map(|line| line.trim().strip_prefix("- prefix: ")).collect();
        assert_eq!(declared, PREFIXES);
    }
}
