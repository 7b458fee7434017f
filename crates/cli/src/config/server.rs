//! What `sabir.toml` and `SABIR_*` say about serving agents.

mod apply;
mod explain;
mod load;
mod show;

pub(crate) use load::{Flags, load};

use super::value::{List, Listen, Secret, Size, Span};
use serde::Deserialize;
use std::path::PathBuf;

/// Every setting of a server; what is `None` has a default that depends on the command.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// Where to listen.
    pub(crate) listen: Option<Listen>,
    /// The address under which others reach the server, if a proxy stands before it.
    pub(crate) public_url: Option<String>,
    /// The certificate to show.
    pub(crate) tls: Tls,
    /// The folder of the database.
    pub(crate) data: Option<PathBuf>,
    /// When what is written to the database counts as kept.
    pub(crate) synchronous: Synchronous,
    /// Keep everything in memory, whatever `data` says.
    pub(crate) memory: bool,
    /// Who may call; without any, everybody may.
    pub(crate) users: Vec<User>,
    /// Whether callers without credentials are served beside the users.
    pub(crate) anonymous: bool,
    /// Which repeated messages are recognised.
    pub(crate) idempotency: Idempotency,
    /// Which media types of parts are taken.
    pub(crate) input_modes: InputModes,
    /// Which revision's HTTP and gRPC codes errors have.
    pub(crate) error_table: ErrorTable,
    /// Host names that a server on a loopback address answers to, besides loopback ones.
    pub(crate) allowed_hosts: List,
    /// Proxies whose forwarding headers are believed.
    pub(crate) trusted_proxies: List,
    /// The bindings that are served, the preferred one first.
    pub(crate) bindings: List,
    /// Whether A2A 0.3 is served as well.
    pub(crate) v0_3: bool,
    /// How the bytes of files stand in HTTP+JSON and gRPC of 0.3.
    pub(crate) v0_3_file_bytes: FileBytes,
    /// How long a card may be cached.
    pub(crate) card_max_age: Option<Span>,
    /// After how much silence a stream gets a comment.
    pub(crate) heartbeat: Option<Span>,
    /// How long a server that was told to stop goes on with what is under way.
    pub(crate) drain: Option<Span>,
    /// How long things are kept.
    pub(crate) retention: Retention,
    /// How long running tasks are waited for.
    pub(crate) tasks: Tasks,
    /// How much of everything is taken.
    pub(crate) limits: Limits,
    /// Where events may be sent.
    pub(crate) webhooks: Webhooks,
    /// How events are sent.
    pub(crate) push: Push,
}

/// A principal and what proves it: exactly one of the four.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    /// The principal's name: the owner of its tasks.
    pub(crate) name: String,
    /// A bearer token.
    pub(crate) token: Option<Secret>,
    /// The environment variable that holds the bearer token.
    pub(crate) token_env: Option<String>,
    /// An API key.
    pub(crate) api_key: Option<Secret>,
    /// The environment variable that holds the API key.
    pub(crate) api_key_env: Option<String>,
}

/// `synchronous`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Synchronous {
    #[default]
    Full,
    Normal,
}

/// `idempotency`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Idempotency {
    #[default]
    All,
    Authenticated,
    Off,
}

/// `input_modes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum InputModes {
    #[default]
    Card,
    Any,
}

/// `error_table`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) enum ErrorTable {
    #[default]
    #[serde(rename = "1.0.1")]
    V1_0_1,
    #[serde(rename = "1.0.0")]
    V1_0_0,
}

/// `v0_3_file_bytes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FileBytes {
    #[default]
    Text,
    Plain,
}

/// `[tls]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tls {
    /// The file with the certificate and those it depends on, in PEM.
    pub(crate) cert: Option<PathBuf>,
    /// The file with its key, in PEM.
    pub(crate) key: Option<PathBuf>,
}

/// `[retention]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Retention {
    pub(crate) tasks: Option<usize>,
    pub(crate) bytes: Option<Size>,
    pub(crate) finished: Option<Span>,
    pub(crate) waiting: Option<Span>,
    pub(crate) resume: Option<Span>,
    pub(crate) messages: Option<usize>,
    pub(crate) message_age: Option<Span>,
    pub(crate) anonymous_message_age: Option<Span>,
}

/// `[tasks]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tasks {
    pub(crate) grace: Option<Span>,
    pub(crate) abandoned: Option<Span>,
    pub(crate) first_event: Option<Span>,
}

/// `[limits]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Limits {
    pub(crate) body_bytes: Option<Size>,
    pub(crate) json_depth: Option<usize>,
    pub(crate) header_bytes: Option<Size>,
    pub(crate) headers: Option<usize>,
    pub(crate) http2_streams: Option<u32>,
    pub(crate) connections: Option<usize>,
    pub(crate) queue: Option<usize>,
    pub(crate) history: Option<usize>,
    pub(crate) pushes: Option<usize>,
    pub(crate) log_bytes: Option<Size>,
    pub(crate) turn_bytes: Option<Size>,
}

/// `[webhooks]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Webhooks {
    pub(crate) allow_loopback: bool,
}

/// `[push]`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Push {
    pub(crate) settle: Option<Span>,
}
