//! The dialects: how a version of A2A writes what an agent takes and gives.

use crate::dispatch::Request;
use bytes::Bytes;
use sabir_compat::{FileBytes, error, kind, proto};
use sabir_engine::Event;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{Error, ErrorTable, Version, wire};
use std::borrow::Cow;

/// In what dialect a request is read and its answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// That of 1.0.
    #[default]
    V1_0,
    /// That of JSON-RPC in 0.3.
    Kind,
    /// That of HTTP+JSON and gRPC in 0.3.
    Proto(FileBytes),
}

impl Dialect {
    /// The version it belongs to.
    pub(crate) fn version(self) -> Version {
        match self {
            Self::V1_0 => Version::V1_0,
            Self::Kind | Self::Proto(_) => Version::V0_3,
        }
    }

    /// Reads a request; whether it is complete is for the caller to ask.
    pub(crate) fn read_json<M: Request>(self, json: &[u8]) -> Result<M, Error> {
        match self {
            Self::V1_0 => wire::from_json(json),
            Self::Kind => <M as kind::Translate>::read(json),
            // What the prose of 0.3 shows, though its kits speak another dialect here.
            Self::Proto(_) if kind::is_spoken(json) => <M as kind::Translate>::read(json),
            Self::Proto(bytes) => <M as proto::Translate<_>>::read(json, bytes),
        }
    }

    /// Reads a request from query parameters.
    pub(crate) fn read_query<'a, M: Request>(
        self,
        parameters: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    ) -> Result<M, Error> {
        match self {
            Self::V1_0 | Self::Kind => wire::from_query(parameters),
            Self::Proto(bytes) => {
                Ok(proto::Translate::from_form(wire::from_query(parameters)?, bytes))
            }
        }
    }

    /// Reads a request from protobuf.
    pub(crate) fn read_protobuf<M: Request>(self, message: Bytes) -> Result<M, Error> {
        match self {
            Self::V1_0 | Self::Kind => wire::from_protobuf(message),
            Self::Proto(bytes) => {
                Ok(proto::Translate::from_form(wire::from_protobuf(message)?, bytes))
            }
        }
    }

    /// Writes an event as JSON; in 1.0 that is shared by all who read it.
    pub(crate) fn event_json(self, event: &Event) -> Result<Cow<'_, [u8]>, Error> {
        if self == Self::V1_0 {
            return Ok(Cow::Borrowed(event.json()));
        }
        let mut out = Vec::with_capacity(512);
        let event = event.response()?.clone();
        match self {
            Self::Proto(bytes) => proto::Translate::write(event, bytes, &mut out),
            Self::V1_0 | Self::Kind => kind::Translate::write(event, &mut out),
        }?;
        Ok(Cow::Owned(out))
    }

    /// Writes an event as protobuf; in 1.0 that is shared by all who read it.
    pub(crate) fn event_protobuf(self, event: &Event) -> Result<Bytes, Error> {
        match self {
            Self::V1_0 | Self::Kind => event.protobuf().cloned(),
            Self::Proto(bytes) => {
                let form = proto::Translate::into_form(event.response()?.clone(), bytes)?;
                Ok(wire::to_protobuf(&form).into())
            }
        }
    }

    /// The answer of JSON-RPC that is an error.
    pub(crate) fn failure(self, id: &Id, error: &Error) -> Vec<u8> {
        match self {
            Self::V1_0 => jsonrpc::failure(id, error),
            Self::Kind | Self::Proto(_) => error::failure(id, error),
        }
    }

    /// The body of HTTP+JSON that is an error; `status` where it is not that of the table.
    pub(crate) fn error_body(
        self,
        error: &Error,
        table: ErrorTable,
        status: Option<u16>,
    ) -> Vec<u8> {
        if self != Self::V1_0 {
            return error::body(error);
        }
        let mut body = error.to_status_json(table);
        if let Some(status) = status {
            body["error"]["code"] = status.into();
        }
        body.to_string().into_bytes()
    }
}
