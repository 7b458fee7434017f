//! One agent's routes: everything below its base URL, on all bindings.

use crate::auth::{Anonymous, Authenticator};
use crate::card::CardPage;
use crate::config::ServerConfig;
use crate::older::Older;
use crate::payload::Payload;
use crate::served::{Served, Visit};
use axum::Router;
use axum::extract::{ConnectInfo, OriginalUri};
use axum::routing::any;
use http::Response;
use sabir_engine::Agent;
use sabir_types::AgentCard;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Serves one agent: its card, JSON-RPC, HTTP+JSON and gRPC below one base URL.
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
        let served = self.serve(Arc::default(), false, CancellationToken::new());
        let handler = any(move |request: axum::extract::Request| {
            let served = served.clone();
            async move { mounted(&served, request).await.map(axum::body::Body::new) }
        });
        Router::new().route("/", handler.clone()).route("/{*path}", handler)
    }

    /// Makes them ready for requests; `bound_to_loopback` decides where the settings do not.
    pub(crate) fn serve(
        self,
        config: Arc<ServerConfig>,
        bound_to_loopback: bool,
        closing: CancellationToken,
    ) -> Arc<Served> {
        let config = self.config.unwrap_or(config);
        let declared = self.card.capabilities.extensions.iter().map(|e| e.uri.clone()).collect();
        let page = CardPage::new(self.card, self.authenticator.security());
        Arc::new(Served {
            older: Older(self.agent.clone()),
            agent: self.agent,
            authenticator: self.authenticator,
            loopback: config.loopback_only.unwrap_or(bound_to_loopback),
            config,
            page,
            declared,
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
    let at_origin = mount.is_empty();
    let visit = Visit { parts: &parts, mount, path, peer, at_origin };
    served.handle(&visit, body).await
}
