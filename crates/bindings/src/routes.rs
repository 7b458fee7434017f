//! One agent's routes: everything below its base URL, on both bindings.

use crate::auth::{Anonymous, Authenticator};
use crate::body::RequestBody;
use crate::call;
use crate::card::{self, CardPage};
use crate::config::{Binding, ServerConfig};
use crate::dispatch::Reply;
use crate::host;
use crate::jsonrpc;
use crate::payload::Payload;
use crate::reply::{self, Refusal};
use crate::rest;
use crate::sse::{EventBody, Framing};
use axum::Router;
use axum::extract::{ConnectInfo, OriginalUri};
use axum::routing::any;
use futures_util::FutureExt;
use http::request::Parts;
use http::{Method, Response};
use sabir_engine::{Agent, Call, EventStream};
use sabir_types::jsonrpc::Id;
use sabir_types::{AgentCard, Error, Principal};
use std::fmt;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

pub(crate) const CARD: &str = "/.well-known/agent-card.json";

/// Serves one agent: its card, JSON-RPC and HTTP+JSON below one base URL.
///
/// A [`Server`](crate::Server) takes it as it is; in a router of your own it stands where you
/// mount it:
///
/// ```
/// # use std::sync::Arc;
/// # use sabir_bindings::Routes;
/// # fn mount(agent: Arc<dyn sabir_engine::Agent>, card: sabir_types::AgentCard) -> axum::Router {
/// let hello = Routes::new(agent, card).into_router();
/// // Unlike `nest`, `nest_service` also takes the path with a slash at its end.
/// axum::Router::new().nest_service("/agents/hello", hello)
/// # }
/// ```
#[derive(Clone)]
pub struct Routes {
    agent: Arc<dyn Agent>,
    card: AgentCard,
    authenticator: Arc<dyn Authenticator>,
    config: Option<Arc<ServerConfig>>,
}

impl Routes {
    /// The routes of this agent, open to everybody.
    ///
    /// The interfaces of the card that are served here get their true URLs; what stands there
    /// about other bindings is kept.
    pub fn new(agent: Arc<dyn Agent>, card: AgentCard) -> Self {
        Self { agent, card, authenticator: Arc::new(Anonymous), config: None }
    }

    /// The same, open to those whom this authenticator knows; the card says so.
    #[must_use]
    pub fn authenticator(mut self, authenticator: Arc<dyn Authenticator>) -> Self {
        self.authenticator = authenticator;
        self
    }

    /// The same with settings of its own, instead of those of the server.
    #[must_use]
    pub fn config(mut self, config: ServerConfig) -> Self {
        self.config = Some(Arc::new(config));
        self
    }

    /// The routes as a router, to be mounted in one of yours.
    ///
    /// `ConnectInfo<SocketAddr>` tells it who its peer is, for
    /// [`trusted_proxies`](ServerConfig::trusted_proxies). It does not know the address it is
    /// bound to: on loopback, set [`loopback_only`](ServerConfig::loopback_only).
    pub fn into_router(self) -> Router {
        let loopback = self.config.as_ref().and_then(|config| config.loopback_only);
        let served =
            self.serve(Arc::default(), loopback.unwrap_or_default(), CancellationToken::new());
        let handler = any(move |request: axum::extract::Request| {
            let served = served.clone();
            async move { mounted(&served, request).await.map(axum::body::Body::new) }
        });
        Router::new().route("/", handler.clone()).route("/{*path}", handler)
    }

    pub(crate) fn serve(
        self,
        config: Arc<ServerConfig>,
        loopback: bool,
        closing: CancellationToken,
    ) -> Arc<Served> {
        let declared = self.card.capabilities.extensions.iter().map(|e| e.uri.clone()).collect();
        let page = CardPage::new(self.card, self.authenticator.security());
        Arc::new(Served {
            agent: self.agent,
            authenticator: self.authenticator,
            config: self.config.unwrap_or(config),
            page,
            declared,
            loopback,
            closing,
        })
    }
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routes").field("card", &self.card.name).finish_non_exhaustive()
    }
}

/// Finds out where the router is mounted, which axum takes off the path.
async fn mounted(served: &Served, request: axum::extract::Request) -> Response<Payload> {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path();
    let whole = parts.extensions.get::<OriginalUri>().map_or(path, |uri| uri.path());
    let mount = whole.strip_suffix(path).unwrap_or(whole).trim_end_matches('/');
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0);
    let visit = Visit { parts: &parts, mount, path, peer };
    served.handle(&visit, body).await
}

