//! Makes an agent of a command: each message runs it once, the text on its standard input.

mod capture;
mod chunks;
mod group;
mod process;

use crate::cards;
use sabir::prelude::*;
use std::process::ExitStatus;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use capture::{Output, Sink, Source, Tail};
use chunks::Chunks;
use process::{Ending, Process};

/// How a command is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecConfig {
    /// The command, for `sh -c`.
    pub command: String,
    /// Splits what the command writes into chunks that are shown as they come; without it the
    /// whole is shown at the end.
    pub chunk: Option<String>,
    /// Commands that run at the same time, at least 1; further messages wait for their turn.
    pub processes: usize,
    /// Bytes a command may write to its standard output; one that writes more is ended.
    pub output_bytes: usize,
    /// Bytes of its standard error that are kept; the last ones count.
    pub error_bytes: usize,
}

impl ExecConfig {
    /// Runs the command at most 32 times at once, and keeps 8 MiB of its output and 16 KiB of its
    /// errors.
    pub fn new(command: impl Into<String>) -> Self {
        Self {
            command: command.into(),
            chunk: None,
            processes: 32,
            output_bytes: 8 << 20,
            error_bytes: 16 << 10,
        }
    }
}

/// What an agent that runs this command says of itself.
pub fn card(config: &ExecConfig) -> AgentCard {
    let about = "Gives the text of the message to the command and returns what it writes.";
    AgentCard {
        // Output that is not UTF-8 is returned as it is.
        default_output_modes: cards::modes(["text/plain", "application/octet-stream"]),
        ..AgentCard::new("Exec Agent", format!("Wraps command: {}", config.command))
            .with_capabilities(cards::streaming(config.chunk.is_some()))
            .with_skill(AgentSkill::new("exec", "Run the command", about).tags(["command"]))
    }
}

/// Runs a command for each message; every message is a new task.
///
/// The command and whatever it starts are one process group. Cancellation sends it SIGTERM; when
/// the engine drops the executor, because the grace is over or the server ends, the group is
/// killed. The task is not over, and so not canceled, before the group is gone. What the command
/// leaves running in the background is killed too. A process that leaves the group (`setsid`) is
/// out of reach.
///
/// The command finds `A2A_TASK_ID`, `A2A_CONTEXT_ID` and `A2A_MESSAGE_ID` in its environment.
#[derive(Clone, Debug)]
pub struct Exec {
    config: Arc<ExecConfig>,
    slots: Arc<Semaphore>,
}

impl Exec {
    /// An executor that runs commands like this.
    pub fn new(config: ExecConfig) -> Self {
        let slots = config.processes.clamp(1, Semaphore::MAX_PERMITS);
        let slots = Arc::new(Semaphore::new(slots));
        Self { config: Arc::new(config), slots }
    }

    /// Waits until one more command may run; `None` when the task is canceled before.
    async fn slot(&self, turn: &Turn) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            slot = self.slots.clone().acquire_owned() => slot.ok(),
            () = turn.canceled() => None,
        }
    }
}

#[async_trait]
impl Executor for Exec {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        let Some(slot) = self.slot(&turn).await else { return Ok(()) };
        turn.working(()).await?;
        // A task of its own holds the turn: this future may be dropped at any time, which kills
        // the command, but the turn must not end before the command is gone.
        let kill = CancellationToken::new();
        let on_drop = kill.clone().drop_guard();
        let run = Run { config: self.config.clone(), turn, kill };
        let result = tokio::spawn(async move {
            let result = run.run().await;
            drop(slot);
            result
        })
        .await?;
        on_drop.disarm();
        result
    }
}

/// The name of the one artifact, also its id, so that chunks find it.
const ARTIFACT: &str = "output";

/// One run of the command.
struct Run {
    config: Arc<ExecConfig>,
    turn: Turn,
    /// Ends the command at once.
    kill: CancellationToken,
}

