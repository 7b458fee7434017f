//! Keeps what a command writes, within bounds.

use super::chunks::Chunks;
use sabir::prelude::*;
use std::io;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// How much is read at once.
const BLOCK: usize = 16 << 10;

/// How long reading waits for more when the command is gone: time for what is in the pipe, and
/// not for a stranger who holds it open.
const PATIENCE: Duration = Duration::from_millis(250);

/// One of a command's outputs, which ends when it is closed or when the command is gone.
pub(super) struct Source<R> {
    from: R,
    gone: CancellationToken,
    patience: Duration,
}

impl<R: AsyncRead + Unpin> Source<R> {
    /// The output `from`; `gone` tells when nobody is left who should write to it.
    pub(super) fn new(from: R, gone: CancellationToken) -> Self {
        Self { from, gone, patience: PATIENCE }
    }

    /// Reads the next block; false at the end.
    async fn read(&mut self, block: &mut Vec<u8>) -> io::Result<bool> {
        block.clear();
        block.reserve(BLOCK);
        if !self.gone.is_cancelled() {
            tokio::select! {
                read = self.from.read_buf(block) => return Ok(read? > 0),
                () = self.gone.cancelled() => {}
            }
        }
        // Only the time spent here counts: whoever takes the blocks may be slow.
        let since = Instant::now();
        let read = timeout(self.patience, self.from.read_buf(block)).await;
        self.patience = self.patience.saturating_sub(since.elapsed());
        Ok(read.unwrap_or(Ok(0))? > 0)
    }
}

/// What a command writes to its standard output.
pub(super) struct Output {
    left: usize,
    limit: usize,
    /// Where it goes.
    pub(super) sink: Sink,
}

/// Where an output goes.
pub(super) enum Sink {
    /// It is kept until the end.
    Whole(Vec<u8>),
    /// It is shown as it comes.
    Chunks(Chunks),
}

impl Output {
    /// An output of at most so many bytes.
    pub(super) fn new(limit: usize, sink: Sink) -> Self {
        Self { left: limit, limit, sink }
    }

    /// Reads to the end.
    ///
    /// # Errors
    /// When there is more than may be, or nobody takes it.
    pub(super) async fn read<R: AsyncRead + Unpin>(
        &mut self,
        mut from: Source<R>,
    ) -> Result<(), ExecutorError> {
        let mut block = Vec::new();
        while from.read(&mut block).await? {
            self.left = self.left.checked_sub(block.len()).ok_or_else(|| {
                let limit = self.limit;
                ExecutorError::new(format!(
                    "the command wrote more than {limit} bytes to its standard output"
                ))
            })?;
            match &mut self.sink {
                Sink::Whole(bytes) => bytes.extend_from_slice(&block),
                Sink::Chunks(chunks) => chunks.push(&block).await?,
            }
        }
        Ok(())
    }
}

/// The last of what a command writes to its standard error.
pub(super) struct Tail {
    bytes: Vec<u8>,
    limit: usize,
    is_cut: bool,
}

impl Tail {
    /// Keeps at most so many bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, is_cut: false }
    }

    /// Reads to the end.
    pub(super) async fn read<R: AsyncRead + Unpin>(&mut self, mut from: Source<R>) {
        let mut block = Vec::new();
        // An error is an end as well: what was read is still worth showing.
        while from.read(&mut block).await.unwrap_or(false) {
            self.take(&block);
        }
    }

    fn take(&mut self, block: &[u8]) {
        self.bytes.extend_from_slice(block);
        let excess = self.bytes.len().saturating_sub(self.limit);
        self.is_cut |= excess > 0;
        self.bytes.drain(..excess);
    }

    /// What is kept; `…` stands for what is not.
    pub(super) fn text(&self) -> String {
        let text = String::from_utf8_lossy(&self.bytes);
        if !self.is_cut {
            return text.into_owned();
        }
        // The cut may go through a character.
        format!("…{}", text.trim_start_matches('\u{fffd}'))
    }
}

#[cfg(test)]
mod tests {
    use super::{Output, Sink, Source, Tail};
    use tokio::io::AsyncWriteExt;
    use tokio_util::sync::CancellationToken;

    fn source(bytes: &[u8]) -> Source<&[u8]> {
        Source::new(bytes, CancellationToken::new())
    }

    fn whole(output: &Output) -> &[u8] {
        match &output.sink {
            Sink::Whole(bytes) => bytes,
            Sink::Chunks(_) => panic!("not whole"),
        }
    }

    #[tokio::test]
    async fn an_output_is_taken_up_to_its_limit() {
        let mut output = Output::new(5, Sink::Whole(Vec::new()));
        output.read(source(b"12345")).await.unwrap();
        assert_eq!(whole(&output), b"12345");

        let mut output = Output::new(5, Sink::Whole(Vec::new()));
        let error = output.read(source(b"123456")).await.unwrap_err();
        assert_eq!(error.message(), "the command wrote more than 5 bytes to its standard output");
    }

    #[tokio::test(start_paused = true)]
    async fn a_pipe_that_a_stranger_holds_open_ends_with_the_command() {
        let (mut writer, reader) = tokio::io::duplex(64);
        writer.write_all(b"the last words").await.unwrap();
        let gone = CancellationToken::new();
        gone.cancel();
        let mut output = Output::new(100, Sink::Whole(Vec::new()));
        output.read(Source::new(reader, gone)).await.unwrap();
        assert_eq!(whole(&output), b"the last words");
        drop(writer);
    }

    #[tokio::test]
    async fn of_the_errors_the_last_bytes_are_kept() {
        let mut tail = Tail::new(5);
        tail.read(source(b"12345")).await;
        assert_eq!(tail.text(), "12345");
        tail.read(source(b"67")).await;
        assert_eq!(tail.text(), "…34567");
    }

    #[tokio::test]
    async fn a_cut_through_a_character_leaves_no_debris() {
        let mut tail = Tail::new(2);
        tail.read(source("aé!".as_bytes())).await;
        assert_eq!(tail.text(), "…!");
    }
}
