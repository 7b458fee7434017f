//! The settings of a server.

use crate::host::BaseUrl;
use crate::tls::Tls;
use ipnet::IpNet;
use sabir_compat::FileBytes;
use sabir_types::{ErrorTable, binding, wire};
use std::time::Duration;

/// A binding that this crate serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// JSON-RPC 2.0, by POST on the agent's base URL.
    JsonRpc,
    /// HTTP+JSON, by the routes below the agent's base URL.
    HttpJson,
    /// gRPC, by the methods of the service below the agent's base URL.
    Grpc,
}

impl Binding {
    /// Its name in an agent card.
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonRpc => binding::JSONRPC,
            Self::HttpJson => binding::HTTP_JSON,
            Self::Grpc => binding::GRPC,
        }
    }
}

/// How agents are served.
///
/// ```
/// use sabir_bindings::ServerConfig;
///
/// let config = ServerConfig {
///     public_url: Some("https://agents.example.com/a2a".parse()?),
///     ..ServerConfig::default()
/// };
/// # Ok::<(), sabir_bindings::BaseUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// The certificate to show; without one the server speaks in cleartext. A router that is
    /// mounted elsewhere is served as the other server is.
    pub tls: Option<Tls>,
    /// Where callers reach the root of this server; without it the request tells.
    pub public_url: Option<BaseUrl>,
    /// Peers whose `Forwarded` and `X-Forwarded-{Proto,Host,Prefix}` headers are believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Names under which the server may be addressed, as `name` or `name:port`, besides the
    /// loopback names on loopback. When not empty, all others are refused on every address.
    pub allowed_hosts: Vec<String>,
    /// Whether only loopback names are allowed as `Host` and `Origin`; `None` follows the address
    /// that the server is bound to, and means no for a router mounted elsewhere.
    pub loopback_only: Option<bool>,
    /// The bindings that are served and listed in cards, the preferred one first.
    pub bindings: Vec<Binding>,
    /// Whether A2A 0.3 is served as well as 1.0, on the same bindings, and listed in cards. A request
    /// without `A2A-Version` is one of 0.3 then.
    pub v0_3: bool,
    /// How the bytes of files stand in HTTP+JSON and gRPC of 0.3.
    pub v0_3_file_bytes: FileBytes,
    /// The specification whose HTTP codes errors get.
    pub error_table: ErrorTable,
    /// The most bytes of a request body.
    pub body_bytes: usize,
    /// How deep the JSON of a request may nest. In gRPC it is the data within a message, 64 deep.
    pub json_depth: usize,
    /// After how much silence a stream is kept alive by a comment.
    pub heartbeat: Duration,
    /// For how long a card may be cached.
    pub card_max_age: Duration,
    /// Whether web pages of other origins may read the card.
    pub card_cors: bool,
    /// The most bytes of a request's head.
    pub header_bytes: usize,
    /// The most headers of a request.
    pub headers: usize,
    /// How long the head of a request may take, and how long an idle connection is kept.
    pub header_timeout: Duration,
    /// How long the first MiB of a request body may take, and each further one.
    pub body_timeout: Duration,
    /// Requests in parallel on one HTTP/2 connection.
    pub http2_streams: u32,
    /// Open connections; more wait to be accepted.
    pub connections: usize,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            tls: None,
            public_url: None,
            trusted_proxies: Vec::new(),
            allowed_hosts: Vec::new(),
            loopback_only: None,
            bindings: vec![Binding::JsonRpc, Binding::HttpJson, Binding::Grpc],
            v0_3: false,
            v0_3_file_bytes: FileBytes::default(),
            error_table: ErrorTable::default(),
            body_bytes: 10 << 20,
            json_depth: wire::MAX_DEPTH,
            heartbeat: Duration::from_secs(15),
            card_max_age: Duration::from_secs(300),
            card_cors: true,
            header_bytes: 64 << 10,
            headers: 100,
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            http2_streams: 250,
            connections: 16_384,
        }
    }
}

impl ServerConfig {
    /// Whether this binding is served.
    pub(crate) fn serves(&self, binding: Binding) -> bool {
        self.bindings.contains(&binding)
    }
}
