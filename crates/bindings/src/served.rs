//! An agent that is being served: what happens to a request before its binding takes it, and to
//! an answer after.

use crate::auth::Authenticator;
use crate::body::{RequestBody, Unread};
use crate::call::{self, Asked};
use crate::card::{self, CardPage, Place};
use crate::config::{Binding, ServerConfig};
use crate::dispatch::Reply;
use crate::grpc;
use crate::host;
use crate::jsonrpc;
use crate::older::Older;
use crate::payload::Payload;
use crate::reply::{self, Form, Refusal};
use crate::rest;
use crate::sse::{EventBody, Framing};
use http::request::Parts;
use http::{Method, Response};
use sabir_compat::Dialect;
use sabir_engine::{Agent, Call, EventStream};
use sabir_types::{Error, Principal};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Where the card stands below an agent's base URL.
pub(crate) const CARD: &str = "/.well-known/agent-card.json";
/// Where it stood before 0.3, and clients of 0.3 may still look.
pub(crate) const OLDER_CARD: &str = "/.well-known/agent.json";

/// Where the OpenAPI document of the HTTP+JSON binding stands below an agent's base URL.
const OPENAPI: &str = "/openapi.json";

/// One request, as it concerns one agent.
pub(crate) struct Visit<'a> {
    pub(crate) parts: &'a Parts,
    /// Where the agent is mounted: nothing, or a path without a slash at its end.
    pub(crate) mount: &'a str,
    /// What follows.
    pub(crate) path: &'a str,
    pub(crate) peer: Option<SocketAddr>,
    /// Whether this agent is the one that gRPC finds at the origin, where alone most clients look.
    pub(crate) at_origin: bool,
}

impl Visit<'_> {
    /// The base URL itself, with or without a slash; two come from clients that add one.
    fn is_at_base(&self) -> bool {
        matches!(self.path, "" | "/" | "//")
    }

    /// Whether it reads the base URL, which shows the card.
    fn reads_base(&self) -> bool {
        self.is_at_base()
            && matches!(self.parts.method, Method::GET | Method::HEAD | Method::OPTIONS)
    }
}

/// An agent that is being served.
pub(crate) struct Served {
    pub(crate) agent: Arc<dyn Agent>,
    /// The same as clients of 0.3 see it.
    pub(crate) older: Older,
    pub(crate) authenticator: Arc<dyn Authenticator>,
    pub(crate) config: Arc<ServerConfig>,
    pub(crate) page: CardPage,
    /// The extensions that the card declares.
    pub(crate) declared: Vec<String>,
    /// Whether only the names of loopback, and those allowed besides, are answered to.
    pub(crate) loopback: bool,
    pub(crate) closing: CancellationToken,
}

impl Served {
    /// Answers one request.
    pub(crate) async fn handle(
        &self,
        visit: &Visit<'_>,
        body: impl RequestBody,
    ) -> Response<Payload> {
        let body = Unread::new(body, self.config.body_bytes);
        let form = Form::of(visit.parts, visit.is_at_base());
        if let Err(error) = host::check(visit.parts, &self.config, self.loopback) {
            let dialect = self.dialect(visit, form);
            return self.refuse(Refusal::from(error).dialect(dialect), form);
        }
        if form == Form::Grpc {
            return if self.config.serves(Binding::Grpc) {
                grpc::serve(self, visit, body).await
            } else {
                self.refuse(grpc::not_found(visit.path).into(), form)
            };
        }
        let is_card = visit.path == CARD || (self.config.v0_3 && visit.path == OLDER_CARD);
        if is_card || visit.reads_base() {
            return self.card(visit);
        }
        if visit.is_at_base() && self.config.serves(Binding::JsonRpc) {
            if form == Form::JsonRpc {
                return jsonrpc::serve(self, visit, body).await;
            }
            return self.refuse(jsonrpc::not_at_base(), Form::HttpJson);
        }
        if self.config.serves(Binding::HttpJson) {
            if visit.path == OPENAPI {
                return self.openapi(visit);
            }
            return rest::serve(self, visit, body).await;
        }
        self.refuse(rest::not_found(visit.path), Form::HttpJson)
    }

    /// The agent as clients see it who speak this dialect.
    pub(crate) fn agent(&self, dialect: Dialect) -> &dyn Agent {
        match dialect {
            Dialect::V1_0 => &*self.agent,
            Dialect::Kind | Dialect::Proto(_) => &self.older,
        }
    }

    /// The dialect of an answer to a request of which only the head is known.
    fn dialect(&self, visit: &Visit<'_>, form: Form) -> Dialect {
        let asked = Asked::of(visit.parts, &self.config);
        match form {
            Form::JsonRpc if asked.is_v0_3() => Dialect::Kind,
            Form::HttpJson => rest::dialect(visit, &asked, &self.config),
            Form::JsonRpc | Form::Grpc => Dialect::V1_0,
        }
    }

    fn refuse(&self, refusal: Refusal, form: Form) -> Response<Payload> {
        refusal.into_form(form, self.config.error_table)
    }

    /// The card is for everybody: it says how to become somebody.
    fn card(&self, visit: &Visit<'_>) -> Response<Payload> {
        match visit.parts.method {
            Method::GET | Method::HEAD => match self.place(visit) {
                Some(place) => self.page.get(visit.parts, &place, &self.config),
                None => self.refuse(no_host().into(), Form::HttpJson),
            },
            Method::OPTIONS if self.config.card_cors => card::preflight(),
            _ => self.refuse(Refusal::method_not_allowed("GET, HEAD"), Form::HttpJson),
        }
    }

    fn place(&self, visit: &Visit<'_>) -> Option<Place> {
        let base = host::base_url(visit.parts, &self.config, visit.peer, visit.mount)?;
        let is_there = visit.at_origin && self.config.serves(Binding::Grpc);
        let grpc = if is_there { host::grpc_target(&base, visit.mount) } else { None };
        Some(Place { base, grpc })
    }

    /// What the routes are is for everybody, as the card is.
    fn openapi(&self, visit: &Visit<'_>) -> Response<Payload> {
        let base = host::base_url(visit.parts, &self.config, visit.peer, visit.mount);
        match (visit.parts.method.clone(), base) {
            (Method::GET | Method::HEAD, Some(base)) => self.page.openapi(&base, &self.config),
            (Method::GET | Method::HEAD, None) => self.refuse(no_host().into(), Form::HttpJson),
            (Method::OPTIONS, _) if self.config.card_cors => card::preflight(),
            _ => self.refuse(Refusal::method_not_allowed("GET, HEAD"), Form::HttpJson),
        }
    }

    pub(crate) async fn authenticate(&self, parts: &Parts) -> Result<Principal, Refusal> {
        self.authenticator.authenticate(parts).await.map_err(|error| self.refusal(error))
    }

    /// An error on its way out. The agent itself may want to know who is asking, where others need
    /// not say: a 401 always says how (RFC 9110 section 15.5.2).
    pub(crate) fn refusal(&self, error: Error) -> Refusal {
        Refusal::challenged(error, || self.authenticator.challenge())
    }

    /// Makes an extended card true here, as the public one is.
    pub(crate) fn dress(&self, reply: &mut Reply, visit: &Visit<'_>) {
        if let Reply::Card(card) = reply
            && let Some(place) = self.place(visit)
        {
            self.page.dress(card, &place, &self.config);
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
