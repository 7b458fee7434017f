//! Scripts of the official conformance kit (a2a-tck, branch 1.0-dev), selected by the message's id.

use super::play::Play;
use super::script::{Played, Script, script};
use bytes::Bytes;
use sabir::prelude::*;
use serde_json::json;
use std::time::Duration;

/// The beginnings of message ids.
pub(super) const IDS: &[Script] = &[
    script!(Id "tck-complete-task" => complete),
    script!(Id "tck-artifact-text" => artifact_text),
    script!(Id "tck-artifact-file" => artifact_file),
    script!(Id "tck-artifact-file-url" => artifact_file_url),
    script!(Id "tck-artifact-data" => artifact_data),
    script!(Id "tck-message-response" => message_response),
    script!(Id "tck-input-required" => input_required),
    script!(Id "tck-reject-task" => super::questions::reject),
    script!(Id "tck-stream-001" => stream_001),
    script!(Id "tck-stream-002" => complete),
    script!(Id "tck-stream-003" => stream_003),
    script!(Id "tck-stream-ordering-001" => stream_ordering),
    script!(Id "tck-stream-artifact-text" => stream_artifact_text),
    script!(Id "tck-stream-artifact-file" => stream_artifact_file),
    script!(Id "tck-stream-artifact-chunked" => stream_artifact_chunked),
    script!(Id "test-resubscribe-message-id" => resubscribe),
];

async fn complete(play: Play) -> Played {
    play.turn.completed("Hello from TCK").await?;
    Ok(())
}

/// Completes with one artifact of one part.
async fn result(play: Play, part: Part) -> Played {
    play.turn.artifact(Artifact::default().part(part)).await?;
    play.turn.completed(()).await?;
    Ok(())
}

/// The same, and says before that it works.
async fn streamed(play: Play, part: Part) -> Played {
    play.turn.working(()).await?;
    result(play, part).await
}

fn file() -> Part {
    Part::raw(Bytes::from_static(b"tck")).with_filename("output.txt").with_media_type("text/plain")
}

async fn artifact_text(play: Play) -> Played {
    result(play, "Generated text content".into()).await
}

async fn artifact_file(play: Play) -> Played {
    result(play, file()).await
}

async fn artifact_file_url(play: Play) -> Played {
    let part = Part::url("https://example.com/output.txt");
    result(play, part.with_filename("output.txt").with_media_type("text/plain")).await
}

async fn artifact_data(play: Play) -> Played {
    result(play, Part::data(json!({"key": "value", "count": 42}))).await
}

async fn message_response(play: Play) -> Played {
    play.turn.reply("Direct message response").await?;
    Ok(())
}

async fn input_required(play: Play) -> Played {
    play.turn.input_required("More input is needed").await?;
    Ok(())
}

async fn stream_001(play: Play) -> Played {
    streamed(play, "Stream hello from TCK".into()).await
}

async fn stream_003(play: Play) -> Played {
    streamed(play, "Stream task lifecycle".into()).await
}

async fn stream_ordering(play: Play) -> Played {
    streamed(play, "Ordered output".into()).await
}

async fn stream_artifact_text(play: Play) -> Played {
    streamed(play, "Streamed text content".into()).await
}

async fn stream_artifact_file(play: Play) -> Played {
    streamed(play, file()).await
}

async fn stream_artifact_chunked(play: Play) -> Played {
    play.turn.working(()).await?;
    let chunk = |text: &str| Artifact::default().with_id("chunked").text(text);
    play.turn.append(chunk("chunk-1 "), false).await?;
    play.turn.append(chunk("chunk-2"), true).await?;
    play.turn.completed(()).await?;
    Ok(())
}

/// Works for twice the time that the kit allows a stream.
async fn resubscribe(play: Play) -> Played {
    play.turn.working(()).await?;
    let timeout = std::env::var("TCK_STREAMING_TIMEOUT");
    if play.wait(2 * streaming_timeout(timeout.ok().as_deref())).await {
        play.turn.completed(()).await?;
    }
    Ok(())
}

/// The kit's time limit for a stream, in seconds in its environment.
fn streaming_timeout(seconds: Option<&str>) -> Duration {
    let seconds = seconds.and_then(|seconds| seconds.parse().ok());
    seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(Duration::from_secs(2))
}

#[cfg(test)]
mod tests {
    use super::streaming_timeout;
    use std::time::Duration;

    #[test]
    fn the_kits_time_limit_is_two_seconds_unless_it_says_otherwise() {
        assert_eq!(streaming_timeout(Some("0.5")), Duration::from_millis(500));
        for other in [None, Some(""), Some("-1"), Some("soon"), Some("inf")] {
            assert_eq!(streaming_timeout(other), Duration::from_secs(2), "{other:?}");
        }
    }
}
