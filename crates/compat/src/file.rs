//! The bytes of files in the protobuf dialect, which most peers encode twice.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;

/// How the bytes of a file stand in the protobuf dialect.
///
/// The kits for Python and Go put the *text* of the base64 into the field for bytes, so that JSON
/// holds it encoded twice; that for JavaScript puts the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileBytes {
    /// As base64 text. What comes in is decoded a second time where it is base64 through and
    /// through; a file that is itself such a text reads as what it encodes.
    #[default]
    Text,
    /// As they are.
    Plain,
}

impl FileBytes {
    /// As they go out.
    pub(crate) fn write(self, bytes: Bytes) -> Bytes {
        match self {
            Self::Text => BASE64_STANDARD.encode(&bytes).into(),
            Self::Plain => bytes,
        }
    }

    /// As they came in.
    pub(crate) fn read(self, bytes: Bytes) -> Bytes {
        match self {
            // The engine takes nothing but whole, padded groups without trailing bits.
            Self::Text if !bytes.is_empty() => {
                BASE64_STANDARD.decode(&bytes).map_or(bytes, Bytes::from)
            }
            Self::Text | Self::Plain => bytes,
        }
    }
}
