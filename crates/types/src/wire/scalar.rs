//! Strings, booleans, 32-bit integers and bytes.

use super::{Buf, BufMut, DecodeContext, DecodeError, Field, Shape, WireType};
use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use prost::encoding;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::Serializer;
use std::fmt;
use std::sync::Arc;

impl Field for String {
    fn shape() -> Shape {
        Shape::String
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        encoding::string::encode(number, self, buf);
    }

    fn size(&self, number: u32) -> usize {
        encoding::string::encoded_len(number, self)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        encoding::string::merge(wire_type, self, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::deserialize(d)
    }
}

/// Writes the text of an id as a protobuf field.
pub(crate) fn put_text(number: u32, text: &str, buf: &mut impl BufMut) {
    encoding::encode_key(number, WireType::LengthDelimited, buf);
    encoding::encode_varint(text.len() as u64, buf);
    buf.put_slice(text.as_bytes());
}

/// How many bytes [`put_text`] writes.
pub(crate) fn text_size(number: u32, text: &str) -> usize {
    encoding::key_len(number) + encoding::encoded_len_varint(text.len() as u64) + text.len()
}

/// Reads the text of an id from a protobuf field.
pub(crate) fn merge_text(
    wire_type: WireType,
    buf: &mut impl Buf,
    ctx: DecodeContext,
) -> Result<String, DecodeError> {
    let mut text = String::new();
    encoding::string::merge(wire_type, &mut text, buf, ctx)?;
    Ok(text)
}

/// Reads the text of an id from JSON.
pub(crate) fn shared_text<'de, D: Deserializer<'de>>(d: D) -> Result<Arc<str>, D::Error> {
    d.deserialize_str(SharedStr)
}

/// Copies a string once, from the input into its shared place.
struct SharedStr;

impl Visitor<'_> for SharedStr {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E>(self, s: &str) -> Result<Arc<str>, E> {
        Ok(s.into())
    }
}

impl Field for bool {
    fn shape() -> Shape {
        Shape::Bool
    }

    fn is_absent(&self) -> bool {
        !self
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        encoding::bool::encode(number, self, buf);
    }

    fn size(&self, number: u32) -> usize {
        encoding::bool::encoded_len(number, self)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        encoding::bool::merge(wire_type, self, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_bool(*self)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::deserialize(d)
    }
}

impl Field for i32 {
    fn shape() -> Shape {
        Shape::Int32
    }

    fn is_absent(&self) -> bool {
        *self == 0
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        encoding::int32::encode(number, self, buf);
    }

    fn size(&self, number: u32) -> usize {
        encoding::int32::encoded_len(number, self)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        encoding::int32::merge(wire_type, self, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_i32(*self)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Int32)
    }
}

/// Accepts `5`, `5.0`, `5e0` and the same in quotes.
struct Int32;

impl Visitor<'_> for Int32 {
    type Value = i32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a 32-bit integer")
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<i32, E> {
        n.try_into().map_err(|_| E::invalid_value(de::Unexpected::Signed(n), &self))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<i32, E> {
        n.try_into().map_err(|_| E::invalid_value(de::Unexpected::Unsigned(n), &self))
    }

    fn visit_f64<E: de::Error>(self, n: f64) -> Result<i32, E> {
        if n.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&n) {
            // Whole and in range, so nothing is cut off.
            Ok(n as i32)
        } else {
            Err(E::invalid_value(de::Unexpected::Float(n), &self))
        }
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<i32, E> {
        match (s.parse::<i32>(), s.parse::<f64>()) {
            (Ok(n), _) => Ok(n),
            (Err(_), Ok(n)) => self.visit_f64(n),
            (Err(_), Err(_)) => Err(E::invalid_value(de::Unexpected::Str(s), &self)),
        }
    }
}

impl Field for Bytes {
    fn shape() -> Shape {
        Shape::Bytes
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        encoding::bytes::encode(number, self, buf);
    }

    fn size(&self, number: u32) -> usize {
        encoding::bytes::encoded_len(number, self)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        encoding::bytes::merge(wire_type, self, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&BASE64_STANDARD.encode(self))
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(Base64)
    }
}

/// Accepts the standard and the URL-safe alphabet, padded or not.
struct Base64;

impl Visitor<'_> for Base64 {
    type Value = Bytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a base64 string")
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Bytes, E> {
        const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true);
        const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
        const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);
        let decoded = if s.contains(['-', '_']) { URL_SAFE.decode(s) } else { STANDARD.decode(s) };
        decoded.map(Bytes::from).map_err(|e| E::custom(format_args!("invalid base64: {e}")))
    }
}
