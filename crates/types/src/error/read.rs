//! Reads errors that another server sent, ours or not.
//!
//! The `reason` of an A2A `ErrorInfo` decides. Without one, the code of the binding does, as well as
//! it can; the tables are below. The message of the other side is kept in every case. Details that
//! cannot be read are passed over: they must not hide the error that they stand in.

use super::details::{BadRequest, Detail, ErrorInfo, RetryInfo, Status};
use super::{DOMAIN, Error, ErrorKind, GrpcCode};
use crate::{Operation, wire};
use serde::Deserialize;
use serde_json::Value;

/// What the details of an error say.
#[derive(Default)]
struct Details {
    info: Option<ErrorInfo>,
    bad_request: Option<BadRequest>,
    retry: Option<RetryInfo>,
}

impl Details {
    fn from_json(details: &Value) -> Self {
        let mut out = Self::default();
        // An array by the specification; a lone object is understood as well.
        let list = details.as_array().map_or(std::slice::from_ref(details), Vec::as_slice);
        for detail in list {
            let type_url = detail.get("@type").and_then(Value::as_str).unwrap_or_default();
            if is::<ErrorInfo>(type_url) {
                out.add_info(ErrorInfo::deserialize(detail).ok());
            } else if is::<BadRequest>(type_url) {
                out.bad_request = BadRequest::deserialize(detail).ok();
            } else if is::<RetryInfo>(type_url) {
                out.retry = RetryInfo::deserialize(detail).ok();
            }
        }
        out
    }

    fn from_status(status: &Status) -> Self {
        let mut out = Self::default();
        for any in &status.details {
            if is::<ErrorInfo>(&any.type_url) {
                out.add_info(wire::from_protobuf(&any.value[..]).ok());
            } else if is::<BadRequest>(&any.type_url) {
                out.bad_request = wire::from_protobuf(&any.value[..]).ok();
            } else if is::<RetryInfo>(&any.type_url) {
                out.retry = wire::from_protobuf(&any.value[..]).ok();
            }
        }
        out
    }

    /// A proxy may add an `ErrorInfo` of its own domain; that of A2A wins.
    fn add_info(&mut self, info: Option<ErrorInfo>) {
        if let Some(info) = info
            && (self.info.is_none() || info.domain == DOMAIN)
        {
            self.info = Some(info);
        }
    }

    fn kind(&self) -> Option<ErrorKind> {
        let info = self.info.as_ref()?;
        let ours = info.domain == DOMAIN || info.domain.is_empty();
        if ours { ErrorKind::from_reason(&info.reason) } else { None }
    }

    /// Puts the details beside the kind and the message.
    fn onto(self, mut error: Error) -> Error {
        for violation in self.bad_request.into_iter().flat_map(|b| b.field_violations) {
            error = error.with_violation(violation.field, violation.description);
        }
        for (key, value) in self.info.into_iter().flat_map(|info| info.metadata) {
            error = error.with_metadata(key, value);
        }
        match self.retry.and_then(|retry| retry.retry_delay) {
            Some(delay) => error.with_retry_after(delay),
            None => error,
        }
    }
}

fn is<D: Detail>(type_url: &str) -> bool {
    type_url.rsplit('/').next() == Some(D::NAME)
}

