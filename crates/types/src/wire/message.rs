//! Messages, as JSON objects and as length-delimited protobuf fields.

use super::{Buf, BufMut, DecodeContext, DecodeError, WireType, skip_value};
use crate::Error;
use prost::encoding;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use std::fmt;
use std::marker::PhantomData;

/// A protocol message: one Rust type with both encodings.
///
/// Derived with `#[derive(ProtoMessage)]`, which also implements [`prost::Message`] for protobuf
/// and [`serde::Serialize`] and [`serde::Deserialize`] for ProtoJSON.
pub trait ProtoMessage: prost::Message + Default {
    /// Path of the first REQUIRED field that is unset, such as `message.parts[1].content`.
    ///
    /// Reading is lenient about what is left out; this is the strict half, called for whatever
    /// comes in. It also names a value that both encodings can carry but no valid message holds: a
    /// timestamp out of range, an enum value that this version does not know.
    fn missing(&self) -> Option<String>;

    /// Refuses a message in which something is [`missing`](ProtoMessage::missing).
    fn check(&self) -> Result<(), Error> {
        match self.missing() {
            None => Ok(()),
            Some(path) => Err(Error::invalid_params(path, "must be present and valid")),
        }
    }

    /// Field number of a JSON key in either spelling; 0 when unknown.
    fn number_of(key: &str) -> u32;

    /// Writes the entries of the JSON object.
    fn put_json<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Reads the value of the field `number` from the JSON object.
    fn merge_json<'de, A: MapAccess<'de>>(
        &mut self,
        number: u32,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// Writes a message as a protobuf field.
pub fn put_message<M: prost::Message>(number: u32, message: &M, buf: &mut impl BufMut) {
    encoding::message::encode(number, message, buf);
}

/// How many bytes [`put_message`] writes.
pub fn message_size<M: prost::Message>(number: u32, message: &M) -> usize {
    encoding::message::encoded_len(number, message)
}

/// Merges a protobuf field into a message.
pub fn merge_message<M: prost::Message>(
    wire_type: WireType,
    message: &mut M,
    buf: &mut impl Buf,
    ctx: DecodeContext,
) -> Result<(), DecodeError> {
    encoding::message::merge(wire_type, message, buf, ctx)
}

/// Writes a message as a JSON object.
pub fn message_to_json<M: ProtoMessage, S: Serializer>(
    message: &M,
    s: S,
) -> Result<S::Ok, S::Error> {
    let mut map = s.serialize_map(None)?;
    message.put_json(&mut map)?;
    map.end()
}

/// Reads a message from a JSON object.
pub fn message_from_json<'de, M: ProtoMessage, D: Deserializer<'de>>(d: D) -> Result<M, D::Error> {
    d.deserialize_map(Object(PhantomData))
}

struct Object<M>(PhantomData<M>);

impl<'de, M: ProtoMessage> Visitor<'de> for Object<M> {
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<M, A::Error> {
        let mut message = M::default();
        let mut seen = 0_u64;
        while let Some(number) = map.next_key_seed(Key::<M> { seen, message: PhantomData })? {
            if number == 0 {
                skip_value(&mut map)?;
            } else {
                seen |= 1 << number;
                message.merge_json(number, &mut map)?;
            }
        }
        Ok(message)
    }
}

/// Reads a key as a field number, and refuses the second of its kind.
struct Key<M> {
    /// The numbers read so far; the derive keeps them below 64.
    seen: u64,
    message: PhantomData<M>,
}

impl<M: ProtoMessage> Visitor<'_> for Key<M> {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field name")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<u32, E> {
        let number = M::number_of(key);
        if number != 0 && self.seen & (1 << number) != 0 {
            return Err(E::custom(format_args!("duplicate field `{key}`")));
        }
        Ok(number)
    }
}

impl<'de, M: ProtoMessage> DeserializeSeed<'de> for Key<M> {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<u32, D::Error> {
        d.deserialize_identifier(self)
    }
}
