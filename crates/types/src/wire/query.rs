//! Reads a message from the query parameters of a URL.

use super::ProtoMessage;
use super::json::{field_of, shorten};
use crate::Error;
use serde::de::value::{Error as QueryError, MapDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use std::borrow::Cow;

/// Decodes a message from decoded query parameters (and path parameters), each a string.
///
/// Numbers are decimal, booleans `true` or `false`, enums names, timestamps RFC 3339, and repeated
/// fields one parameter with commas. Parameters that the message does not know are ignored.
pub fn from_query<'a, M, I>(parameters: I) -> Result<M, Error>
where
    M: ProtoMessage + for<'de> Deserialize<'de>,
    I: IntoIterator<Item = (Cow<'a, str>, Cow<'a, str>)>,
{
    let entries = parameters.into_iter().map(|(key, value)| (Key(key), Parameter(value)));
    let map = MapDeserializer::<_, QueryError>::new(entries);
    serde_path_to_error::deserialize(map).map_err(|traced| {
        let field = field_of(traced.path());
        Error::invalid_params(field, shorten(&traced.into_inner().to_string()))
    })
}

struct Key<'a>(Cow<'a, str>);

impl<'de> IntoDeserializer<'de, QueryError> for Key<'_> {
    type Deserializer = serde::de::value::StringDeserializer<QueryError>;

    fn into_deserializer(self) -> Self::Deserializer {
        self.0.into_owned().into_deserializer()
    }
}

/// A string that reads as whatever the field wants.
struct Parameter<'a>(Cow<'a, str>);

impl<'de> IntoDeserializer<'de, QueryError> for Parameter<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Parameter<'_> {
    type Error = QueryError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_str(&self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        visitor.visit_some(self)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        match &*self.0 {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => visitor.visit_str(&self.0),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, QueryError> {
        let items = self.0.split(',').map(|item| Parameter(Cow::Borrowed(item)));
        visitor.visit_seq(serde::de::value::SeqDeserializer::new(items))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct tuple tuple_struct map struct enum identifier ignored_any
    }
}
