//! Whole documents: decodes them with errors that name the place, and limits their depth.

use super::{Buf, ProtoMessage};
use crate::Error;
use serde::de::{Deserialize, IgnoredAny};

/// How deep JSON from a peer may nest.
pub const MAX_DEPTH: usize = 64;

/// Decodes a message from JSON.
///
/// What is not JSON is a [`ParseError`](crate::ErrorKind::ParseError); JSON that is not the message
/// is [`InvalidParams`](crate::ErrorKind::InvalidParams) with a violation that names the field.
/// Whether the message is complete is asked by [`ProtoMessage::check`].
pub fn from_json<M: ProtoMessage + for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<M, Error> {
    serde_json::from_slice(bytes).map_err(|error| explain::<M>(bytes, &error))
}

/// Reads the document again, slowly: only what was refused pays for a good message.
#[cold]
fn explain<M: for<'de> Deserialize<'de>>(bytes: &[u8], error: &serde_json::Error) -> Error {
    if let Err(utf8) = std::str::from_utf8(bytes) {
        return Error::parse_error(format!("not UTF-8: {utf8}"));
    }
    if let Err(syntax) = serde_json::from_slice::<IgnoredAny>(bytes) {
        return Error::parse_error(syntax.to_string());
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize::<_, M>(&mut json) {
        Err(traced) => {
            let field = field_of(traced.path());
            Error::invalid_params(field, concise(&traced.into_inner()))
        }
        // Not reached: both read the same document into the same type.
        Ok(_) => Error::invalid_params("", concise(error)),
    }
}

/// The message of an error without ` at line 1 column 17`, since the path says it better, and cut
/// short, since it may quote what a peer sent.
pub(crate) fn concise(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    shorten(text.strip_suffix(&position).unwrap_or(&text))
}

/// At most 200 characters of a text.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A path as it stands in a violation; the document itself has none.
pub(super) fn field_of(path: &serde_path_to_error::Path) -> String {
    let path = path.to_string();
    if path == "." { String::new() } else { shorten(&path) }
}

/// Encodes a message as JSON.
///
/// Fails only for what JSON cannot express: a timestamp out of range.
pub fn to_json<M: serde::Serialize>(message: &M) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    match super::write_json(message, &mut out) {
        Ok(()) => Ok(out),
        Err(e) => Err(Error::internal(format!("cannot be written: {e}"))),
    }
}

/// Encodes a message as protobuf.
pub fn to_protobuf<M: ProtoMessage>(message: &M) -> Vec<u8> {
    message.encode_to_vec()
}

/// Decodes a message from protobuf.
pub fn from_protobuf<M: ProtoMessage>(buf: impl Buf) -> Result<M, Error> {
    M::decode(buf).map_err(|error| {
        let text = error.to_string();
        if text.ends_with("recursion limit reached") {
            return Error::invalid_request(too_deep("message", MAX_DEPTH));
        }
        Error::invalid_params("", text)
    })
}

fn too_deep(what: &str, max: usize) -> String {
    format!("the {what} nests deeper than {max} levels")
}

/// Refuses JSON that nests deeper than `max` arrays and objects.
///
/// One scan that knows strings but checks no syntax: what is not JSON is for the decoder to say.
pub fn check_depth(bytes: &[u8], max: usize) -> Result<(), Error> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => at += string_len(&bytes[at..]),
            b'{' | b'[' => {
                depth += 1;
                if depth > max {
                    return Err(Error::invalid_request(too_deep("JSON", max)));
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

/// How far it is to the end of a string, its closing quote included.
fn string_len(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        // What follows a backslash is escaped.
        at = (at + 1).min(bytes.len());
    }
    bytes.len()
}
