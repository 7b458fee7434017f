//! gRPC (specification section 10), over the same HTTP client as the other transports.

mod frames;
mod status;
mod target;

pub(crate) use frames::Frames;
pub(crate) use status::{has_status, status_of};
pub(crate) use target::target;

use super::{Outgoing, headers};
use crate::http::{Http, HttpAnswer, HttpRequest};
use bytes::Bytes;
use http::Method;
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, TE};
use sabir_compat::{Dialect, proto};
use sabir_types::{Error, Operation};
use std::time::Duration;
use url::Url;

const GRPC: HeaderValue = HeaderValue::from_static("application/grpc");
const GRPC_TIMEOUT: HeaderName = HeaderName::from_static("grpc-timeout");

/// How much longer than here a call may take there: the caller's own clock is to decide.
const GRACE: Duration = Duration::from_millis(500);

/// gRPC at one host, below a path where the server has one.
#[derive(Clone, Debug)]
pub(crate) struct Grpc {
    pub(super) url: Url,
    pub(super) dialect: Dialect,
}

impl Grpc {
    pub(super) fn request(
        &self,
        operation: Operation,
        mut message: impl Outgoing,
        tenant: Option<&str>,
    ) -> Result<HttpRequest, Error> {
        *message.tenant() = tenant.map(str::to_owned);
        let mut url = self.url.clone();
        let path = self.path(operation)?;
        url.set_path(&format!("{}{path}", self.url.path().trim_end_matches('/')));
        let mut headers = headers();
        headers.insert(CONTENT_TYPE, GRPC);
        headers.insert(TE, HeaderValue::from_static("trailers"));
        let mut protobuf = Vec::with_capacity(256);
        self.dialect.write_protobuf(message, &mut protobuf)?;
        let body = Some(frames::framed(&protobuf)?.into());
        Ok(HttpRequest { method: Method::POST, url, headers, body, shown: None })
    }

    fn path(&self, operation: Operation) -> Result<String, Error> {
        if self.dialect == Dialect::V1_0 {
            return Ok(operation.grpc_path());
        }
        let rpc = operation.v0_3_rpc().ok_or_else(|| {
            Error::unsupported_operation(format!("{operation} has no method in gRPC of A2A 0.3"))
        })?;
        Ok(format!("/{}/{rpc}", proto::GRPC_SERVICE))
    }

    /// Reads an answer down to its message.
    pub(super) fn answer(&self, answer: &HttpAnswer, http: &Http) -> Result<Bytes, Error> {
        if !answer.status.is_success() || !is_grpc(&answer.headers) {
            return Err(answer.failure(http).into());
        }
        let url = || http.name(&answer.url);
        status_of(&answer.headers, &answer.trailers, url)?;
        let mut frames = Frames::default();
        frames.push(&answer.body);
        let message = frames.next(answer.body.len());
        let message = message.map_err(|reason| answer.unreadable(http, reason))?;
        match (message, frames.is_empty()) {
            (Some(message), true) => Ok(message),
            _ => Err(answer.unreadable(http, "it is not one message").into()),
        }
    }
}

/// Whether an answer is gRPC.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(GRPC.as_bytes()))
}

/// Tells the server how long the call may take.
pub(super) fn put_timeout(timeout: Duration, headers: &mut HeaderMap) {
    let (number, unit) = match (timeout + GRACE).as_millis() {
        millis @ 0..=99_999_999 => (millis, 'm'),
        millis => (millis.div_ceil(1000).min(99_999_999), 'S'),
    };
    if let Ok(value) = HeaderValue::try_from(format!("{number}{unit}")) {
        headers.insert(GRPC_TIMEOUT, value);
    }
}

#[cfg(test)]
mod tests {
    use super::put_timeout;
    use http::HeaderMap;
    use std::time::Duration;

    #[test]
    fn a_timeout_has_at_most_eight_digits() {
        for (seconds, expected) in [
            (1, "1500m"),
            (99_000, "99000500m"),
            (200_000, "200001S"),
            (u32::MAX.into(), "99999999S"),
        ] {
            let mut headers = HeaderMap::new();
            put_timeout(Duration::from_secs(seconds), &mut headers);
            assert_eq!(headers["grpc-timeout"], expected);
        }
    }
}
