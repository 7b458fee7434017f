//! Where a body ends: by its length, by chunks, or with the connection.

use super::Head;

/// What is still to come of a body.
#[derive(Debug)]
pub(super) enum Body {
    /// Nothing.
    None,
    /// So many bytes.
    Length(usize),
    /// Chunks; so many bytes are left of the open one.
    Chunked { left: usize },
    /// Whatever comes until the connection ends.
    UntilClose,
}

/// What could be taken.
pub(super) enum Piece {
    Some(Vec<u8>),
    NeedsMore,
    End,
}

impl Body {
    pub(super) fn after(head: &Head) -> Self {
        if head.status < 200 || head.status == 204 || head.status == 304 {
            return Self::None;
        }
        if head.header("transfer-encoding").is_some_and(|value| value.contains("chunked")) {
            return Self::Chunked { left: 0 };
        }
        match head.header("content-length").map(str::parse) {
            Some(Ok(length)) => Self::Length(length),
            Some(Err(_)) => panic!("not a length: {:?}", head.header("content-length")),
            None => Self::UntilClose,
        }
    }

    pub(super) fn ends_with_connection(&self) -> bool {
        matches!(self, Self::UntilClose)
    }

    /// Takes what is there of the body from what was read.
    pub(super) fn take(&mut self, unread: &mut Vec<u8>) -> Piece {
        match self {
            Self::None | Self::Length(0) => Piece::End,
            Self::Length(_) if unread.is_empty() => Piece::NeedsMore,
            Self::Length(left) => {
                let length = unread.len().min(*left);
                *left -= length;
                Piece::Some(unread.drain(..length).collect())
            }
            Self::UntilClose if unread.is_empty() => Piece::NeedsMore,
            Self::UntilClose => Piece::Some(std::mem::take(unread)),
            Self::Chunked { left: 0 } => self.open_chunk(unread),
            Self::Chunked { left } => {
                // The line end after a chunk's bytes belongs to it: take both or neither.
                if unread.len() < *left {
                    return Piece::NeedsMore;
                }
                let mut chunk: Vec<u8> = unread.drain(..*left).collect();
                *left = 0;
                chunk.truncate(chunk.len() - 2);
                Piece::Some(chunk)
            }
        }
    }

    fn open_chunk(&mut self, unread: &mut Vec<u8>) -> Piece {
        let Some(end) = unread.windows(2).position(|window| window == b"\r\n") else {
            return Piece::NeedsMore;
        };
        let line = String::from_utf8_lossy(&unread[..end]).into_owned();
        let digits = line.split(';').next().unwrap_or_default().trim();
        let Ok(size) = usize::from_str_radix(digits, 16) else {
            panic!("not the size of a chunk: {line:?}");
        };
        if size == 0 {
            return self.close(end, unread);
        }
        unread.drain(..end + 2);
        *self = Self::Chunked { left: size + 2 };
        self.take(unread)
    }

    /// The last chunk is an empty one, then the trailers (we are sent none), then an empty line.
    fn close(&mut self, end: usize, unread: &mut Vec<u8>) -> Piece {
        if unread.len() < end + 4 {
            return Piece::NeedsMore;
        }
        unread.drain(..end + 4);
        *self = Self::None;
        Piece::End
    }
}

#[cfg(test)]
mod tests {
    use super::{Body, Piece};

    fn read(mut body: Body, bytes: &[u8], step: usize) -> Option<String> {
        let (mut unread, mut whole) = (Vec::new(), Vec::new());
        let mut steps = bytes.chunks(step);
        loop {
            match body.take(&mut unread) {
                Piece::Some(piece) => whole.extend(piece),
                Piece::End => return String::from_utf8(whole).ok(),
                Piece::NeedsMore => unread.extend_from_slice(steps.next()?),
            }
        }
    }

    #[test]
    fn chunks_are_read_however_they_arrive() {
        let wire = b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n";
        for step in 1..wire.len() {
            let body = read(Body::Chunked { left: 0 }, wire, step);
            assert_eq!(body.as_deref(), Some("hello world"), "in steps of {step}");
        }
    }

    #[test]
    fn a_length_ends_the_body_and_leaves_the_rest() {
        assert_eq!(read(Body::Length(5), b"hello", 2).as_deref(), Some("hello"));
        let mut unread = b"helloHTTP/1.1".to_vec();
        let mut body = Body::Length(5);
        assert!(matches!(body.take(&mut unread), Piece::Some(piece) if piece == b"hello"));
        assert!(matches!(body.take(&mut unread), Piece::End));
        assert_eq!(unread, b"HTTP/1.1");
    }

    #[test]
    fn a_body_that_is_cut_off_does_not_end() {
        assert_eq!(read(Body::Chunked { left: 0 }, b"5\r\nhel", 1), None);
        assert_eq!(read(Body::Length(9), b"hello", 1), None);
    }
}
