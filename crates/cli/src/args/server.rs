//! The flags of the commands that serve agents.

use clap::Args;
use std::path::PathBuf;

/// Where tasks are kept.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StorageFlags {
    /// Keep tasks in a database in this folder
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    pub(crate) data: Option<PathBuf>,
    /// Keep tasks in memory
    #[arg(long)]
    pub(crate) memory: bool,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct UpArgs {
    /// Where to listen [default: 127.0.0.1:7420]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<String>,
    #[command(flatten)]
    pub(crate) storage: StorageFlags,
    #[command(flatten)]
    pub(crate) engine: EngineFlags,
}

/// Where one agent is served.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PlaceFlags {
    /// The port; 0 takes a free one
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// The address to listen on [default: 127.0.0.1]
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct SampleArgs {
    /// Which one: hello, contract-review, lamp-shop
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
    #[command(flatten)]
    pub(crate) storage: StorageFlags,
    #[command(flatten)]
    pub(crate) engine: EngineFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true, after_help = sabir_examples::puppet::HELP)]
pub(crate) struct ServerArgs {
    #[command(flatten)]
    pub(crate) mode: Mode,
    #[command(flatten)]
    pub(crate) place: PlaceFlags,
    /// The agent's name
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// The agent's description
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Serve the card of this file, with this server's address in it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["name", "description"])]
    pub(crate) card: Option<PathBuf>,
    /// With --exec, send output on as it comes, cut at this text (`\n` is a line break)
    #[arg(long, value_name = "TEXT", requires = "exec")]
    pub(crate) chunk: Option<String>,
    /// No line for each call on stderr
    #[arg(long)]
    pub(crate) quiet: bool,
    /// The card offers no streaming
    #[arg(long)]
    pub(crate) no_streaming: bool,
    /// The card offers no webhooks
    #[arg(long)]
    pub(crate) no_push: bool,
    #[command(flatten)]
    pub(crate) storage: StorageFlags,
    #[command(flatten)]
    pub(crate) engine: EngineFlags,
}

/// What the agent does: exactly one of these.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Mode {
    /// Say back what was said
    #[arg(long)]
    pub(crate) echo: bool,
    /// Run this command for each message: its text on stdin, the answer on stdout
    #[arg(long, value_name = "CMD")]
    pub(crate) exec: Option<String>,
    /// Do what the first word of the message says; the words are listed below
    #[arg(long)]
    pub(crate) puppet: bool,
}

/// How messages are taken; each is a setting of `sabir.toml` too.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct EngineFlags {
    /// The bindings to serve, with commas: jsonrpc, rest, grpc [default: all]
    #[arg(long, value_name = "NAMES")]
    pub(crate) bindings: Option<String>,
    /// Which repeated messages are recognised: all, authenticated, off [default: all]
    #[arg(long, value_name = "WHICH")]
    pub(crate) idempotency: Option<String>,
    /// Which media types are taken: card, any [default: card]
    #[arg(long, value_name = "WHICH")]
    pub(crate) input_modes: Option<String>,
    /// Whose HTTP codes errors have: 1.0.1, 1.0.0 [default: 1.0.1]
    #[arg(long, value_name = "VERSION")]
    pub(crate) error_table: Option<String>,
    /// Serve A2A 0.3 as well, and list it in the card
    #[arg(long, visible_alias = "card-compat")]
    pub(crate) v0_3: bool,
    /// Let webhooks be on this machine; for development
    #[arg(long)]
    pub(crate) allow_loopback_webhooks: bool,
    /// Read settings from this file instead of ./sabir.toml
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
}
