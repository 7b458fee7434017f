//! Keeps what a child process prints, and wakes whoever waits for a line of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Child;
use tokio::sync::Notify;

/// The lines of both streams of a child process.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    printed: Mutex<Printed>,
    changed: Notify,
}

#[derive(Debug)]
struct Printed {
    lines: Vec<String>,
    open_streams: usize,
}

impl Lines {
    /// Reads until the child closes both streams, which keeps its pipes from filling up.
    pub(super) fn follow(child: &mut Child) -> Self {
        let printed = Mutex::new(Printed { lines: Vec::new(), open_streams: 2 });
        let lines = Self { shared: Arc::new(Shared { printed, changed: Notify::new() }) };
        tokio::spawn(lines.clone().read(child.stdout.take()));
        tokio::spawn(lines.clone().read(child.stderr.take()));
        lines
    }

    async fn read(self, stream: Option<impl AsyncRead + Unpin>) {
        if let Some(stream) = stream {
            let mut lines = BufReader::new(stream).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                self.printed().lines.push(line);
                self.shared.changed.notify_waiters();
            }
        }
        self.printed().open_streams -= 1;
        self.shared.changed.notify_waiters();
    }

    /// The first line that `pick` takes something from; `None` when the child printed its last.
    pub(super) async fn find<T>(&self, pick: impl Fn(&str) -> Option<T>) -> Option<T> {
        loop {
            let changed = self.shared.changed.notified();
            {
                let printed = self.printed();
                let found = printed.lines.iter().find_map(|line| pick(line));
                if found.is_some() || printed.open_streams == 0 {
                    return found;
                }
            }
            changed.await;
        }
    }

    /// Everything printed so far.
    pub(super) fn text(&self) -> String {
        self.printed().lines.join("\n")
    }

    fn printed(&self) -> MutexGuard<'_, Printed> {
        // A line is pushed whole or not at all, so a poisoned list is as good as any.
        self.shared.printed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
