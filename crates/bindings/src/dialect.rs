//! The dialects on the server: how an event and an error are written.

use bytes::Bytes;
use sabir_compat::{Dialect, error};
use sabir_engine::Event;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{Error, ErrorTable};
use std::borrow::Cow;

/// Writes an event as JSON; in 1.0 that is shared by all who read it.
pub(crate) fn event_json(dialect: Dialect, event: &Event) -> Result<Cow<'_, [u8]>, Error> {
    if dialect == Dialect::V1_0 {
        return Ok(Cow::Borrowed(event.json()));
    }
    let mut out = Vec::with_capacity(512);
    dialect.write_json(event.response()?.clone(), &mut out)?;
    Ok(Cow::Owned(out))
}

/// Writes an event as protobuf; in 1.0 that is shared by all who read it.
pub(crate) fn event_protobuf(dialect: Dialect, event: &Event) -> Result<Bytes, Error> {
    if dialect == Dialect::V1_0 {
        return event.protobuf().cloned();
    }
    let mut out = Vec::with_capacity(512);
    dialect.write_protobuf(event.response()?.clone(), &mut out)?;
    Ok(out.into())
}

/// The answer of JSON-RPC that is an error.
pub(crate) fn failure(dialect: Dialect, id: &Id, error: &Error) -> Vec<u8> {
    match dialect {
        Dialect::V1_0 => jsonrpc::failure(id, error),
        Dialect::Kind | Dialect::Proto(_) => error::failure(id, error),
    }
}

/// The message of gRPC's status that is an error.
pub(crate) fn grpc_message(dialect: Dialect, error: &Error) -> String {
    if dialect == Dialect::V1_0 { error.message().to_owned() } else { error::grpc_message(error) }
}

/// The body of HTTP+JSON that is an error; `status` where it is not that of the table.
pub(crate) fn error_body(
    dialect: Dialect,
    error: &Error,
    table: ErrorTable,
    status: Option<u16>,
) -> Vec<u8> {
    if dialect != Dialect::V1_0 {
        return error::body(error);
    }
    let mut body = error.to_status_json(table);
    if let Some(status) = status {
        body["error"]["code"] = status.into();
    }
    body.to_string().into_bytes()
}
