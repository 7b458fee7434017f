//! `serde_json` values as `google.protobuf.Struct` and `Value`, without an intermediate tree.
//!
//! Protobuf holds every number as a double. Over JSON, integers are exact at any size; over
//! protobuf they are rounded above 2^53, and whole doubles up to there come back as integers, so
//! `1` stays `1`. JSON has no NaN and no infinity: from protobuf they read as `null`.
//!
//! Of two equal keys in an object the last one counts, as `serde_json` has it. Values that nest
//! deeper than [`MAX_DEPTH`] are refused. `prost` would refuse them earlier, at 100 messages, of
//! which an object within an object is three; so the levels are counted here instead.

use super::{Buf, BufMut, DecodeContext, DecodeError, Field, MAX_DEPTH, Shape, WireType};
use prost::encoding;
use serde::de::{Deserialize, Deserializer, MapAccess};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

/// A JSON object, written as `google.protobuf.Struct`.
pub type JsonObject = Map<String, Value>;

impl Field for JsonObject {
    fn shape() -> Shape {
        Shape::Object
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        put_delimiter(number, object_size(self), buf);
        put_object(self, buf);
    }

    fn size(&self, number: u32) -> usize {
        delimited(number, object_size(self))
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut object = Object { members: std::mem::take(self), left: MAX_DEPTH - 1 };
        encoding::message::merge(wire_type, &mut object, buf, ctx)?;
        *self = object.members;
        Ok(())
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.serialize(s)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::deserialize(d)
    }

    /// A `Struct` is a message: set and empty is not the same as unset.
    fn is_default(&self) -> bool {
        false
    }
}

impl Field for Value {
    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        put_delimiter(number, value_size(self), buf);
        put_value(self, buf);
    }

    fn size(&self, number: u32) -> usize {
        delimited(number, value_size(self))
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut value = Any { value: std::mem::take(self), left: MAX_DEPTH };
        encoding::message::merge(wire_type, &mut value, buf, ctx)?;
        *self = value.value;
        Ok(())
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.serialize(s)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        Self::deserialize(d)
    }

    /// Here `null` is a value.
    fn member_from_json<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Option<Self>, A::Error> {
        map.next_value().map(Some)
    }
}

fn delimited(number: u32, size: usize) -> usize {
    encoding::key_len(number) + encoding::encoded_len_varint(size as u64) + size
}

fn entry_size(key: &String, value: &Value) -> usize {
    encoding::string::encoded_len(1, key) + delimited(2, value_size(value))
}

fn object_size(object: &JsonObject) -> usize {
    object.iter().map(|(key, value)| delimited(1, entry_size(key, value))).sum()
}

fn list_size(list: &[Value]) -> usize {
    list.iter().map(|value| delimited(1, value_size(value))).sum()
}

fn value_size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 2,
        Value::Number(_) => 9,
        Value::String(s) => encoding::string::encoded_len(3, s),
        Value::Object(object) => delimited(5, object_size(object)),
        Value::Array(list) => delimited(6, list_size(list)),
    }
}

fn put_delimiter(number: u32, size: usize, buf: &mut impl BufMut) {
    encoding::encode_key(number, WireType::LengthDelimited, buf);
    encoding::encode_varint(size as u64, buf);
}

fn put_object(object: &JsonObject, buf: &mut impl BufMut) {
    for (key, value) in object {
        put_delimiter(1, entry_size(key, value), buf);
        encoding::string::encode(1, key, buf);
        put_delimiter(2, value_size(value), buf);
        put_value(value, buf);
    }
}

fn put_value(value: &Value, buf: &mut impl BufMut) {
    match value {
        Value::Null => encoding::int32::encode(1, &0, buf),
        Value::Bool(b) => encoding::bool::encode(4, b, buf),
        // `as_f64` fails only for what no double can hold, and then only when another crate has
        // switched on `serde_json/arbitrary_precision`.
        Value::Number(n) => encoding::double::encode(2, &n.as_f64().unwrap_or(f64::NAN), buf),
        Value::String(s) => encoding::string::encode(3, s, buf),
        Value::Object(object) => {
            put_delimiter(5, object_size(object), buf);
            put_object(object, buf);
        }
        Value::Array(list) => {
            put_delimiter(6, list_size(list), buf);
            for item in list {
                put_delimiter(1, value_size(item), buf);
                put_value(item, buf);
            }
        }
    }
}

/// Whole numbers come back as JSON integers.
fn number(n: f64) -> Value {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if n.fract() == 0.0 && n.abs() <= EXACT { Value::from(n as i64) } else { Value::from(n) }
}

