//! Keeps count of starts and side effects, in memory or in files that outlive the process.

use parking_lot::Mutex;
use sabir::prelude::*;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The puppet's counts.
#[derive(Debug)]
pub(super) struct Book {
    starts: Tally,
    effects: Tally,
    late: Mutex<Option<String>>,
}

impl Book {
    /// Counts that end with the process.
    pub(super) fn in_memory() -> Self {
        Self::new(Tally::in_memory(), Tally::in_memory())
    }

    /// Counts in files of a folder, which go on from what is there.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let starts = Tally::open(&folder.join("puppet-starts.log"))?;
        let effects = Tally::open(&folder.join("puppet-effects.log"))?;
        Ok(Self::new(starts, effects))
    }

    fn new(starts: Tally, effects: Tally) -> Self {
        Self { starts, effects, late: Mutex::new(None) }
    }

    /// A script starts.
    pub(super) fn started(&self, turn: &Turn, script: &str) -> io::Result<()> {
        self.starts.count(|| {
            let message = &turn.message().message_id;
            json!({"messageId": message.as_str(), "taskId": turn.task_id().as_str(), "script": script})
                .to_string()
        })
    }

    /// A side effect happens.
    pub(super) fn effect(&self, turn: &Turn) -> io::Result<()> {
        self.effects.count(|| turn.task_id().to_string())
    }

    /// The agent said something after the end, and was told this.
    pub(super) fn was_late(&self, told: String) {
        *self.late.lock() = Some(told);
    }

    /// What `count` answers.
    pub(super) fn summary(&self) -> String {
        let late = self.late.lock();
        let late = late.as_deref().map_or(String::new(), |told| format!(", when late: {told}"));
        format!("starts: {}, side effects: {}{late}", self.starts.total(), self.effects.total())
    }
}

/// A count, with a line in a file for each.
#[derive(Debug)]
struct Tally {
    total: AtomicU64,
    file: Option<File>,
}

impl Tally {
    fn in_memory() -> Self {
        Self { total: AtomicU64::new(0), file: None }
    }

    fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let total = AtomicU64::new(lines(&mut file)?);
        Ok(Self { total, file: Some(file) })
    }

    fn count(&self, line: impl FnOnce() -> String) -> io::Result<()> {
        if let Some(mut file) = self.file.as_ref() {
            // One write appends the whole line, whoever else writes. It outlives the process
            // without a sync, and is too short to be worth a thread of its own.
            file.write_all((line() + "\n").as_bytes())?;
        }
        self.total.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

fn lines(file: &mut File) -> io::Result<u64> {
    let mut block = [0; 16 << 10];
    let mut lines = 0;
    loop {
        match file.read(&mut block)? {
            0 => return Ok(lines),
            read => lines += block[..read].iter().filter(|byte| **byte == b'\n').count() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn a_count_goes_on_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.log");
        for before in [0, 2] {
            let tally = Tally::open(&path).unwrap();
            assert_eq!(tally.total(), before);
            tally.count(|| "a".to_owned()).unwrap();
            tally.count(|| "b".to_owned()).unwrap();
            assert_eq!(tally.total(), before + 2);
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), "a\nb\na\nb\n");
    }
}
