//! Shows what a command writes as it comes, in chunks of one artifact.

use super::{artifact, without_newline};
use sabir::engine::EmitError;
use sabir::prelude::*;

/// Emits each piece of an output as a chunk, one behind, so that the last one is known as such.
pub(super) struct Chunks {
    splitter: Splitter,
    held: Option<Vec<u8>>,
    turn: Turn,
}

impl Chunks {
    pub(super) fn new(delimiter: &str, turn: Turn) -> Self {
        Self { splitter: Splitter::new(delimiter), held: None, turn }
    }

    /// Takes more of the output.
    pub(super) async fn push(&mut self, bytes: &[u8]) -> Result<(), EmitError> {
        for piece in self.splitter.push(bytes) {
            if let Some(before) = self.held.replace(piece) {
                self.turn.append(artifact(before), false).await?;
            }
        }
        Ok(())
    }

    /// Emits what is left; an output without a byte makes no artifact.
    pub(super) async fn finish(mut self) -> Result<(), EmitError> {
        let rest = without_newline(std::mem::take(&mut self.splitter.pending));
        let last = match self.held.take() {
            Some(before) if rest.is_empty() => before,
            None if rest.is_empty() => return Ok(()),
            Some(before) => {
                self.turn.append(artifact(before), false).await?;
                rest
            }
            None => rest,
        };
        self.turn.append(artifact(last), true).await?;
        Ok(())
    }
}

/// Splits bytes at a delimiter, which belongs to no piece.
struct Splitter {
    delimiter: Vec<u8>,
    pending: Vec<u8>,
}

impl Splitter {
    fn new(delimiter: &str) -> Self {
        Self { delimiter: delimiter.into(), pending: Vec::new() }
    }

    /// The pieces that are complete now.
    fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        // A delimiter may straddle what was there and what is new, but not begin further back.
        let mut from = self.pending.len().saturating_sub(self.delimiter.len().saturating_sub(1));
        self.pending.extend_from_slice(bytes);
        let mut pieces = Vec::new();
        let mut start = 0;
        while let Some(at) = self.find(from) {
            pieces.push(self.pending[start..at].to_vec());
            start = at + self.delimiter.len();
            from = start;
        }
        self.pending.drain(..start);
        pieces
    }

    fn find(&self, from: usize) -> Option<usize> {
        if self.delimiter.is_empty() {
            return None;
        }
        let window = self.pending[from..].windows(self.delimiter.len());
        window.into_iter().position(|window| window == self.delimiter).map(|at| from + at)
    }
}

#[cfg(test)]
mod tests {
    use super::Splitter;

    fn pieces(delimiter: &str, blocks: &[&str]) -> (Vec<String>, String) {
        let mut splitter = Splitter::new(delimiter);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let pieces = blocks.iter().flat_map(|b| splitter.push(b.as_bytes())).map(text).collect();
        (pieces, text(splitter.pending))
    }

    #[test]
    fn pieces_end_at_the_delimiter_wherever_the_blocks_end() {
        let whole = pieces("--", &["a--b-c----d"]);
        assert_eq!(whole, (vec!["a".into(), "b-c".into(), "".into()], "d".into()));
        let bytewise: Vec<_> = "a--b-c----d".split("").collect();
        assert_eq!(pieces("--", &bytewise), whole);
        assert_eq!(pieces("--", &["a-", "-b-c--", "--d"]), whole);
    }

    #[test]
    fn what_has_no_delimiter_is_one_piece() {
        assert_eq!(pieces("\n", &["ab", "c"]), (vec![], "abc".into()));
        assert_eq!(pieces("", &["ab", "c"]), (vec![], "abc".into()));
    }
}
