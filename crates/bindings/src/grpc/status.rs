//! How a call ended: the status, in trailers or in place of an answer.

use super::head;
use crate::dialect;
use crate::payload::Payload;
use base64::Engine;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use http::Response;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use sabir_compat::Dialect;
use sabir_types::{Error, ErrorTable, GrpcCode};

const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");
const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");
const GRPC_STATUS_DETAILS: HeaderName = HeaderName::from_static("grpc-status-details-bin");

/// What is not printable ASCII, and the percent sign.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'%');

/// The most bytes of details and of a message. Many clients take 8 KiB of metadata and lose the
/// whole status with more.
const DETAILS: usize = 3 << 10;
const MESSAGE: usize = 1 << 10;

/// The status of a call.
#[derive(Clone, Debug)]
pub(crate) struct Status {
    code: GrpcCode,
    message: String,
    details: Vec<u8>,
}

impl Status {
    pub(super) fn ok() -> Self {
        Self::new(GrpcCode::Ok, "")
    }

    fn new(code: GrpcCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Vec::new() }
    }

    /// The time that the caller gave is up.
    pub(super) fn deadline_exceeded() -> Self {
        Self::new(GrpcCode::DeadlineExceeded, "the grpc-timeout of the call is up")
    }

    /// The server ends. Without details, as whatever stands between it and a client says it too.
    pub(crate) fn closing() -> Self {
        Self::new(GrpcCode::Unavailable, "the server is closing")
    }

    /// An error as that dialect writes it, in the codes of that table.
    pub(crate) fn of(error: &Error, dialect: Dialect, table: ErrorTable) -> Self {
        let code = error.kind().grpc_code(table);
        let (message, details) = (error.message(), error.to_status_protobuf(table));
        if message.len() <= MESSAGE && details.len() <= DETAILS {
            return Self { code, message: dialect::grpc_message(dialect, error), details };
        }
        let message = format!("{}…", &message[..message.floor_char_boundary(MESSAGE / 2)]);
        let error = Error::new(error.kind(), message);
        let details = error.to_status_protobuf(table);
        Self { code, message: dialect::grpc_message(dialect, &error), details }
    }

    /// The status as metadata.
    pub(crate) fn into_headers(self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(3);
        headers.insert(GRPC_STATUS, HeaderValue::from(self.code.number()));
        if !self.message.is_empty() {
            let text = utf8_percent_encode(&self.message, ESCAPED).to_string();
            insert(&mut headers, GRPC_MESSAGE, &text);
        }
        if !self.details.is_empty() {
            let text = BASE64_STANDARD_NO_PAD.encode(&self.details);
            insert(&mut headers, GRPC_STATUS_DETAILS, &text);
        }
        headers
    }

    /// The answer that is nothing but a status.
    pub(crate) fn into_response(self) -> Response<Payload> {
        let mut response = head(Payload::empty());
        response.headers_mut().extend(self.into_headers());
        response
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    // Escaped, or base64: always a valid value.
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_escaped_and_an_error_has_its_details() {
        let error = Error::internal("100% ü\n");
        let headers = Status::of(&error, Dialect::V1_0, ErrorTable::V1_0_1).into_headers();
        assert_eq!(headers["grpc-status"], "13");
        assert_eq!(headers["grpc-message"], "100%25 %C3%BC%0A");
        let details = BASE64_STANDARD_NO_PAD.decode(&headers["grpc-status-details-bin"]).unwrap();
        assert_eq!(details, error.to_status_protobuf(ErrorTable::V1_0_1));
    }

    #[test]
    fn an_error_that_quotes_too_much_is_cut_to_what_clients_take() {
        let id = sabir_types::TaskId::new("ü".repeat(5000));
        let headers = Status::of(&Error::task_not_found(&id), Dialect::V1_0, ErrorTable::V1_0_1)
            .into_headers();
        assert_eq!(headers["grpc-status"], "5");
        let size: usize = headers.values().map(HeaderValue::len).sum();
        assert!(size < 8 << 10, "{size}");
    }
}
