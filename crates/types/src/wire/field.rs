//! What a type must know to stand as a field of a message.

use super::writer::Name;
use super::{Buf, BufMut, DecodeContext, DecodeError, Shape, WireType};
use prost::encoding;
use serde::de::{self, Deserializer, MapAccess};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A type that can stand as a field of a protocol message.
pub trait Field: Default + Send + Sync {
    /// Whether there is no value at all: nothing is written then.
    fn is_absent(&self) -> bool;

    /// Whether the value is the one that a field without presence has when it is left out.
    fn is_default(&self) -> bool {
        self.is_absent()
    }

    /// Turns a value that [is the default](Field::is_default) into an absent one.
    fn settle(&mut self) {}

    /// Writes the protobuf field `number`.
    fn put(&self, number: u32, buf: &mut impl BufMut);

    /// How many bytes [`put`](Field::put) writes.
    fn size(&self, number: u32) -> usize;

    /// Merges one protobuf field into the value.
    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// Writes ProtoJSON.
    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error>;

    /// Reads ProtoJSON.
    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error>;

    /// Path of the first thing in this value that is required and unset, or that no valid message
    /// can hold. An empty path means the value itself.
    fn first_missing(&self) -> Option<String> {
        None
    }

    /// What the type looks like from outside.
    fn shape() -> Shape {
        Shape::Any
    }

    /// Reads the value of a union member; `null` leaves the union unset, except where `null` is a
    /// value.
    fn member_from_json<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Self>, A::Error> {
        map.next_value_seed(super::container::FromJson::<Option<Self>>::new())
    }
}

/// Serializes a field as ProtoJSON.
#[derive(Debug)]
pub struct AsJson<'a, T>(pub &'a T);

impl<T: Field> Serialize for AsJson<'_, T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.to_json(s)
    }
}

/// Writes one entry of a JSON object.
pub fn put_entry<M: SerializeMap>(
    map: &mut M,
    key: &'static str,
    value: &impl Field,
) -> Result<(), M::Error> {
    map.serialize_entry(&Name(key), &AsJson(value))
}

/// Skips a protobuf field that this version does not know.
pub fn skip_field(
    wire_type: WireType,
    number: u32,
    buf: &mut impl Buf,
    ctx: DecodeContext,
) -> Result<(), DecodeError> {
    encoding::skip_field(wire_type, number, buf, ctx)
}

/// Skips the value of a JSON key that this version does not know.
pub fn skip_value<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<de::IgnoredAny>().map(drop)
}

/// Puts the name of a field before a path within it: `parts` and `[1].content`.
pub fn join_path(name: &str, path: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else if path.starts_with('[') {
        format!("{name}{path}")
    } else {
        format!("{name}.{path}")
    }
}