// The messages of `struct.proto`, each with how many objects and arrays may still open within it.

#[derive(Default)]
struct Object {
    members: JsonObject,
    left: usize,
}

#[derive(Default)]
struct Entry {
    key: String,
    value: Any,
}

#[derive(Default)]
struct Any {
    value: Value,
    left: usize,
}

#[derive(Default)]
struct List {
    items: Vec<Value>,
    left: usize,
}

/// One level further down: reads a message with a context that has not counted yet.
fn descend<M: prost::Message>(
    wire_type: WireType,
    message: &mut M,
    buf: &mut impl Buf,
) -> Result<(), DecodeError> {
    encoding::message::merge(wire_type, message, buf, DecodeContext::default())
}

/// How many levels are left below an object or an array.
fn below(left: usize) -> Result<usize, DecodeError> {
    match left.checked_sub(1) {
        Some(left) => Ok(left),
        None => Err(too_deep()),
    }
}

/// The error that `prost` has for this, which nobody else can make: it comes of nested groups.
#[cold]
fn too_deep() -> DecodeError {
    let groups = [0x0b; 128];
    encoding::skip_field(WireType::StartGroup, 1, &mut &groups[..], DecodeContext::default())
        .expect_err("prost skips no more than 100 nested groups")
}

macro_rules! read_only_message {
    ($ty:ident, |$this:ident, $number:ident, $wire_type:ident, $buf:ident, $ctx:ident| $body:expr) => {
        impl prost::Message for $ty {
            fn merge_field(
                &mut self,
                $number: u32,
                $wire_type: WireType,
                $buf: &mut impl Buf,
                $ctx: DecodeContext,
            ) -> Result<(), DecodeError> {
                let $this = self;
                $body
            }

            fn encode_raw(&self, _: &mut impl BufMut) {
                unreachable!("written by put_object and put_value")
            }

            fn encoded_len(&self) -> usize {
                unreachable!("written by put_object and put_value")
            }

            fn clear(&mut self) {
                *self = Self::default();
            }
        }
    };
}

read_only_message!(Object, |this, number, wire_type, buf, ctx| match number {
    1 => {
        let value = Any { left: this.left, ..Any::default() };
        let mut entry = Entry { value, ..Entry::default() };
        descend(wire_type, &mut entry, buf)?;
        this.members.insert(entry.key, entry.value.value);
        Ok(())
    }
    _ => encoding::skip_field(wire_type, number, buf, ctx),
});

read_only_message!(Entry, |this, number, wire_type, buf, ctx| match number {
    1 => encoding::string::merge(wire_type, &mut this.key, buf, ctx),
    2 => descend(wire_type, &mut this.value, buf),
    _ => encoding::skip_field(wire_type, number, buf, ctx),
});

read_only_message!(List, |this, number, wire_type, buf, ctx| match number {
    1 => {
        let mut item = Any { left: this.left, ..Any::default() };
        descend(wire_type, &mut item, buf)?;
        this.items.push(item.value);
        Ok(())
    }
    _ => encoding::skip_field(wire_type, number, buf, ctx),
});

read_only_message!(Any, |this, number, wire_type, buf, ctx| {
    this.value = match number {
        1 => {
            let mut null = 0;
            encoding::int32::merge(wire_type, &mut null, buf, ctx)?;
            Value::Null
        }
        2 => {
            let mut n = 0.0;
            encoding::double::merge(wire_type, &mut n, buf, ctx)?;
            self::number(n)
        }
        3 => {
            let mut s = String::new();
            encoding::string::merge(wire_type, &mut s, buf, ctx)?;
            Value::String(s)
        }
        4 => {
            let mut b = false;
            encoding::bool::merge(wire_type, &mut b, buf, ctx)?;
            Value::Bool(b)
        }
        // A repeated member of a union is merged into itself.
        5 => {
            let members = match std::mem::take(&mut this.value) {
                Value::Object(members) => members,
                _ => JsonObject::new(),
            };
            let mut object = Object { members, left: below(this.left)? };
            descend(wire_type, &mut object, buf)?;
            Value::Object(object.members)
        }
        6 => {
            let items = match std::mem::take(&mut this.value) {
                Value::Array(items) => items,
                _ => Vec::new(),
            };
            let mut list = List { items, left: below(this.left)? };
            descend(wire_type, &mut list, buf)?;
            Value::Array(list.items)
        }
        _ => return encoding::skip_field(wire_type, number, buf, ctx),
    };
    Ok(())
});
