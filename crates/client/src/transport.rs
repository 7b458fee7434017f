//! How an operation is written in a binding, and how its answer is read. No I/O.

pub(crate) mod grpc;
mod http_json;
mod jsonrpc;
mod outgoing;

pub(crate) use outgoing::{Incoming, Outgoing};

use crate::Failure;
use crate::http::{Http, HttpAnswer, HttpRequest, retry_after};
use bytes::Bytes;
use grpc::Grpc;
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use http_json::HttpJson;
use jsonrpc::JsonRpc;
use sabir_compat::{Dialect, FileBytes};
use sabir_engine::Event;
use sabir_types::{Error, ErrorKind, Operation, StreamResponse, Version, binding};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use url::Url;

/// The bindings this client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// JSON-RPC 2.0 over HTTP.
    JsonRpc,
    /// HTTP+JSON.
    HttpJson,
    /// gRPC, over HTTP/2.
    Grpc,
}

impl Transport {
    /// Every transport.
    pub const ALL: [Self; 3] = [Self::JsonRpc, Self::HttpJson, Self::Grpc];

    /// The name of its binding, as cards have it.
    pub fn binding(self) -> &'static str {
        match self {
            Self::JsonRpc => binding::JSONRPC,
            Self::HttpJson => binding::HTTP_JSON,
            Self::Grpc => binding::GRPC,
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

/// Reads what people write: `jsonrpc`, `json-rpc`, `rest`, `http+json`, `HTTP+JSON`, `grpc`…
impl FromStr for Transport {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text.to_ascii_lowercase().as_str() {
            "jsonrpc" | "json-rpc" => Ok(Self::JsonRpc),
            "rest" | "http+json" | "http-json" | "httpjson" => Ok(Self::HttpJson),
            "grpc" => Ok(Self::Grpc),
            _ => Err(Failure::Setup(format!("`{text}` is not a transport: jsonrpc, rest or grpc"))),
        }
    }
}

/// A transport at the URL of an interface, and the dialect that is spoken there.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    binding: Binding,
    dialect: Dialect,
}

#[derive(Clone, Debug)]
enum Binding {
    JsonRpc(JsonRpc),
    HttpJson(HttpJson),
    Grpc(Grpc),
}

impl Wire {
    /// `file_bytes` is for servers of 0.3.
    pub(crate) fn new(
        transport: Transport,
        url: Url,
        version: Version,
        file_bytes: FileBytes,
    ) -> Self {
        let dialect = match transport {
            _ if version >= Version::V1_0 => Dialect::V1_0,
            Transport::JsonRpc => Dialect::Kind,
            Transport::HttpJson | Transport::Grpc => Dialect::Proto(file_bytes),
        };
        let binding = match transport {
            Transport::JsonRpc => Binding::JsonRpc(JsonRpc { url, dialect }),
            Transport::HttpJson => Binding::HttpJson(HttpJson { url, dialect }),
            Transport::Grpc => Binding::Grpc(Grpc { url, dialect }),
        };
        Self { binding, dialect }
    }

    /// Whether it speaks a version before 1.0.
    pub(crate) fn is_older(&self) -> bool {
        self.dialect != Dialect::V1_0
    }

    /// Writes an operation as a request that may take so long.
    pub(crate) fn request(
        &self,
        operation: Operation,
        message: impl Outgoing,
        tenant: Option<&str>,
        timeout: Option<Duration>,
    ) -> Result<HttpRequest, Error> {
        let mut request = match &self.binding {
            Binding::JsonRpc(wire) => wire.request(operation, message, tenant),
            Binding::HttpJson(wire) => wire.request(operation, message, tenant),
            Binding::Grpc(wire) => {
                let mut request = wire.request(operation, message, tenant)?;
                if let Some(timeout) = timeout {
                    grpc::put_timeout(timeout, &mut request.headers);
                }
                return Ok(request);
            }
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

    /// Reads the answer of an operation down to the bytes of its response message.
    pub(crate) fn answer(
        &self,
        operation: Operation,
        answer: &HttpAnswer,
        http: &Http,
    ) -> Result<Bytes, Error> {
        match &self.binding {
            Binding::JsonRpc(wire) => wire.answer(operation, answer, http),
            Binding::HttpJson(wire) => wire.answer(answer, http),
            Binding::Grpc(wire) => wire.answer(answer, http),
        }
        .map_err(|error| with_headers(error.answering(operation), answer))
    }

    /// Reads a response message.
    pub(crate) fn decode<M: Incoming>(&self, bytes: &Bytes) -> Result<M, Error> {
        match &self.binding {
            Binding::JsonRpc(_) | Binding::HttpJson(_) => self.dialect.read_json(bytes),
            Binding::Grpc(_) => self.dialect.read_protobuf(bytes.clone()),
        }
    }

    /// Whether its messages are no text.
    pub(crate) fn is_binary(&self) -> bool {
        matches!(self.binding, Binding::Grpc(_))
    }

    /// The data of an event for the log.
    pub(crate) fn event_as_text(&self, data: &Bytes) -> Bytes {
        match self.is_binary().then(|| self.event(None, None, data.clone())) {
            None => data.clone(),
            Some(event) => event.map_or_else(|_| Bytes::new(), |event| event.json().clone()),
        }
    }

    /// Reads the data of an event; the JSON of 1.0 stays as it is.
    pub(crate) fn event(
        &self,
        seq: Option<u64>,
        name: Option<&str>,
        data: Bytes,
    ) -> Result<Event, Error> {
        let message = match &self.binding {
            Binding::JsonRpc(wire) => wire.event(&data)?,
            Binding::HttpJson(wire) => wire.event(name, data)?,
            Binding::Grpc(_) => data,
        };
        if !self.is_older() && !self.is_binary() {
            return Ok(Event::from_json(seq, message));
        }
        let response: StreamResponse = self.decode(&message).map_err(|error| {
            Error::invalid_agent_response(format!("an event cannot be read: {error}"))
        })?;
        Ok(Event::from_response(seq, response))
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
