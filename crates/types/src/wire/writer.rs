//! Writes ProtoJSON into bytes: serde_json's form, with less work.
//!
//! serde_json looks at every byte of every key and value by itself. Here names that stand in the
//! protocol are copied as they are ([`Name`]), and other texts are looked at in blocks.

use serde::ser::{
    Error as _, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple,
    Serializer,
};
use serde_json::Error;

/// Appends the ProtoJSON of a value, without spaces.
///
/// # Errors
/// For what JSON cannot express: a timestamp out of range, a key that is not a string. What was
/// written up to there stays.
pub fn write_json(value: &impl Serialize, out: &mut Vec<u8>) -> Result<(), Error> {
    value.serialize(Writer(out))
}

/// A name that stands in the protocol: a key, or a value of an enum.
pub(super) struct Name(pub(super) &'static str);

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_unit_variant("", 0, self.0)
    }
}

struct Writer<'a>(&'a mut Vec<u8>);

/// An array or object that is being written.
struct Compound<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
    close: u8,
}

impl<'a> Compound<'a> {
    fn open(out: &'a mut Vec<u8>, open: u8, close: u8) -> Self {
        out.push(open);
        Self { out, is_empty: true, close }
    }

    fn next(&mut self) {
        if !self.is_empty {
            self.out.push(b',');
        }
        self.is_empty = false;
    }

    fn end(self) {
        self.out.push(self.close);
    }
}

impl<'a> Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        put_string(text, self.0);
        Ok(())
    }

    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.0.extend_from_slice(if value { b"true" } else { b"false" });
        Ok(())
    }

    fn serialize_i64(self, value: i64) -> Result<(), Error> {
        serde_json::to_writer(self.0, &value)
    }

    fn serialize_u64(self, value: u64) -> Result<(), Error> {
        serde_json::to_writer(self.0, &value)
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        serde_json::to_writer(self.0, &value)
    }

    fn serialize_i8(self, value: i8) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<(), Error> {
        self.serialize_i64(value.into())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Error> {
        self.serialize_u64(value.into())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        serde_json::to_writer(self.0, &value)
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        serde_json::to_writer(self.0, value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    /// A name of the program's own, which needs no escapes.
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Error> {
        debug_assert!(!needs_escape(variant.as_bytes()), "{variant}");
        put_plain(variant.as_bytes(), self.0);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let mut map = self.serialize_map(Some(1))?;
        map.serialize_entry(variant, value)?;
        SerializeMap::end(map)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(Compound::open(self.0, b'[', b']'))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        self.serialize_seq(None)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(Compound::open(self.0, b'{', b'}'))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        self.serialize_map(None)
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        Err(unsupported(name))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        Err(unsupported(name))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        Err(unsupported(name))
    }
}

/// Shapes that no protocol type has.
#[cold]
fn unsupported(name: &str) -> Error {
    Error::custom(format_args!("{name} has no form in ProtoJSON"))
}

impl SerializeSeq for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.next();
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<(), Error> {
        Self::end(self);
        Ok(())
    }
}

impl SerializeTuple for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Error> {
        Self::end(self);
        Ok(())
    }
}

impl SerializeMap for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.next();
        let from = self.out.len();
        key.serialize(Writer(self.out))?;
        match self.out.get(from) {
            Some(b'"') => Ok(()),
            _ => Err(Error::custom("a key must be a string")),
        }
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.out.push(b':');
        value.serialize(Writer(self.out))
    }

    fn end(self) -> Result<(), Error> {
        Self::end(self);
        Ok(())
    }
}

impl SerializeStruct for Compound<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.serialize_entry(key, value)
    }

    fn end(self) -> Result<(), Error> {
        Self::end(self);
        Ok(())
    }
}

/// Writes a string in quotes, with those escapes that JSON demands.
fn put_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    if !needs_escape(bytes) {
        return put_plain(bytes, out);
    }
    out.push(b'"');
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| is_escaped(*byte)) {
        out.extend_from_slice(&rest[..at]);
        put_escape(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn put_plain(bytes: &[u8], out: &mut Vec<u8>) {
    out.reserve(bytes.len() + 3);
    out.push(b'"');
    out.extend_from_slice(bytes);
    out.push(b'"');
}

/// Whether a string has a quote, a backslash or a control character.
fn needs_escape(bytes: &[u8]) -> bool {
    // Whole blocks of a fixed size become a few vector instructions; the last one overlaps.
    match (bytes.last_chunk::<16>(), bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(last), ..) => bytes.as_chunks::<16>().0.iter().any(any_escaped) || any_escaped(last),
        (None, Some(first), Some(last)) => any_escaped(first) || any_escaped(last),
        _ => bytes.iter().any(|byte| is_escaped(*byte)),
    }
}

fn any_escaped<const N: usize>(block: &[u8; N]) -> bool {
    block.iter().fold(false, |any, byte| any | is_escaped(*byte))
}

fn is_escaped(byte: u8) -> bool {
    // Without short cuts, so that blocks need no branches.
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn put_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x09 => b't',
        0x0a => b'n',
        0x0c => b'f',
        0x0d => b'r',
        _ => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn written(value: &impl Serialize) -> String {
        let mut out = Vec::new();
        write_json(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_character_at_every_place_is_written_as_serde_json_does() {
        for code in 0..0x250_u32 {
            let Some(character) = char::from_u32(code) else { continue };
            for before in 0..10 {
                let text = format!("{}{character}{}", "x".repeat(before), "é\"y".repeat(3));
                assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
            }
        }
    }

    #[test]
    fn values_are_written_as_serde_json_does() {
        let value = json!({
            "": null, "a\"b": [true, false, 1, -1, u64::MAX, i64::MIN, 1.5, 1e300, 5.0],
            "nested": {"empty": {}, "list": [], "text": "tab\there"},
        });
        assert_eq!(written(&value), value.to_string());
        assert_eq!(written(&(1_u8, 'c', Some("x"), ())), r#"[1,"c","x",null]"#);
        assert_eq!(written(&f64::NAN), "null");
    }

    #[test]
    fn a_key_that_is_no_string_is_refused() {
        let map = std::collections::BTreeMap::from([(1, 2)]);
        assert!(write_json(&map, &mut Vec::new()).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_serde_json_does(text in any::<String>()) {
            prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn any_number_is_written_as_serde_json_does(number in any::<f64>(), whole in any::<i64>()) {
            prop_assert_eq!(written(&number), serde_json::to_string(&number).unwrap());
            prop_assert_eq!(written(&Value::from(whole)), whole.to_string());
        }
    }
}