impl Run {
    async fn run(self) -> Result<(), ExecutorError> {
        let mut process = Process::start(&self.config.command, &self.environment())
            .map_err(|error| ExecutorError::new(format!("the command did not start: {error}")))?;
        process.feed(self.turn.text());
        let mut output = self.output();
        let mut errors = Tail::new(self.config.error_bytes);
        let ending = {
            let gone = CancellationToken::new();
            let (stdout, stderr) = process.outputs();
            let reading = self.read(
                output.read(Source::new(stdout, gone.clone())),
                errors.read(Source::new(stderr, gone.clone())),
            );
            process.supervise(&self.turn, &self.kill, &gone, reading).await?
        };
        match ending {
            // The engine says what became of the task, now that nothing runs any more.
            Ending::Stopped => Ok(()),
            Ending::Unreadable(error) => Err(error),
            Ending::Exited(status) if status.success() => self.succeed(output.sink).await,
            Ending::Exited(status) => {
                if let Sink::Chunks(chunks) = output.sink {
                    chunks.finish().await?;
                }
                Err(failure(status, &errors.text()))
            }
        }
    }

    fn environment(&self) -> [(&'static str, String); 3] {
        [
            ("A2A_TASK_ID", self.turn.task_id().to_string()),
            ("A2A_CONTEXT_ID", self.turn.context_id().to_string()),
            ("A2A_MESSAGE_ID", self.turn.message().message_id.to_string()),
        ]
    }

    fn output(&self) -> Output {
        let sink = match &self.config.chunk {
            None => Sink::Whole(Vec::new()),
            Some(delimiter) => Sink::Chunks(Chunks::new(delimiter, self.turn.clone())),
        };
        Output::new(self.config.output_bytes, sink)
    }

    /// Reads both outputs to their ends; a command whose output nobody can take is ended.
    async fn read(
        &self,
        output: impl Future<Output = Result<(), ExecutorError>>,
        errors: impl Future<Output = ()>,
    ) -> Result<(), ExecutorError> {
        let output = async {
            let result = output.await;
            if result.is_err() {
                self.kill.cancel();
            }
            result
        };
        futures_util::join!(output, errors).0
    }

    async fn succeed(&self, output: Sink) -> Result<(), ExecutorError> {
        match output {
            Sink::Whole(bytes) => {
                self.turn.artifact(artifact(without_newline(bytes))).await?;
            }
            Sink::Chunks(chunks) => chunks.finish().await?,
        }
        self.turn.completed(()).await?;
        Ok(())
    }
}

/// The artifact with these bytes: text, unless they are none.
fn artifact(bytes: Vec<u8>) -> Artifact {
    let part = match String::from_utf8(bytes) {
        Ok(text) => Part::text(text),
        Err(not_text) => {
            Part::raw(not_text.into_bytes()).with_media_type("application/octet-stream")
        }
    };
    Artifact::default().with_id(ARTIFACT).part(part)
}

/// Drops the newline that ends the last line.
fn without_newline(mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.ends_with(b"\n") {
        bytes.pop();
        if bytes.ends_with(b"\r") {
            bytes.pop();
        }
    }
    bytes
}

/// Why the task failed: what the command said, or at least how it ended.
fn failure(status: ExitStatus, errors: &str) -> ExecutorError {
    use std::os::unix::process::ExitStatusExt;
    let errors = errors.trim_end();
    if !errors.is_empty() {
        return ExecutorError::new(errors);
    }
    match (status.code(), status.signal()) {
        (Some(code), _) => ExecutorError::new(format!("exit status {code}")),
        (None, Some(signal)) => ExecutorError::new(format!("ended by signal {signal}")),
        (None, None) => ExecutorError::new(status.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::{artifact, failure, without_newline};
    use sabir::types::Content;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    #[test]
    fn one_trailing_newline_is_dropped() {
        for (written, kept) in
            [("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a", "a"), ("\n", ""), ("", "")]
        {
            assert_eq!(without_newline(written.into()), kept.as_bytes(), "{written:?}");
        }
    }

    #[test]
    fn what_is_not_text_is_returned_as_bytes() {
        assert_eq!(artifact(b"caf\xc3\xa9".to_vec()).to_text(), "café");
        let part = artifact(b"\xff\x00".to_vec()).parts.remove(0);
        assert_eq!(part.content, Content::Raw(b"\xff\x00".to_vec().into()));
        assert_eq!(part.media_type.as_deref(), Some("application/octet-stream"));
    }

    #[test]
    fn a_failure_says_what_the_command_said_or_how_it_ended() {
        let exited = ExitStatus::from_raw(3 << 8);
        assert_eq!(failure(exited, "no such file\n").message(), "no such file");
        assert_eq!(failure(exited, " \n").message(), "exit status 3");
        assert_eq!(failure(ExitStatus::from_raw(9), "").message(), "ended by signal 9");
    }
}
