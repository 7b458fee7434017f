//! What a server and a client are told: by flags, by the environment, by files.
//!
//! Two sets of settings stand side by side. [`server`] holds what `sabir.toml` and `SABIR_*` say
//! about serving agents. [`client`] holds what `A2ACLI_*`, `.env` and `~/.config/a2a-cli` say about
//! calling them, in the words of the official command line.

pub(crate) mod client;
pub(crate) mod server;
mod suggest;
pub(crate) mod value;

pub(crate) use suggest::suggest;

use std::path::PathBuf;

/// Where the value of a setting came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The command line.
    Flag,
    /// An environment variable.
    Env,
    /// A file of this directory or one named on the command line.
    LocalFile(PathBuf),
    /// A file of the user's configuration directory.
    GlobalFile(PathBuf),
    /// Nobody said anything.
    Default,
}

impl Source {
    /// The source as `config show` names it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Env => "env",
            Self::LocalFile(_) => "local-file",
            Self::GlobalFile(_) => "global-file",
            Self::Default => "default",
        }
    }

    /// The file, if it was one.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::LocalFile(path) | Self::GlobalFile(path) => Some(path),
            _ => None,
        }
    }
}

/// A setting as `config show` prints it.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// The key.
    pub(crate) name: String,
    /// The environment variable that sets it.
    pub(crate) variable: String,
    /// The value, redacted if it is secret; `(unset)` if there is none.
    pub(crate) value: String,
    /// Where it came from.
    pub(crate) source: Source,
}

/// What stands in place of a secret.
pub(crate) const REDACTED: &str = "<redacted>";
/// What stands in place of no value.
pub(crate) const UNSET: &str = "(unset)";
