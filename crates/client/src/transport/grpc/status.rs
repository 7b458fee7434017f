//! How a call ended, read from its metadata.

use crate::Failure;
use crate::http::text;
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use sabir_types::{Error, GrpcCode};

const GRPC_STATUS: &str = "grpc-status";

/// Servers write it with padding and without.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Whether the metadata says how the call ended.
pub(crate) fn has_status(headers: &HeaderMap) -> bool {
    headers.contains_key(GRPC_STATUS)
}

/// Fails unless the call ended well. An answer that is nothing but a status has it in its head.
///
/// `UNAVAILABLE` without details is what servers that end and proxies say: the way failed, not
/// the agent.
pub(crate) fn status_of(
    headers: &HeaderMap,
    trailers: &HeaderMap,
    url: impl Fn() -> String,
) -> Result<(), Error> {
    let found = if has_status(trailers) { trailers } else { headers };
    let Some(code) = text(found, GRPC_STATUS).and_then(|code| code.parse().ok()) else {
        let reason = "the answer ended without its status".to_owned();
        return Err(Failure::Cut { url: url(), reason }.into());
    };
    let message = text(found, "grpc-message").unwrap_or_default();
    let message = percent_decode_str(message).decode_utf8_lossy();
    let details = text(found, "grpc-status-details-bin").unwrap_or_default();
    // Details that cannot be read must not hide the error that they belong to.
    let details = BASE64.decode(details.trim()).unwrap_or_default();
    match GrpcCode::from_number(code) {
        GrpcCode::Ok => Ok(()),
        GrpcCode::Unavailable if details.is_empty() => {
            let reason = crate::redact::excerpt(message.as_bytes());
            Err(Failure::Cut { url: url(), reason }.into())
        }
        code => Err(sabir_compat::error::read_grpc(code, &message, &details)),
    }
}

#[cfg(test)]
mod tests {
    use super::status_of;
    use crate::Failure;
    use base64::Engine;
    use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
    use http::{HeaderMap, HeaderValue};
    use sabir_types::{Error, ErrorKind, ErrorTable};

    fn read(code: &str, message: &str, details: &str) -> Result<(), Error> {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::try_from(code).unwrap());
        trailers.insert("grpc-message", HeaderValue::try_from(message).unwrap());
        trailers.insert("grpc-status-details-bin", HeaderValue::try_from(details).unwrap());
        status_of(&HeaderMap::new(), &trailers, || "http://h/".to_owned())
    }

    #[test]
    fn the_details_say_what_went_wrong_and_without_them_the_code_does() {
        assert!(read("0", "", "").is_ok());
        let error = Error::invalid_params("message", "must be present");
        let details = error.to_status_protobuf(ErrorTable::V1_0_1);
        for details in [BASE64_STANDARD.encode(&details), BASE64_STANDARD_NO_PAD.encode(&details)] {
            let found = read("13", "x", &details).unwrap_err();
            assert_eq!((found.kind(), found.violations()), (error.kind(), error.violations()));
        }
        let found = read("5", "100%25 gone", "not base64!").unwrap_err();
        assert_eq!((found.kind(), found.message()), (ErrorKind::TaskNotFound, "100% gone"));
        assert!(Failure::of(&found).is_none());
    }

    #[test]
    fn a_way_that_failed_is_told_from_an_agent_that_refused() {
        let way = read("14", "the server is closing", "").unwrap_err();
        assert!(Failure::of(&way).is_some_and(Failure::is_transient), "{way:?}");
        let details = Error::unavailable("later").to_status_protobuf(ErrorTable::V1_0_1);
        let agent = read("14", "later", &BASE64_STANDARD.encode(details)).unwrap_err();
        assert!(Failure::of(&agent).is_none());
        let nothing = status_of(&HeaderMap::new(), &HeaderMap::new(), || "http://h/".to_owned());
        assert!(matches!(Failure::of(&nothing.unwrap_err()), Some(Failure::Cut { .. })));
    }
}
