//! How an operation is written in a binding, and how its answer is read. No I/O.

mod http_json;
mod jsonrpc;
mod outgoing;

pub(crate) use outgoing::Outgoing;

use crate::Failure;
use crate::http::{Http, HttpAnswer, HttpRequest, retry_after};
use bytes::Bytes;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use http_json::HttpJson;
use jsonrpc::JsonRpc;
use sabir_types::{Error, ErrorKind, Operation, binding};
use std::fmt;
use std::str::FromStr;
use url::Url;

/// The bindings this client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// JSON-RPC 2.0 over HTTP.
    JsonRpc,
    /// HTTP+JSON.
    HttpJson,
}

impl Transport {
    /// Every transport.
    pub const ALL: [Self; 2] = [Self::JsonRpc, Self::HttpJson];

    /// The name of its binding, as cards have it.
    pub fn binding(self) -> &'static str {
        match self {
            Self::JsonRpc => binding::JSONRPC,
            Self::HttpJson => binding::HTTP_JSON,
        }
    }

    /// The transport of a binding's name in a card, which is compared as it is (section 4.4.6).
    pub fn of_binding(binding: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|transport| transport.binding() == binding)
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.binding())
    }
}

/// Reads what people write: `jsonrpc`, `json-rpc`, `rest`, `http+json`, `HTTP+JSON`…
impl FromStr for Transport {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text.to_ascii_lowercase().as_str() {
            "jsonrpc" | "json-rpc" => Ok(Self::JsonRpc),
            "rest" | "http+json" | "http-json" | "httpjson" => Ok(Self::HttpJson),
            _ => Err(Failure::Setup(format!("`{text}` is not a transport: jsonrpc or rest"))),
        }
    }
}

/// A transport at the URL of an interface.
#[derive(Clone, Debug)]
pub(crate) enum Wire {
    JsonRpc(JsonRpc),
    HttpJson(HttpJson),
}

impl Wire {
    pub(crate) fn new(transport: Transport, url: Url) -> Self {
        match transport {
            Transport::JsonRpc => Self::JsonRpc(JsonRpc { url }),
            Transport::HttpJson => Self::HttpJson(HttpJson { url }),
        }
    }

    /// Writes an operation as a request.
    pub(crate) fn request(
        &self,
        operation: Operation,
        message: impl Outgoing,
        tenant: Option<&str>,
    ) -> Result<HttpRequest, Error> {
        let mut request = match self {
            Self::JsonRpc(wire) => wire.request(operation, message, tenant),
            Self::HttpJson(wire) => wire.request(operation, message, tenant),
        }?;
        let accept = if operation.streams() { "text/event-stream" } else { "application/json" };
        request.headers.insert(ACCEPT, HeaderValue::from_static(accept));
        if request.body.is_some() {
            // 1.0.1 would have application/a2a+json in HTTP+JSON; servers of 1.0.0 refuse that,
            // and those of 1.0.1 take both.
            let json = HeaderValue::from_static("application/json");
            request.headers.insert(CONTENT_TYPE, json);
        }
        Ok(request)
    }

    /// Reads the answer of an operation down to the JSON of its response message.
    pub(crate) fn answer(&self, answer: &HttpAnswer, http: &Http) -> Result<Bytes, Error> {
        match self {
            Self::JsonRpc(wire) => wire.answer(answer, http),
            Self::HttpJson(wire) => wire.answer(answer, http),
        }
        .map_err(|error| with_headers(error, answer))
    }

    /// Reads the data of an event down to the JSON of a `StreamResponse`, without copying it.
    pub(crate) fn event(&self, name: Option<&str>, data: Bytes) -> Result<Bytes, Error> {
        match self {
            Self::JsonRpc(wire) => wire.event(&data),
            Self::HttpJson(wire) => wire.event(name, data),
        }
    }
}

/// Adds what the headers and the status of an error say to what its body says.
fn with_headers(mut error: Error, answer: &HttpAnswer) -> Error {
    if error.retry_after().is_none()
        && let Some(after) = retry_after(&answer.headers)
    {
        error = error.with_retry_after(after);
    }
    let kind = match answer.status.as_u16() {
        401 => ErrorKind::Unauthenticated,
        403 => ErrorKind::Forbidden,
        413 => ErrorKind::TooLarge,
        429 => ErrorKind::RateLimited,
        _ => return error,
    };
    // The code of another server's own error says nothing, its status does.
    if error.kind() != ErrorKind::Remote || Failure::of(&error).is_some() {
        return error;
    }
    let mut typed = Error::new(kind, error.message());
    for (key, value) in error.metadata() {
        typed = typed.with_metadata(key, value);
    }
    match error.retry_after() {
        Some(after) => typed.with_retry_after(after),
        None => typed,
    }
}

fn headers() -> HeaderMap {
    HeaderMap::with_capacity(8)
}
