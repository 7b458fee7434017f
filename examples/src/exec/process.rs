//! Starts a command, watches over it, and does not leave before it is gone.

use super::group::Group;
use futures_util::future::maybe_done;
use sabir::prelude::*;
use std::pin::pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdout, Command};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How long what a command leaves in the background may go on after the command has ended.
const LINGER: Duration = Duration::from_millis(250);

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// Because it was told to.
    Stopped,
    /// Because nobody could take what it wrote.
    Unreadable(ExecutorError),
}

/// A running command. Dropped, it is killed.
pub(super) struct Process {
    child: Child,
    group: Group,
    feeding: Option<AbortOnDropHandle<()>>,
    is_reaped: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_reaped {
            self.group.kill();
        }
    }
}

impl Process {
    /// Starts a command in a process group of its own.
    pub(super) fn start(command: &str, env: &[(&str, String)]) -> std::io::Result<Self> {
        let child = Command::new("sh")
            .args(["-c", command])
            .envs(env.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let group = Group::of(&child).ok_or_else(|| std::io::Error::other("it has no id"))?;
        Ok(Self { child, group, feeding: None, is_reaped: false })
    }

    /// Writes its standard input, beside everything else: a command may write before it reads.
    pub(super) fn feed(&mut self, text: String) {
        let Some(mut stdin) = self.child.stdin.take() else { return };
        let feed = async move {
            // A command is free not to read what it is given.
            let _ = stdin.write_all(text.as_bytes()).await;
        };
        self.feeding = Some(AbortOnDropHandle::new(tokio::spawn(feed)));
    }

    /// Its standard output and standard error; can be taken once.
    pub(super) fn outputs(&mut self) -> (ChildStdout, ChildStderr) {
        let outputs = self.child.stdout.take().zip(self.child.stderr.take());
        outputs.expect("both are piped and not taken yet")
    }

    /// Follows the command to its end: cancellation of the turn asks it to end, `kill` ends it.
    /// Nothing of it runs any more when this returns.
    ///
    /// `reading` takes its outputs; it ends soon after `gone` is raised.
    pub(super) async fn supervise(
        &mut self,
        turn: &Turn,
        kill: &CancellationToken,
        gone: &CancellationToken,
        reading: impl Future<Output = Result<(), ExecutorError>>,
    ) -> std::io::Result<Ending> {
        let group = self.group;
        let mut reading = pin!(maybe_done(reading));
        let mut ended = pin!(group.leader_ended());
        let by_itself = tokio::select! {
            biased;
            () = &mut ended => true,
            () = turn.canceled() => false,
            () = kill.cancelled() => false,
            () = and_then_wait(reading.as_mut()) => false,
        };
        if by_itself {
            tokio::select! {
                () = reading.as_mut() => {}
                () = sleep(LINGER) => {}
                () = kill.cancelled() => {}
            }
        } else {
            group.terminate();
            // Whoever still holds the outputs may be cleaning up.
            let all_ended = async { futures_util::join!(ended, reading.as_mut()) };
            tokio::select! {
                _ = all_ended => {}
                () = kill.cancelled() => {}
            }
        }
        let status = self.end().await?;
        gone.cancel();
        reading.as_mut().await;
        Ok(match reading.take_output() {
            Some(Err(error)) => Ending::Unreadable(error),
            _ if by_itself => Ending::Exited(status),
            _ => Ending::Stopped,
        })
    }

    /// Kills what is left, and waits until it is gone.
    async fn end(&mut self) -> std::io::Result<ExitStatus> {
        self.feeding = None;
        self.group.kill();
        let status = self.child.wait().await?;
        self.is_reaped = true;
        self.group.gone().await;
        Ok(status)
    }
}

/// Keeps a future going beside others, and lets them decide.
async fn and_then_wait(future: impl Future<Output = ()>) {
    future.await;
    std::future::pending::<()>().await;
}
