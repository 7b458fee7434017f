//! The messages of an answer, however its bytes are cut.

use bytes::{Buf, Bytes, BytesMut};
use sabir_types::Error;

/// What stands before a message: a flag, and its length in four bytes.
pub(super) const PREFIX: usize = 5;

/// A message as it stands in a request.
pub(super) fn framed(message: &[u8]) -> Result<Vec<u8>, Error> {
    let length = u32::try_from(message.len()).map_err(|_| Error::too_large(u32::MAX as usize))?;
    Ok([&[0], &length.to_be_bytes()[..], message].concat())
}

/// Takes an answer apart into its messages.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    unread: BytesMut,
}

impl Frames {
    /// Takes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
    }

    /// Whether every message was taken, and no part of another has come.
    pub(crate) fn is_empty(&self) -> bool {
        self.unread.is_empty()
    }

    /// The next message, if it has come as a whole; one of more than `most` bytes is refused, as is
    /// a compressed one, since we never said that we could read it.
    pub(crate) fn next(&mut self, most: usize) -> Result<Option<Bytes>, String> {
        let Some((prefix, rest)) = self.unread.split_first_chunk::<PREFIX>() else {
            return Ok(None);
        };
        let [flag, length @ ..] = *prefix;
        let length = u32::from_be_bytes(length) as usize;
        if flag != 0 {
            return Err("a message is compressed, which was not asked for".to_owned());
        }
        if length > most {
            return Err(format!("a message is larger than {most} bytes"));
        }
        if rest.len() < length {
            return Ok(None);
        }
        self.unread.advance(PREFIX);
        Ok(Some(self.unread.split_to(length).freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Frames, framed};

    #[test]
    fn messages_are_found_however_the_bytes_are_cut() {
        let bytes =
            [framed(b"one").unwrap(), framed(b"").unwrap(), framed(b"two").unwrap()].concat();
        for size in 1..=bytes.len() {
            let mut frames = Frames::default();
            let mut found = Vec::new();
            for chunk in bytes.chunks(size) {
                frames.push(chunk);
                while let Some(message) = frames.next(3).unwrap() {
                    found.push(message);
                }
            }
            assert_eq!(found, [&b"one"[..], b"", b"two"], "{size}");
            assert!(frames.is_empty());
        }
    }

    #[test]
    fn what_is_too_large_or_compressed_is_refused_at_once() {
        for (prefix, word) in [(b"\0\0\0\0\x04", "larger"), (b"\x01\0\0\0\x01", "compressed")] {
            let mut frames = Frames::default();
            frames.push(prefix);
            assert!(frames.next(3).unwrap_err().contains(word));
        }
    }
}
