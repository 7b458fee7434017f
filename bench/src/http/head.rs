//! The head of an answer.

use memchr::memmem;
use std::io::{self, ErrorKind};
use std::str;

/// How long a body is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Length {
    Known(usize),
    Chunked,
}

/// What has to be known of a head.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) length: Length,
    /// Where the body begins.
    pub(super) end: usize,
}

impl Head {
    /// Reads a head; `None` while it is not complete.
    pub(super) fn parse(input: &[u8]) -> io::Result<Option<Self>> {
        let Some(end) = memmem::find(input, b"\r\n\r\n") else { return Ok(None) };
        let head = str::from_utf8(&input[..end]).map_err(|_| odd("a head that is not UTF-8"))?;
        let mut lines = head.split("\r\n");
        let status =
            lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| odd("an answer that is not HTTP/1.1"))?;
        let length = lines.find_map(length).ok_or_else(|| odd("a body without a length"))?;
        Ok(Some(Self { status, length, end: end + 4 }))
    }
}

/// What a header says about the length, if it is one that does.
fn length(header: &str) -> Option<Length> {
    let (name, value) = header.split_once(':')?;
    if name.eq_ignore_ascii_case("content-length") {
        return Some(Length::Known(value.trim().parse().ok()?));
    }
    let chunked = name.eq_ignore_ascii_case("transfer-encoding");
    (chunked && value.trim().eq_ignore_ascii_case("chunked")).then_some(Length::Chunked)
}

fn odd(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::{Head, Length};

    #[test]
    fn a_head_says_how_long_the_body_is() {
        let known = b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\ndate: x\r\n\r\nbody";
        let head = Head::parse(known).unwrap().unwrap();
        assert_eq!(head, Head { status: 200, length: Length::Known(12), end: 48 });
        assert_eq!(Head::parse(&known[..40]).unwrap(), None);

        let chunked = b"HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n";
        let head = Head::parse(chunked).unwrap().unwrap();
        assert_eq!((head.status, head.length), (404, Length::Chunked));
    }

    #[test]
    fn a_body_without_a_length_is_refused() {
        assert!(Head::parse(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").is_err());
    }
}
