//! What flags, `A2ACLI_*` and the files of the official command line say about calling agents.

mod files;
mod keys;
mod load;

pub(crate) use load::{is_server_file, load};

use super::value::Span;
use super::{REDACTED, Shown, Source, UNSET};
use crate::failure::{Failure, Shape};
use crate::output::Format;
use keys::{KEYS, Key};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A value and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sourced {
    pub(crate) values: Vec<String>,
    pub(crate) source: Source,
}

/// The settings of a call, as text; they are read when they are needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClientConfig {
    values: BTreeMap<&'static str, Sourced>,
    /// Files with secrets that others can read.
    pub(crate) exposed: Vec<PathBuf>,
}

impl ClientConfig {
    /// The value of a setting, if anybody gave one; the last one wins.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(|value| value.values.last()).map(String::as_str)
    }

    /// All values of a setting that may be repeated.
    pub(crate) fn all(&self, key: &str) -> &[String] {
        self.values.get(key).map_or(&[], |value| &value.values)
    }

    /// How strong the source of a setting is; 0 without a value.
    pub(crate) fn strength(&self, key: &str) -> u8 {
        match self.values.get(key).map(|value| &value.source) {
            None | Some(Source::Default) => 0,
            Some(Source::GlobalFile(_)) => 1,
            Some(Source::LocalFile(_)) => 2,
            Some(Source::Env) => 3,
            Some(Source::Flag) => 4,
        }
    }

    /// Whether a switch is on.
    pub(crate) fn is_on(&self, key: &str) -> Result<bool, Failure> {
        match self.get(key).map(str::to_ascii_lowercase).as_deref() {
            None | Some("false" | "0" | "no" | "off" | "") => Ok(false),
            Some("true" | "1" | "yes" | "on") => Ok(true),
            Some(_) => Err(self.wrong(key, "must be `true` or `false`")),
        }
    }

    /// A value read from its text.
    pub(crate) fn parsed<T: FromStr<Err = String>>(&self, key: &str) -> Result<Option<T>, Failure> {
        self.get(key).map(str::parse).transpose().map_err(|error: String| self.wrong(key, &error))
    }

    /// A length of time.
    pub(crate) fn span(&self, key: &str) -> Result<Option<Duration>, Failure> {
        Ok(self.parsed::<Span>(key)?.map(|span| span.0))
    }

    /// How results are printed.
    pub(crate) fn format(&self) -> Result<Format, Failure> {
        match self.get("output") {
            None | Some("text") => Ok(Format::Text),
            Some("json") => Ok(Format::Json),
            Some("jsonl") => Ok(Format::Jsonl),
            Some(_) => Err(self.wrong("output", "must be one of `text`, `json`, `jsonl`")),
        }
    }

    /// Whose JSON and exit codes.
    pub(crate) fn shape(&self) -> Result<Shape, Failure> {
        match self.get("json-shape") {
            None | Some("official") => Ok(Shape::Official),
            Some("spec") => Ok(Shape::Spec),
            Some(_) => Err(self.wrong("json-shape", "must be `official` or `spec`")),
        }
    }

    /// A failure that names the setting the way it was given.
    pub(crate) fn wrong(&self, key: &str, what: &str) -> Failure {
        let place = match self.values.get(key).map(|value| &value.source) {
            Some(Source::Env) => keys::variable(key),
            Some(Source::LocalFile(path) | Source::GlobalFile(path)) => {
                format!("{}: {key}", path.display())
            }
            _ => format!("--{key}"),
        };
        let secret = KEYS.iter().any(|known| known.name == key && known.secret);
        match self.get(key) {
            Some(value) if !secret => Failure::usage(format!("{place} {what}, not `{value}`")),
            _ => Failure::usage(format!("{place} {what}")),
        }
    }

    /// Every setting with its value and where it came from.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        KEYS.iter().map(|key| self.show(key)).collect()
    }

    fn show(&self, key: &Key) -> Shown {
        let (value, source) = match self.values.get(key.name) {
            Some(_) if key.secret => (REDACTED.to_owned(), None),
            Some(value) => (value.values.join(", "), None),
            None => (key.default.unwrap_or(UNSET).to_owned(), Some(Source::Default)),
        };
        let source = source.or_else(|| self.values.get(key.name).map(|value| value.source.clone()));
        Shown {
            name: key.name.to_owned(),
            variable: keys::variable(key.name),
            value,
            source: source.unwrap_or(Source::Default),
        }
    }
}
