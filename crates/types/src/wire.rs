//! One value, two encodings: how a Rust type is written as protobuf and as ProtoJSON.
//!
//! This is the runtime that `#[derive(ProtoMessage)]` targets. A type that can stand in a message
//! is a [`Field`]; a message is a [`ProtoMessage`], a union a [`ProtoOneof`], an enum a
//! [`ProtoEnum`]. Every call into `prost`'s hidden `encoding` module stays in this module.
//!
//! Reading is lenient, as ProtoJSON asks: both spellings of a name, `null` for absent, enums by
//! name or number, integers as `5`, `5.0` or `"5"`, base64 in both alphabets. Writing is strict.
//! Two things are refused although `serde_json` would take them: a field that stands twice in one
//! object, and two members of one union.

mod container;
mod duration;
mod enumeration;
mod field;
mod json;
mod message;
mod oneof;
mod query;
mod scalar;
mod shape;
mod timestamp;
mod value;
mod writer;

pub use container::next_value;
pub use enumeration::{ProtoEnum, enum_from_json};
pub use field::{AsJson, Field, join_path, put_entry, skip_field, skip_value};
pub(crate) use json::concise;
pub use json::{MAX_DEPTH, check_depth, from_json, from_protobuf, to_json, to_protobuf};
pub use message::{
    ProtoMessage, merge_message, message_from_json, message_size, message_to_json, put_message,
};
pub use oneof::{ProtoOneof, next_member};
pub use query::from_query;
pub(crate) use scalar::{merge_text, put_text, shared_text, text_size};
pub use shape::{EnumShape, FieldShape, MessageShape, Shape};
pub use timestamp::{Timestamp, TimestampError};
pub use value::JsonObject;
pub use writer::write_json;

pub use bytes::{Buf, BufMut};
pub use prost::DecodeError;
pub use prost::encoding::{DecodeContext, WireType};
/// The derives of the traits with the same names.
pub use sabir_wire_derive::{ProtoEnum, ProtoMessage, ProtoOneof};
pub use {prost, serde};
