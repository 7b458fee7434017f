//! A connection over HTTP/1.1 that is kept, with as little work as an honest client can do: what
//! it costs is taken from the server, which shares the machine.

mod chunked;
mod head;

use chunked::Chunked;
use head::{Head, Length};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How much is read at once.
const READ: usize = 64 << 10;

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    /// What came and is not used yet.
    input: Vec<u8>,
    body: Vec<u8>,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, input: Vec::with_capacity(READ), body: Vec::new() })
    }

    /// Sends a request and reads its answer to the end; gives status and body.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> io::Result<(u16, &[u8])> {
        self.stream.write_all(request).await?;
        self.input.clear();
        self.body.clear();
        let head = loop {
            match Head::parse(&self.input)? {
                Some(head) => break head,
                None => self.read().await?,
            }
        };
        match head.length {
            Length::Known(length) => {
                while self.input.len() < head.end + length {
                    self.read().await?;
                }
                self.body.extend_from_slice(&self.input[head.end..head.end + length]);
            }
            Length::Chunked => self.read_chunks(head.end).await?,
        }
        Ok((head.status, &self.body))
    }

    async fn read_chunks(&mut self, mut at: usize) -> io::Result<()> {
        let mut chunked = Chunked::default();
        loop {
            at += chunked.decode(&self.input[at..], &mut self.body)?;
            if chunked.is_done() {
                return Ok(());
            }
            // What was used is dropped, so that a long answer does not stay here as well.
            self.input.drain(..at);
            at = 0;
            self.read().await?;
        }
    }

    async fn read(&mut self) -> io::Result<()> {
        self.input.reserve(READ);
        match self.stream.read_buf(&mut self.input).await? {
            0 => Err(ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
