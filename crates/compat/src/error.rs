//! Errors: without the details that 1.0 added, and in the many shapes of 0.3 servers.

use sabir_types::jsonrpc::Id;
use sabir_types::{Error, ErrorKind, GrpcCode};
use serde::Deserialize;
use serde_json::{Value, json};

/// The code of an error, where 0.3 has one for it.
fn code(kind: ErrorKind) -> i32 {
    match kind {
        // 0.3 knows no extensions that are required.
        ErrorKind::ExtensionSupportRequired => ErrorKind::Internal.jsonrpc_code(),
        kind => kind.jsonrpc_code(),
    }
}

/// The body of an error in HTTP+JSON: `{"code": …, "message": …}`, which is what all clients of 0.3
/// can read. Its code is that of JSON-RPC. The kit for Python looks for a `type` besides.
pub fn body(error: &Error) -> Vec<u8> {
    let mut body = object(error);
    if let Some(name) = name(error.kind()) {
        body["type"] = name.into();
    }
    body.to_string().into_bytes()
}

/// The message of an error in gRPC: after its name, by which the kit for Python knows it.
pub fn grpc_message(error: &Error) -> String {
    let name = name(error.kind()).map(|name| format!("{name}: ")).unwrap_or_default();
    name + error.message()
}

/// The answer of JSON-RPC that is an error, without `data`.
pub fn failure(id: &Id, error: &Error) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{},"error":{}}}"#, id.as_json(), object(error)).into_bytes()
}

fn object(error: &Error) -> Value {
    json!({"code": code(error.kind()), "message": error.message()})
}

#[derive(Deserialize)]
struct Bare {
    code: Option<i64>,
    message: Option<String>,
}

/// Reads the body of an error in HTTP+JSON from a server of 0.3.
///
/// It may be that of 1.0, bare with a code of JSON-RPC, or bare without one; then the status
/// decides, as the kits of 0.3 use it: 404 is `TaskNotFound` where the path has a task, 501 is
/// `UnsupportedOperation`.
pub fn read_http_json(status: u16, body: &[u8], names_task: bool) -> Error {
    let error = Error::from_status_json(status, body);
    let bare = serde_json::from_slice::<Bare>(body).ok();
    let Some(Bare { code, message: Some(message) }) = bare else { return error };
    if let Some(code) = code.filter(|code| *code < 0) {
        return Error::from_jsonrpc(code, &message, None);
    }
    match status {
        404 if names_task => Error::new(ErrorKind::TaskNotFound, message),
        501 => Error::unsupported_operation(message),
        _ => error,
    }
}

/// What the kit for Python calls an error: before the message in gRPC, as `type` in HTTP+JSON.
fn name(kind: ErrorKind) -> Option<&'static str> {
    NAMES.iter().find(|(_, known)| *known == kind).map(|(name, _)| *name)
}

/// The names of the errors, of which one may stand before the message in gRPC.
const NAMES: [(&str, ErrorKind); 12] = [
    ("TaskNotFoundError", ErrorKind::TaskNotFound),
    ("TaskNotCancelableError", ErrorKind::TaskNotCancelable),
    ("PushNotificationNotSupportedError", ErrorKind::PushNotificationNotSupported),
    ("UnsupportedOperationError", ErrorKind::UnsupportedOperation),
    ("ContentTypeNotSupportedError", ErrorKind::ContentTypeNotSupported),
    ("InvalidAgentResponseError", ErrorKind::InvalidAgentResponse),
    ("AuthenticatedExtendedCardNotConfiguredError", ErrorKind::ExtendedAgentCardNotConfigured),
    ("JSONParseError", ErrorKind::ParseError),
    ("InvalidRequestError", ErrorKind::InvalidRequest),
    ("MethodNotFoundError", ErrorKind::MethodNotFound),
    ("InvalidParamsError", ErrorKind::InvalidParams),
    ("InternalError", ErrorKind::Internal),
];

/// Reads the status of a gRPC call, also to a server of 0.3: the name of the error may stand before
/// its message, and says what it is where there are no details.
pub fn read_grpc(code: GrpcCode, message: &str, details: &[u8]) -> Error {
    let named = message.split_once(": ").and_then(|(name, rest)| {
        let kind = NAMES.iter().find(|(known, _)| *known == name)?.1;
        Some((kind, rest.trim()))
    });
    match named {
        Some((kind, message)) if details.is_empty() => Error::new(kind, message),
        named => Error::from_grpc(code, named.map_or(message, |(_, message)| message), details),
    }
}
