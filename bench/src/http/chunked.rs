//! The chunked transfer coding, read as it comes.

use memchr::memmem;
use std::io::{self, ErrorKind};
use std::str;

/// How far a body was read.
#[derive(Debug, Default)]
pub(super) struct Chunked(State);

#[derive(Debug, Default)]
enum State {
    /// Before the line with the size of the next chunk.
    #[default]
    Size,
    /// Within a chunk, of which so much is still to come.
    Data(usize),
    /// Before the line break behind a chunk.
    Break,
    /// Among the lines behind the last chunk.
    Trailer,
    Done,
}

impl Chunked {
    /// Appends what is content to `out`; gives how much of the input was used.
    pub(super) fn decode(&mut self, input: &[u8], out: &mut Vec<u8>) -> io::Result<usize> {
        let mut at = 0;
        loop {
            let rest = &input[at..];
            match self.0 {
                State::Data(left) => {
                    let here = left.min(rest.len());
                    out.extend_from_slice(&rest[..here]);
                    at += here;
                    if here < left {
                        self.0 = State::Data(left - here);
                        return Ok(at);
                    }
                    self.0 = State::Break;
                }
                State::Done => return Ok(at),
                State::Size | State::Break | State::Trailer => {
                    let Some(end) = memmem::find(rest, b"\r\n") else { return Ok(at) };
                    self.0 = self.after(&rest[..end])?;
                    at += end + 2;
                }
            }
        }
    }

    /// What follows a line that is not content.
    fn after(&self, line: &[u8]) -> io::Result<State> {
        Ok(match (&self.0, line) {
            (State::Size, line) => match size(line) {
                Some(0) => State::Trailer,
                Some(size) => State::Data(size),
                None => {
                    return Err(io::Error::new(ErrorKind::InvalidData, "a chunk without a size"));
                }
            },
            (State::Trailer, []) => State::Done,
            (State::Trailer, _) => State::Trailer,
            _ => State::Size,
        })
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.0, State::Done)
    }
}

fn size(line: &[u8]) -> Option<usize> {
    let line = str::from_utf8(line).ok()?;
    let size = line.split(';').next()?.trim();
    usize::from_str_radix(size, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::Chunked;

    #[test]
    fn a_body_is_the_same_however_it_is_cut() {
        let coded = b"5\r\nhello\r\n1;x=y\r\n \r\nA\r\nevery\r\none\r\n0\r\nx: y\r\n\r\n";
        for step in 1..coded.len() {
            let (mut chunked, mut body, mut input) = (Chunked::default(), Vec::new(), Vec::new());
            for piece in coded.chunks(step) {
                assert!(!chunked.is_done());
                input.extend_from_slice(piece);
                let used = chunked.decode(&input, &mut body).unwrap();
                input.drain(..used);
            }
            assert!(chunked.is_done() && input.is_empty());
            assert_eq!(body, b"hello every\r\none");
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        assert!(Chunked::default().decode(b"xyz\r\n", &mut Vec::new()).is_err());
    }
}
