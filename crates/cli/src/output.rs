//! Prints results on stdout and everything else on stderr.

use crate::failure::{Failure, Kind, Shape};
use crate::text;
use serde::Serialize;
use std::io::{self, Write};

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    #[default]
    Text,
    /// One indented document.
    Json,
    /// One document a line.
    Jsonl,
}

/// Where results go, and in which form.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) shape: Shape,
    /// Whether diagnostics are printed.
    pub(crate) verbose: bool,
}

impl Output {
    /// Whether results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format != Format::Text
    }

    /// The same with one document a line, as streams have.
    pub(crate) fn in_lines(self) -> Self {
        let format = if self.is_json() { Format::Jsonl } else { Format::Text };
        Self { format, ..self }
    }

    /// Prints a result: as JSON, or as the text that `text` makes.
    pub(crate) fn result<T: Serialize>(
        &self,
        value: &T,
        text: impl FnOnce(&T) -> String,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Text => self.text(&text(value)),
            Format::Json | Format::Jsonl => self.json(value),
        }
    }

    /// Prints text as it is.
    pub(crate) fn text(&self, text: &str) -> Result<(), Failure> {
        write(text.as_bytes())
    }

    fn json<T: Serialize>(&self, value: &T) -> Result<(), Failure> {
        let bytes = match self.format {
            Format::Jsonl => serde_json::to_vec(value),
            Format::Text | Format::Json => serde_json::to_vec_pretty(value),
        };
        let mut bytes = bytes
            .map_err(|error| Failure::internal(format!("a result cannot be written: {error}")))?;
        bytes.push(b'\n');
        write(&bytes)
    }

    /// Prints why the command failed: as a document on stdout, or as text on stderr.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.is_json() {
            // If stdout is gone there is nobody left to tell.
            let _ = self.json(&failure.document(self.shape));
            return;
        }
        self.note(&format!("Error: {}", text::clean(&failure.message, 2)));
        if let Some(hint) = &failure.hint {
            self.note(&format!("hint: {}", text::clean(hint, 2)));
        }
    }

    /// Says something on stderr.
    pub(crate) fn note(&self, line: &str) {
        let _ = writeln!(io::stderr(), "{line}");
    }

    /// Says something on stderr if more was asked for.
    pub(crate) fn detail(&self, line: impl FnOnce() -> String) {
        if self.verbose {
            self.note(&format!("# {}", text::clean(&line(), 2)));
        }
    }

    /// Warns on stderr.
    pub(crate) fn warning(&self, line: &str) {
        self.note(&format!("warning: {}", text::clean(line, 2)));
    }
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| {
        let kind = match error.kind() {
            io::ErrorKind::BrokenPipe => Kind::Unread,
            _ => Kind::Internal,
        };
        Failure::new(kind, format!("stdout cannot be written: {error}"))
    })
}
