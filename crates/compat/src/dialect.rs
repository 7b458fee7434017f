//! The dialects as a value, for those who speak one or another.

use crate::file::FileBytes;
use crate::{kind, proto};
use sabir_types::wire::prost::bytes::Buf;
use sabir_types::wire::{self, ProtoMessage};
use sabir_types::{Error, Version};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// A type of 1.0 that every dialect can hold, in [one direction](proto::Translate).
pub trait Message<Direction>:
    ProtoMessage + Serialize + DeserializeOwned + kind::Translate + proto::Translate<Direction>
{
}

impl<T, Direction> Message<Direction> for T where
    T: ProtoMessage + Serialize + DeserializeOwned + kind::Translate + proto::Translate<Direction>
{
}

/// In what dialect something is read and written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
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
    pub fn version(self) -> Version {
        match self {
            Self::V1_0 => Version::V1_0,
            Self::Kind | Self::Proto(_) => Version::V0_3,
        }
    }

    /// Reads JSON; whether it is complete is asked by [`ProtoMessage::check`].
    ///
    /// # Errors
    /// `ParseError` for what is not JSON, `InvalidParams` for what is not the type.
    pub fn read_json<D, M: Message<D>>(self, json: &[u8]) -> Result<M, Error> {
        match self {
            Self::V1_0 => wire::from_json(json),
            Self::Kind => kind::Translate::read(json),
            Self::Proto(bytes) => proto::Translate::read(json, bytes),
        }
    }

    /// Reads query parameters, as [`wire::from_query`] does.
    ///
    /// # Errors
    /// `InvalidParams` for what is not the type.
    pub fn read_query<'a, D, M: Message<D>>(
        self,
        parameters: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    ) -> Result<M, Error> {
        match self {
            Self::V1_0 | Self::Kind => wire::from_query(parameters),
            Self::Proto(bytes) => Ok(M::from_form(wire::from_query(parameters)?, bytes)),
        }
    }

    /// Reads protobuf.
    ///
    /// # Errors
    /// `InvalidParams` for what is not the type.
    pub fn read_protobuf<D, M: Message<D>>(self, message: impl Buf) -> Result<M, Error> {
        match self {
            Self::V1_0 | Self::Kind => wire::from_protobuf(message),
            Self::Proto(bytes) => Ok(M::from_form(wire::from_protobuf(message)?, bytes)),
        }
    }

    /// Appends JSON.
    ///
    /// # Errors
    /// `Internal` for what JSON cannot hold, `VersionNotSupported` for a card without an interface
    /// of the version.
    pub fn write_json<D, M: Message<D>>(self, message: M, out: &mut Vec<u8>) -> Result<(), Error> {
        match self {
            Self::V1_0 => crate::put(&message, out),
            Self::Kind => kind::Translate::write(message, out),
            Self::Proto(bytes) => proto::Translate::write(message, bytes, out),
        }
    }

    /// Appends protobuf.
    ///
    /// # Errors
    /// `VersionNotSupported` for a card without an interface of the version.
    pub fn write_protobuf<D, M: Message<D>>(
        self,
        message: M,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        match self {
            Self::V1_0 | Self::Kind => append(&message, out),
            Self::Proto(bytes) => append(&message.into_form(bytes)?, out),
        }
        Ok(())
    }
}

fn append(message: &impl ProtoMessage, out: &mut Vec<u8>) {
    out.reserve(message.encoded_len());
    message.encode_raw(out);
}
