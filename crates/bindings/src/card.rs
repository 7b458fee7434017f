//! The agent card as it is served: with the URLs and the security that are true here.

use crate::auth::Security;
use crate::call::Asked;
use crate::config::{Binding, ServerConfig};
use crate::openapi;
use crate::payload::Payload;
use crate::reply;
use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL, CONTENT_TYPE, ETAG,
    HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, VARY,
};
use http::request::Parts;
use http::{Response, StatusCode};
use parking_lot::Mutex;
use sabir_compat::card;
use sabir_types::{AgentCard, AgentInterface};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How many base URLs a card is kept rendered for; whoever invents host names starts it anew.
const RENDERED: usize = 32;

/// Renders and serves one agent's card.
#[derive(Debug)]
pub(crate) struct CardPage {
    card: AgentCard,
    security: Security,
    /// By base URL, and whether it is the hybrid card.
    rendered: Mutex<BTreeMap<(String, bool), Arc<Rendered>>>,
    modified: SystemTime,
}

/// Where an agent is reached.
#[derive(Debug)]
pub(crate) struct Place {
    /// Its base URL, without a slash at its end.
    pub(crate) base: String,
    /// Where its gRPC is, as `host:port`; `None` where most clients would not find it.
    pub(crate) grpc: Option<String>,
}

impl Place {
    /// What a card says of a binding. JSON-RPC is listed with the slash that relative resolution
    /// needs, HTTP+JSON without the one that clients add before a route.
    fn url(&self, binding: Binding) -> Option<String> {
        match binding {
            Binding::JsonRpc => Some(format!("{}/", self.base)),
            Binding::HttpJson => Some(self.base.clone()),
            Binding::Grpc => self.grpc.clone(),
        }
    }
}

/// A card for one base URL.
#[derive(Debug)]
struct Rendered {
    body: Bytes,
    etag: HeaderValue,
}

impl CardPage {
    pub(crate) fn new(card: AgentCard, security: Security) -> Self {
        Self { card, security, rendered: Mutex::default(), modified: SystemTime::now() }
    }

    /// Makes a card true for this base URL: what is served here comes first, what the author wrote
    /// about other bindings follows. A signed card is left as it was signed.
    pub(crate) fn dress(&self, card: &mut AgentCard, place: &Place, config: &ServerConfig) {
        if !card.signatures.is_empty() {
            return;
        }
        let written = std::mem::take(&mut card.supported_interfaces);
        let tenant = |binding: &str| {
            let same = written.iter().find(|interface| interface.protocol_binding == binding);
            same.and_then(|interface| interface.tenant.clone())
        };
        let served = |binding: &Binding| {
            let name = binding.name();
            let mut interface = AgentInterface::new(place.url(*binding)?, name);
            interface.tenant = tenant(name);
            Some(interface)
        };
        card.supported_interfaces = config.bindings.iter().filter_map(served).collect();
        if config.v0_3 {
            // The same places; 0.3 has no tenants.
            let all = card.supported_interfaces.clone().into_iter();
            let older = all.map(|one| AgentInterface { tenant: None, ..one }.with_version("0.3"));
            card.supported_interfaces.extend(older);
        }
        let others = written.into_iter().filter(|written| {
            let same = |i: &AgentInterface| i.protocol_binding == written.protocol_binding;
            !card.supported_interfaces.iter().any(same)
        });
        let others: Vec<_> = others.collect();
        card.supported_interfaces.extend(others);
        if !self.security.schemes.is_empty() {
            card.security_schemes.clone_from(&self.security.schemes);
            card.security_requirements.clone_from(&self.security.requirements);
        }
    }

    /// Answers GET and HEAD.
    pub(crate) fn get(
        &self,
        parts: &Parts,
        place: &Place,
        config: &ServerConfig,
    ) -> Response<Payload> {
        // Strict readers of 1.0 refuse the members of 0.3, so those who say 1.0 do not get them.
        let hybrid = Asked::of(parts, config).is_v0_3();
        let rendered = self.render(place, config, hybrid);
        let unchanged = self.is_unchanged(&parts.headers, &rendered.etag);
        let with_body = !unchanged && parts.method != http::Method::HEAD;
        let body = if with_body { rendered.body.clone() } else { Bytes::new() };
        let mut response = Response::new(Payload::Bytes(body));
        if unchanged {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        if !unchanged {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            if !with_body {
                headers.insert(http::header::CONTENT_LENGTH, rendered.body.len().into());
            }
        }
        headers.insert(ETAG, rendered.etag.clone());
        if config.v0_3 {
            headers.insert(VARY, HeaderValue::from_static("A2A-Version"));
        }
        insert(headers, LAST_MODIFIED, &httpdate::fmt_http_date(self.modified));
        insert(headers, CACHE_CONTROL, &max_age(config));
        if config.card_cors {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("ETag"));
        }
        response
    }

    /// Answers with the OpenAPI document of what is served at this base URL.
    pub(crate) fn openapi(&self, base: &str, config: &ServerConfig) -> Response<Payload> {
        let document = openapi::document(&self.card, &self.security, base);
        let mut response = reply::json(document.to_string().into_bytes(), reply::JSON);
        let headers = response.headers_mut();
        insert(headers, CACHE_CONTROL, &max_age(config));
        if config.card_cors {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
        response
    }

    fn render(&self, place: &Place, config: &ServerConfig, hybrid: bool) -> Arc<Rendered> {
        let key = (place.base.clone(), hybrid);
        if let Some(rendered) = self.rendered.lock().get(&key) {
            return rendered.clone();
        }
        let mut card = self.card.clone();
        self.dress(&mut card, place, config);
        // A card that was signed for 1.0 alone has no other form.
        let both = if hybrid { card::hybrid(card.clone()).ok() } else { None };
        let body = both.map_or_else(|| sabir_engine::encode(&card), Bytes::from);
        let etag = format!("\"{}\"", &blake3::hash(&body).to_hex()[..32]);
        let etag = HeaderValue::from_str(&etag).unwrap_or(HeaderValue::from_static("\"\""));
        let rendered = Arc::new(Rendered { body, etag });
        let mut all = self.rendered.lock();
        if all.len() >= RENDERED {
            all.clear();
        }
        all.insert(key, rendered.clone());
        rendered
    }

    /// RFC 9110 section 13.2.2: an entity tag goes before a date.
    fn is_unchanged(&self, headers: &HeaderMap, etag: &HeaderValue) -> bool {
        if headers.contains_key(IF_NONE_MATCH) {
            let etag = etag.as_bytes();
            return headers.get_all(IF_NONE_MATCH).iter().any(|value| {
                value.as_bytes().split(|byte| *byte == b',').any(|tag| {
                    let tag = tag.trim_ascii();
                    tag == b"*" || tag.strip_prefix(b"W/").unwrap_or(tag) == etag
                })
            });
        }
        let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
        let since = since.and_then(|text| httpdate::parse_http_date(text).ok());
        // Dates on the wire have whole seconds.
        since.is_some_and(|since| since + Duration::from_secs(1) > self.modified)
    }
}

/// Answers the preflight of a web page that reads the card with headers of its own.
pub(crate) fn preflight() -> Response<Payload> {
    let mut response = Response::new(Payload::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, HEAD"));
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

fn max_age(config: &ServerConfig) -> String {
    format!("public, max-age={}", config.card_max_age.as_secs())
}

fn insert(headers: &mut HeaderMap, name: http::HeaderName, value: &str) {
    // Dates and numbers are always valid header values.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
