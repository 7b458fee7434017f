//! Optional, repeated and mapped fields.

use super::{AsJson, Buf, BufMut, DecodeContext, DecodeError, Field, Shape, WireType, join_path};
use prost::encoding;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, Serializer};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::marker::PhantomData;

/// Reads the next value of a JSON object; `null` reads as the default.
pub fn next_value<'de, T: Field, A: MapAccess<'de>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value_seed(FromJson::<Option<T>>::new()).map(Option::unwrap_or_default)
}

/// Reads a field where `serde` wants a seed.
pub(super) struct FromJson<T>(PhantomData<T>);

impl<T> FromJson<T> {
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Field> DeserializeSeed<'de> for FromJson<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<T, D::Error> {
        T::from_json(d)
    }
}

impl<T: Field> Field for Option<T> {
    fn shape() -> Shape {
        T::shape()
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }

    fn is_default(&self) -> bool {
        self.as_ref().is_none_or(T::is_default)
    }

    fn settle(&mut self) {
        if self.is_default() {
            *self = None;
        }
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        if let Some(value) = self {
            value.put(number, buf);
        }
    }

    fn size(&self, number: u32) -> usize {
        self.as_ref().map_or(0, |value| value.size(number))
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        self.get_or_insert_with(T::default).merge(wire_type, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Some(value) => value.to_json(s),
            None => s.serialize_none(),
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_option(ValueOrNull(PhantomData))
    }

    fn first_missing(&self) -> Option<String> {
        self.as_ref().and_then(T::first_missing)
    }
}

struct ValueOrNull<T>(PhantomData<T>);

impl<'de, T: Field> Visitor<'de> for ValueOrNull<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value or null")
    }

    fn visit_none<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, d: D) -> Result<Option<T>, D::Error> {
        T::from_json(d).map(Some)
    }
}

impl<T: Field> Field for Vec<T> {
    fn shape() -> Shape {
        Shape::List(Box::new(T::shape()))
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        for item in self {
            item.put(number, buf);
        }
    }

    fn size(&self, number: u32) -> usize {
        self.iter().map(|item| item.size(number)).sum()
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut item = T::default();
        item.merge(wire_type, buf, ctx)?;
        self.push(item);
        Ok(())
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut seq = s.serialize_seq(Some(self.len()))?;
        for item in self {
            seq.serialize_element(&AsJson(item))?;
        }
        seq.end()
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_seq(Items(PhantomData))
    }

    fn first_missing(&self) -> Option<String> {
        self.iter().enumerate().find_map(|(index, item)| {
            item.first_missing().map(|path| join_path(&format!("[{index}]"), &path))
        })
    }
}

struct Items<T>(PhantomData<T>);

impl<'de, T: Field> Visitor<'de> for Items<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut out = Vec::new();
        while let Some(item) = seq.next_element_seed(FromJson::new())? {
            out.push(item);
        }
        Ok(out)
    }
}

impl<T: Field> Field for BTreeMap<String, T> {
    fn shape() -> Shape {
        Shape::Map(Box::new(T::shape()))
    }

    fn is_absent(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        for (key, value) in self {
            encoding::encode_key(number, WireType::LengthDelimited, buf);
            encoding::encode_varint(entry_size(key, value) as u64, buf);
            key.put(1, buf);
            value.put(2, buf);
        }
    }

    fn size(&self, number: u32) -> usize {
        let delimited = |(key, value): (&String, &T)| {
            let size = entry_size(key, value);
            encoding::key_len(number) + encoding::encoded_len_varint(size as u64) + size
        };
        self.iter().map(delimited).sum()
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut entry = MapEntry::<T>::default();
        encoding::message::merge(wire_type, &mut entry, buf, ctx)?;
        self.insert(entry.key, entry.value);
        Ok(())
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.iter().map(|(key, value)| (key, AsJson(value))))
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_map(Entries(PhantomData))
    }

    fn first_missing(&self) -> Option<String> {
        self.iter().find_map(|(key, value)| value.first_missing().map(|path| join_path(key, &path)))
    }
}

fn entry_size<T: Field>(key: &String, value: &T) -> usize {
    key.size(1) + value.size(2)
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Field> Visitor<'de> for Entries<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut out = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            match out.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(next_value(&mut map)?);
                }
                Entry::Occupied(entry) => {
                    return Err(de::Error::custom(format_args!("duplicate key `{}`", entry.key())));
                }
            }
        }
        Ok(out)
    }
}

/// One entry of a map, which protobuf reads as a message of its own.
#[derive(Default)]
struct MapEntry<T> {
    key: String,
    value: T,
}

impl<T: Field> prost::Message for MapEntry<T> {
    fn merge_field(
        &mut self,
        number: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match number {
            1 => Field::merge(&mut self.key, wire_type, buf, ctx),
            2 => Field::merge(&mut self.value, wire_type, buf, ctx),
            _ => encoding::skip_field(wire_type, number, buf, ctx),
        }
    }

    fn encode_raw(&self, buf: &mut impl BufMut) {
        self.key.put(1, buf);
        self.value.put(2, buf);
    }

    fn encoded_len(&self) -> usize {
        entry_size(&self.key, &self.value)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}
