//! Counts the tests of `cargo test` while it shows what it prints.

use crate::workspace::{Outcome, words};
use std::fmt;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// How many tests ran.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u64,
    failed: u64,
    ignored: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.ignored)
    }
}

impl Tally {
    /// Runs a command, passes its output on, and counts the tests in it.
    pub(crate) fn run(&mut self, command: &mut Command) -> Outcome {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("the tests have no output")?;
        let mut shown = std::io::stdout().lock();
        for line in BufReader::new(output).split(b'\n') {
            let line = line?;
            shown.write_all(&line)?;
            shown.write_all(b"\n")?;
            self.count(&String::from_utf8_lossy(&line));
        }
        let status = child.wait()?;
        if status.success() { Ok(()) } else { Err(format!("{} ({status})", words(command)).into()) }
    }

    /// Counts what a closing line says: `test result: ok. 6 passed; 0 failed; 1 ignored; …`.
    fn count(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result: ") else { return };
        let Some((_, counts)) = result.split_once(". ") else { return };
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let number = number.parse().unwrap_or(0);
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn closing_lines_are_added_up_and_others_are_not() {
        let mut tally = Tally::default();
        for line in [
            "running 6 tests",
            "test a_message_is_answered ... ok",
            "test result: ok. 6 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.10s",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s",
        ] {
            tally.count(line);
        }
        assert_eq!(tally, Tally { passed: 9, failed: 2, ignored: 1 });
        assert_eq!(tally.to_string(), "9 passed, 2 failed, 1 skipped");
    }
}
