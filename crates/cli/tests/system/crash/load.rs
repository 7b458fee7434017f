//! A load of everything that can be acknowledged, until the server is killed.

use super::ledger::{Ledger, Shared};
use crate::caller::{BINDINGS, Caller, Failure};
use crate::dice;
use crate::events::Stream;
use crate::send::Send;
use crate::task;
use futures_util::future::join_all;
use sabir_testkit::Running;
use std::time::Duration;
use tokio::task::JoinSet;

/// Callers at work at once.
const CALLERS: usize = 8;
/// Between two tasks of a caller, so that what they leave can be looked at in reasonable time.
const PAUSE: Duration = Duration::from_millis(8);
/// Messages at once to a task that takes one at a time.
const QUEUED: usize = 6;

/// Works until the server is killed, and gives what it had acknowledged.
pub(super) async fn run(server: Running, time: Duration) -> Ledger {
    let shared = Shared::default();
    let mut callers = JoinSet::new();
    for number in 0..CALLERS {
        let worker =
            Worker { caller: Caller::new(&server, BINDINGS[number % 2]), shared: shared.clone() };
        callers.spawn(async move {
            loop {
                match worker.work().await {
                    Ok(()) => tokio::time::sleep(dice::time_below(PAUSE)).await,
                    Err(Failure::Lost(_)) => return,
                    Err(refused) => panic!("{refused:?}"),
                }
            }
        });
    }
    tokio::time::sleep(time).await;
    server.kill().await;
    callers.join_all().await;
    shared.into_ledger()
}

struct Worker {
    caller: Caller,
    shared: Shared,
}

impl Worker {
    /// One task of some kind.
    async fn work(&self) -> Result<(), Failure> {
        match dice::below(6) {
            0 => self.blocking().await,
            1 => self.question().await,
            2 => self.background().await,
            3 => self.queue().await,
            _ => self.streaming().await,
        }
    }

    async fn blocking(&self) -> Result<(), Failure> {
        let answer = self.caller.send(&Send::new("echo yes")).await?;
        self.shared.lock().answered(task::of(&answer));
        Ok(())
    }

    /// A question, which is answered, or waits for its answer.
    async fn question(&self) -> Result<(), Failure> {
        let asked = self.caller.send(&Send::new(dice::one_of(&["ask", "auth"]))).await?;
        self.shared.lock().answered(task::of(&asked));
        if dice::below(2) == 0 {
            return Ok(());
        }
        let id = task::id(task::of(&asked));
        self.shared.lock().touched(id);
        let answer = self.caller.send(&Send::new("echo yes").to(id)).await?;
        self.shared.lock().answered(task::of(&answer));
        Ok(())
    }

    /// A task that nobody waits for; it may be canceled.
    async fn background(&self) -> Result<(), Failure> {
        let started = self.caller.send(&Send::new("slow 1").immediately()).await?;
        let id = task::id(task::of(&started));
        self.shared.lock().started(id);
        if dice::below(2) == 0 {
            let canceled = self.caller.cancel(id).await?;
            self.shared.lock().answered(&canceled);
        }
        Ok(())
    }

    async fn streaming(&self) -> Result<(), Failure> {
        let scripts = ["ticks 2", "chunks a|b|c", "burst 40", "echo x", "ask"];
        let stream = self.caller.stream(&Send::new(dice::one_of(&scripts))).await?;
        self.record(stream, None).await
    }

    /// Messages that wait for each other.
    async fn queue(&self) -> Result<(), Failure> {
        let asked = self.caller.send(&Send::new("ask")).await?;
        let id = task::id(task::of(&asked));
        self.shared.lock().touched(id);
        let sends = (0..QUEUED).map(|_| async {
            let send = Send::new("ask").to(id);
            let stream = self.caller.stream(&send).await?;
            self.record(stream, Some((id, &send.id))).await
        });
        join_all(sends).await.into_iter().collect()
    }

    /// Follows a stream; its first event says that the message is kept.
    async fn record(
        &self,
        mut stream: Stream,
        queued: Option<(&str, &str)>,
    ) -> Result<(), Failure> {
        let Some(first) = stream.next().await? else {
            return Err(Failure::lost("the server ended a stream before its first event"));
        };
        let number = self.shared.lock().opened(first);
        if let Some((id, message)) = queued {
            self.shared.lock().queued(id, message);
        }
        while let Some(event) = stream.next().await? {
            self.shared.lock().read(number, event);
        }
        Ok(())
    }
}
