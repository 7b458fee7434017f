//! The flags of every command that calls an agent.

use clap::Args;
use std::path::PathBuf;

/// May stand before and after the command; what stands closer to the end wins.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct ClientFlags {
    /// The agent: a host, an origin, the URL of a card, or a file
    #[arg(short = 'a', long, value_name = "REF")]
    pub(crate) agent_card: Option<String>,
    /// The agent's interface itself, without a card; needs one --transport (host:port will do for
    /// gRPC)
    #[arg(short = 'e', long, value_name = "URL")]
    pub(crate) endpoint: Option<String>,
    /// Bindings to prefer, the best first: rest, jsonrpc, grpc
    #[arg(long, value_name = "NAME")]
    pub(crate) transport: Vec<String>,
    /// The protocol version to speak: 1.0, 0.3 [default: 1.0]
    #[arg(long, value_name = "VERSION")]
    pub(crate) a2a_version: Option<String>,
    /// A service parameter, sent as a header
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) svc_param: Vec<String>,
    /// The Authorization header: a scheme and credentials
    #[arg(long, value_name = "CREDENTIALS")]
    pub(crate) auth: Option<String>,
    /// A bearer token
    #[arg(long, value_name = "TOKEN")]
    pub(crate) bearer: Option<String>,
    /// An API key, put where the card says
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,
    /// The tenant to address
    #[arg(long, value_name = "TENANT")]
    pub(crate) tenant: Option<String>,
    /// Give up after this time; without it a request may take 30s and a wait as long as it takes
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
    /// How results are printed: text, json, jsonl [default: text]
    #[arg(short = 'o', long, value_name = "FORMAT")]
    pub(crate) output: Option<String>,
    /// Whose JSON and exit codes: official, spec [default: official]
    #[arg(long, value_name = "SHAPE")]
    pub(crate) json_shape: Option<String>,
    /// Say more on stderr
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// Show requests and answers on stderr, without secrets
    #[arg(long)]
    pub(crate) debug: bool,
    /// Do not verify the agent's TLS certificate, and do not ask gRPC at host:port for one
    #[arg(long)]
    pub(crate) insecure: bool,
    /// Read settings from this file: sabir.toml, or .env, .yaml, .json for those of calls
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Vec<PathBuf>,
}

impl ClientFlags {
    /// These flags with those that stand closer to the end of the command line laid over them.
    pub(crate) fn under(mut self, closer: Self) -> Self {
        self.transport.extend(closer.transport);
        self.svc_param.extend(closer.svc_param);
        self.config.extend(closer.config);
        Self {
            agent_card: closer.agent_card.or(self.agent_card),
            endpoint: closer.endpoint.or(self.endpoint),
            transport: self.transport,
            a2a_version: closer.a2a_version.or(self.a2a_version),
            svc_param: self.svc_param,
            auth: closer.auth.or(self.auth),
            bearer: closer.bearer.or(self.bearer),
            api_key: closer.api_key.or(self.api_key),
            tenant: closer.tenant.or(self.tenant),
            timeout: closer.timeout.or(self.timeout),
            output: closer.output.or(self.output),
            json_shape: closer.json_shape.or(self.json_shape),
            verbose: closer.verbose || self.verbose,
            debug: closer.debug || self.debug,
            insecure: closer.insecure || self.insecure,
            config: self.config,
        }
    }
}