impl Error {
    /// Reads the body of an error in HTTP+JSON.
    ///
    /// Without an A2A reason the status decides: 401, 403, 413, 415, 429 and 503 say what they say;
    /// 404 is `TaskNotFound` when the body is an A2A error, else `MethodNotFound`, for then it was
    /// the path that was not found; 405 and 501 are `MethodNotFound`; 409 is `TaskNotCancelable`, as
    /// in 1.0.0; 400 is `UnsupportedOperation` when the body says `FAILED_PRECONDITION`, else
    /// `InvalidParams`, as 422; 408 and 504 are `Unavailable`; 500 is `Internal`; the rest, 502
    /// among them, is `Remote`. The message is that of the body, also of a problem document
    /// (RFC 9457), else `HTTP 502`.
    pub fn from_status_json(http_status: u16, body: &[u8]) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        // A stream may carry the inner object alone.
        let error = body.get("error").filter(|e| e.is_object()).unwrap_or(&body);
        let details = error.get("details").map(Details::from_json).unwrap_or_default();
        let status = error.get("status").and_then(Value::as_str);
        let grpc = status.and_then(GrpcCode::from_name);
        let named = details.kind();
        let kind = named.unwrap_or_else(|| kind_of_http(http_status, grpc));
        let message = ["message", "detail", "title"]
            .iter()
            .find_map(|key| error.get(key).and_then(Value::as_str))
            .or_else(|| body.get("error").and_then(Value::as_str))
            .map_or_else(|| format!("HTTP {http_status}"), str::to_owned);
        let mut error = Self::new(kind, message);
        error.0.is_precondition = named.is_none() && grpc == Some(GrpcCode::FailedPrecondition);
        details.onto(error)
    }

    /// Reads the error object of JSON-RPC.
    ///
    /// Without an A2A reason the code decides, if JSON-RPC or A2A defines it; any other code is
    /// `Remote`.
    pub fn from_jsonrpc(code: i64, message: &str, data: Option<&Value>) -> Self {
        let details = data.map(Details::from_json).unwrap_or_default();
        let kind = details
            .kind()
            .or_else(|| i32::try_from(code).ok().and_then(ErrorKind::from_jsonrpc_code))
            .unwrap_or(ErrorKind::Remote);
        let message = if message.is_empty() { format!("error {code}") } else { message.to_owned() };
        details.onto(Self::new(kind, message))
    }

    /// Reads the status of a gRPC call; `details` is the trailer `grpc-status-details-bin`, decoded.
    ///
    /// Without an A2A reason the code decides: `NOT_FOUND` is `TaskNotFound`, `FAILED_PRECONDITION`
    /// is `UnsupportedOperation`, `INVALID_ARGUMENT` and `OUT_OF_RANGE` are `InvalidParams`,
    /// `UNIMPLEMENTED` is `MethodNotFound`, `UNAVAILABLE`, `ABORTED` and `DEADLINE_EXCEEDED` are
    /// `Unavailable`, `RESOURCE_EXHAUSTED` is `RateLimited`, `INTERNAL` and `DATA_LOSS` are
    /// `Internal`; the rest is `Remote`.
    pub fn from_grpc(code: GrpcCode, message: &str, details: &[u8]) -> Self {
        let status = wire::from_protobuf::<Status>(details).unwrap_or_default();
        let details = Details::from_status(&status);
        let named = details.kind();
        let kind = named.unwrap_or_else(|| kind_of_grpc(code));
        let message = [message, &status.message]
            .into_iter()
            .find(|m| !m.is_empty())
            .map_or_else(|| code.name().to_owned(), str::to_owned);
        let mut error = Self::new(kind, message);
        error.0.is_precondition = named.is_none() && code == GrpcCode::FailedPrecondition;
        details.onto(error)
    }

    /// The same, read as an answer to this operation.
    ///
    /// `FAILED_PRECONDITION` without a reason is the code of two kinds. To `CancelTask` it is
    /// `TaskNotCancelable`, the only one that the specification has there.
    #[must_use]
    pub fn answering(mut self, operation: Operation) -> Self {
        let is_cancel = operation == Operation::CancelTask;
        if is_cancel && self.0.is_precondition && self.0.kind == ErrorKind::UnsupportedOperation {
            self.0.kind = ErrorKind::TaskNotCancelable;
        }
        self
    }
}

fn kind_of_http(status: u16, grpc: Option<GrpcCode>) -> ErrorKind {
    match (status, grpc) {
        (400, Some(GrpcCode::FailedPrecondition | GrpcCode::Unimplemented)) => {
            ErrorKind::UnsupportedOperation
        }
        (400 | 422, _) => ErrorKind::InvalidParams,
        (401, _) => ErrorKind::Unauthenticated,
        (403, _) => ErrorKind::Forbidden,
        (404, Some(GrpcCode::NotFound)) => ErrorKind::TaskNotFound,
        (404 | 405 | 501, _) => ErrorKind::MethodNotFound,
        (409, _) => ErrorKind::TaskNotCancelable,
        (413, _) => ErrorKind::TooLarge,
        (415, _) => ErrorKind::ContentTypeNotSupported,
        (429, _) => ErrorKind::RateLimited,
        (500, _) => ErrorKind::Internal,
        (408 | 503 | 504, _) => ErrorKind::Unavailable,
        _ => ErrorKind::Remote,
    }
}

fn kind_of_grpc(code: GrpcCode) -> ErrorKind {
    match code {
        GrpcCode::NotFound => ErrorKind::TaskNotFound,
        GrpcCode::FailedPrecondition => ErrorKind::UnsupportedOperation,
        GrpcCode::InvalidArgument | GrpcCode::OutOfRange => ErrorKind::InvalidParams,
        GrpcCode::Unimplemented => ErrorKind::MethodNotFound,
        GrpcCode::Unauthenticated => ErrorKind::Unauthenticated,
        GrpcCode::PermissionDenied => ErrorKind::Forbidden,
        GrpcCode::ResourceExhausted => ErrorKind::RateLimited,
        GrpcCode::Unavailable | GrpcCode::Aborted | GrpcCode::DeadlineExceeded => {
            ErrorKind::Unavailable
        }
        GrpcCode::Internal | GrpcCode::DataLoss => ErrorKind::Internal,
        GrpcCode::Ok | GrpcCode::Cancelled | GrpcCode::Unknown | GrpcCode::AlreadyExists => {
            ErrorKind::Remote
        }
    }
}