/// One request, as it concerns one agent.
pub(crate) struct Visit<'a> {
    pub(crate) parts: &'a Parts,
    /// Where the agent is mounted: nothing, or a path without a slash at its end.
    pub(crate) mount: &'a str,
    /// What follows.
    pub(crate) path: &'a str,
    pub(crate) peer: Option<SocketAddr>,
}

/// An agent that is being served.
pub(crate) struct Served {
    pub(crate) agent: Arc<dyn Agent>,
    authenticator: Arc<dyn Authenticator>,
    pub(crate) config: Arc<ServerConfig>,
    page: CardPage,
    /// The extensions that the card declares.
    declared: Vec<String>,
    loopback: bool,
    closing: CancellationToken,
}

impl Served {
    /// Answers one request. A panic of an agent is an answer as well.
    pub(crate) async fn handle(&self, visit: &Visit<'_>, body: impl RequestBody) -> Response<Payload> {
        let jsonrpc = visit.parts.method == Method::POST && matches!(visit.path, "" | "/");
        let answer = AssertUnwindSafe(self.answer(visit, body, jsonrpc)).catch_unwind().await;
        answer
            .unwrap_or_else(|_| self.refuse(Error::internal("the agent panicked").into(), jsonrpc))
    }

    async fn answer(&self, visit: &Visit<'_>, body: impl RequestBody, jsonrpc: bool) -> Response<Payload> {
        if let Err(error) = host::check(visit.parts, &self.config, self.loopback) {
            return self.refuse(error.into(), jsonrpc);
        }
        if visit.path == CARD {
            return self.card(visit);
        }
        if at_base && self.config.serves(Binding::JsonRpc) {
            return match jsonrpc {
                true => jsonrpc::serve(self, visit, body).await,
                false => self.refuse(jsonrpc::only_post(), false),
            };
        }
        if self.config.serves(Binding::HttpJson) {
            return rest::serve(self, visit, body).await;
        }
        self.refuse(rest::not_found(visit.path), false)
    }

    fn refuse(&self, refusal: Refusal, jsonrpc: bool) -> Response<Payload> {
        if jsonrpc {
            refusal.into_jsonrpc(&Id::NULL)
        } else {
            refusal.into_http_json(self.config.error_table)
        }
    }

    /// The card is for everybody: it says how to become somebody.
    pub(crate) fn card(&self, visit: &Visit<'_>) -> Response<Payload> {
        match visit.parts.method {
            Method::GET | Method::HEAD => match self.base_url(visit) {
                Some(base) => self.page.get(visit.parts, base, &self.config),
                None => self.refuse(no_host().into(), false),
            },
            Method::OPTIONS if self.config.card_cors => card::preflight(),
            _ => self.refuse(Refusal::method_not_allowed("GET, HEAD"), false),
        }
    }

    fn base_url(&self, visit: &Visit<'_>) -> Option<String> {
        host::base_url(visit.parts, &self.config, visit.peer, visit.mount)
    }

    pub(crate) async fn authenticate(&self, parts: &Parts) -> Result<Principal, Refusal> {
        self.authenticator
            .authenticate(parts)
            .await
            .map_err(|error| Refusal::challenged(error, || self.authenticator.challenge()))
    }

    /// Makes an extended card true here, as the public one is.
    pub(crate) fn dress(&self, reply: &mut Reply, visit: &Visit<'_>) {
        if let Reply::Card(card) = reply
            && let Some(base) = self.base_url(visit)
        {
            self.page.dress(card, &base, &self.config);
        }
    }

    pub(crate) fn events(&self, events: EventStream, framing: Framing) -> Response<Payload> {
        let heartbeat = self.config.heartbeat;
        reply::events(EventBody::new(events, framing, heartbeat, self.closing.clone()))
    }

    /// Adds what every successful answer says in its head.
    pub(crate) fn finish(&self, response: &mut Response<Payload>, call: &Call, replayed: bool) {
        if replayed {
            reply::mark_replayed(response);
        }
        if let Some((name, value)) = call::activated(call, &self.declared) {
            response.headers_mut().insert(name, value);
        }
    }
}

fn no_host() -> Error {
    Error::invalid_request("the request has no valid Host header, and public_url is not set")
}
