//! A command as an agent: with its child it ignores signals, and counts.

#![cfg(target_os = "linux")]

use crate::agent::exec;
use sabir_testkit::{DataDir, Program, patiently};
use std::path::Path;
use std::time::Duration;

/// A shell and its child, deaf to what can be ignored.
const DEAF: &str = "trap '' TERM INT; echo $$ > pid; \
    (trap '' TERM INT; while :; do echo x >> counter; sleep 0.02; done) & wait";

/// A deaf command in a directory of its own.
pub(crate) struct Command {
    dir: DataDir,
}

impl Command {
    pub(crate) fn new() -> Self {
        let dir = DataDir::new();
        dir.write("counter", "");
        Self { dir }
    }

    /// A server of it.
    pub(crate) fn program(&self) -> Program {
        exec(DEAF, &self.dir)
    }

    /// How often its child has counted.
    pub(crate) fn counted(&self) -> usize {
        std::fs::read_to_string(self.dir.join("counter")).unwrap().lines().count()
    }

    /// Waits until the process that was started last is gone.
    pub(crate) async fn gone(&self) {
        let pid = std::fs::read_to_string(self.dir.join("pid")).unwrap();
        let process = Path::new("/proc").join(pid.trim());
        let gone = async {
            while process.exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        patiently("the command to be gone", gone).await;
    }
}
