//! Answers and errors, in the form of their binding.

use crate::dialect;
use crate::grpc;
use crate::payload::Payload;
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use sabir_compat::Dialect;
use sabir_types::jsonrpc::Id;
use sabir_types::{Error, ErrorKind, ErrorTable};
use std::time::Duration;

/// `application/json`.
pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// The form of an answer: that of its binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    JsonRpc,
    HttpJson,
    Grpc,
}

impl Form {
    /// The form in which an answer to this request is understood, whatever it is that it wants.
    pub(crate) fn of(parts: &Parts, is_at_base: bool) -> Self {
        if grpc::is_call(parts) {
            Self::Grpc
        } else if is_at_base && parts.method == Method::POST {
            Self::JsonRpc
        } else {
            Self::HttpJson
        }
    }
}

/// An error on its way out, with what HTTP has to say about it.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) error: Error,
    /// A status that HTTP itself defines, instead of that of the table.
    status: Option<StatusCode>,
    header: Option<(HeaderName, HeaderValue)>,
    close: bool,
    dialect: Dialect,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self { error, status: None, header: None, close: false, dialect: Dialect::V1_0 }
    }
}

impl Refusal {
    /// The same with a status of HTTP itself.
    pub(crate) fn status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// The same with another message.
    pub(crate) fn message(mut self, message: impl Into<String>) -> Self {
        self.error = self.error.with_message(message);
        self
    }

    /// The same with a header.
    pub(crate) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.header = Some((name, value));
        self
    }

    /// The same, and the connection ends: what follows on it is not read.
    pub(crate) fn close(mut self) -> Self {
        self.close = true;
        self
    }

    /// The same in another dialect.
    pub(crate) fn dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// The path is there, but not for this verb.
    pub(crate) fn method_not_allowed(allow: &str) -> Self {
        let error = Error::new(ErrorKind::MethodNotFound, format!("only {allow} here"));
        let allow = HeaderValue::from_str(allow).unwrap_or(HeaderValue::from_static("POST"));
        Self::from(error).status(StatusCode::METHOD_NOT_ALLOWED).header(ALLOW, allow)
    }

    /// Nobody knows who is asking, and how that could be mended.
    pub(crate) fn challenged(error: Error, challenge: impl FnOnce() -> HeaderValue) -> Self {
        if error.kind() == ErrorKind::Unauthenticated {
            Self::from(error).header(WWW_AUTHENTICATE, challenge())
        } else {
            Self::from(error)
        }
    }

    /// The answer in this form, where the request was not read.
    pub(crate) fn into_form(self, form: Form, table: ErrorTable) -> Response<Payload> {
        match form {
            Form::JsonRpc => self.into_jsonrpc(&Id::NULL),
            Form::HttpJson => self.into_http_json(table),
            Form::Grpc => self.into_grpc(table),
        }
    }

    /// The answer in JSON-RPC, which has its own codes: HTTP says 200, except where those who look
    /// only at HTTP (proxies, browsers, clients that log in) have to act.
    pub(crate) fn into_jsonrpc(self, id: &Id) -> Response<Payload> {
        log(&self.error);
        let status = self.status.unwrap_or(match self.error.kind() {
            ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
            ErrorKind::Forbidden => StatusCode::FORBIDDEN,
            ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            _ => StatusCode::OK,
        });
        let body = dialect::failure(self.dialect, id, &self.error);
        self.respond(status, body)
    }

    /// The answer in HTTP+JSON: `google.rpc.Status`, whose code is that of HTTP, or what 0.3 has.
    pub(crate) fn into_http_json(self, table: ErrorTable) -> Response<Payload> {
        log(&self.error);
        let code = self.status.map(|status| status.as_u16());
        let body = dialect::error_body(self.dialect, &self.error, table, code);
        let status = self.status.unwrap_or_else(|| {
            StatusCode::from_u16(self.error.kind().http_status(table))
                .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        });
        self.respond(status, body)
    }

    /// The answer in gRPC: nothing but a status, in HTTP a 200.
    pub(crate) fn into_grpc(self, table: ErrorTable) -> Response<Payload> {
        log(&self.error);
        let mut response = grpc::Status::of(&self.error, self.dialect, table).into_response();
        response.headers_mut().extend(self.header);
        response
    }

    fn respond(self, status: StatusCode, body: Vec<u8>) -> Response<Payload> {
        let mut response = json(body, JSON);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        if let Some((name, value)) = self.header {
            headers.insert(name, value);
        }
        if let Some(after) = self.error.retry_after() {
            headers.insert(RETRY_AFTER, whole_seconds(after).into());
        }
        if self.close {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// An answer of 200 with a JSON body.
pub(crate) fn json(body: Vec<u8>, media_type: HeaderValue) -> Response<Payload> {
    let mut response = Response::new(Payload::from(body));
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    response
}

/// The answer of 200 that an event stream is.
pub(crate) fn events(body: crate::sse::EventBody) -> Response<Payload> {
    let mut response = Response::new(Payload::Events(Box::new(body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // Proxies that buffer would hold events back.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// Says that the message had been accepted before.
pub(crate) fn mark_replayed(response: &mut Response<Payload>) {
    response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
}

fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// What failed on our side is for whoever runs the server; what was refused is for the caller.
pub(crate) fn log(error: &Error) {
    if !error.kind().is_refusal() {
        tracing::warn!(?error, "a call failed");
    }
}
