//! A connection on which a test writes and reads the bytes of HTTP/1.1 itself.

mod body;
mod frame;
mod head;

pub use frame::Frame;
pub use head::Head;

use crate::patience::patiently;
use body::{Body, Piece};
use std::fmt::Write as _;
use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// How much room a read from the socket has at least.
const READ_AT_ONCE: usize = 16 * 1024;

/// An HTTP/1.1 connection without a client library between the test and the wire.
///
/// ```no_run
/// # async fn example(addr: std::net::SocketAddr) {
/// use sabir_testkit::RawConnection;
///
/// let mut connection = RawConnection::open(addr).await;
/// connection.request("GET", "/.well-known/agent-card.json", &[], b"").await;
/// assert_eq!(connection.head().await.status, 200);
/// assert!(connection.body().await.starts_with(b"{"));
/// # }
/// ```
#[derive(Debug)]
pub struct RawConnection {
    stream: TcpStream,
    addr: SocketAddr,
    /// Read from the socket and not taken yet.
    unread: Vec<u8>,
    body: Body,
    /// The body's bytes that are not a whole frame yet.
    frames: frame::Splitter,
}

impl RawConnection {
    /// Connects.
    ///
    /// # Panics
    /// When nobody listens there.
    pub async fn open(addr: SocketAddr) -> Self {
        Self::connect(addr, None).await
    }

    /// Connects with a receive buffer of so many bytes, to play a slow reader.
    ///
    /// # Panics
    /// When nobody listens there.
    pub async fn open_with_receive_buffer(addr: SocketAddr, bytes: u32) -> Self {
        Self::connect(addr, Some(bytes)).await
    }

    async fn connect(addr: SocketAddr, receive_buffer: Option<u32>) -> Self {
        let connect = async {
            let socket = if addr.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            if let Some(bytes) = receive_buffer {
                socket.set_recv_buffer_size(bytes)?;
            }
            let stream = socket.connect(addr).await?;
            stream.set_nodelay(true)?;
            io::Result::Ok(stream)
        };
        match patiently("a connection", connect).await {
            Ok(stream) => Self {
                stream,
                addr,
                unread: Vec::new(),
                body: Body::None,
                frames: frame::Splitter::default(),
            },
            Err(error) => panic!("cannot connect to {addr}: {error}"),
        }
    }

    /// Writes bytes as they are.
    ///
    /// # Panics
    /// When the other side has closed.
    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        if let Err(error) = patiently("the other side to read", self.try_send(bytes)).await {
            panic!("cannot write to {}: {error}", self.addr);
        }
    }

    /// Writes bytes as they are, where the other side may have closed.
    ///
    /// # Errors
    /// When the other side has closed.
    pub async fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref()).await
    }

    /// Writes a request with `Host`, `Content-Length` and these headers.
    pub async fn request(
        &mut self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) {
        let mut head = format!("{method} {target} HTTP/1.1\r\n");
        let has_host = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        if !has_host {
            let _ = write!(head, "Host: {}\r\n", self.addr);
        }
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        let _ = write!(head, "Content-Length: {}\r\n\r\n", body.len());
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        self.send(bytes).await;
    }

    /// Posts JSON as A2A 1.0 asks for it.
    pub async fn post_json(&mut self, target: &str, json: &str) {
        let headers = [("Content-Type", "application/json"), ("A2A-Version", "1.0")];
        self.request("POST", target, &headers, json.as_bytes()).await;
    }

    /// Reads the head of the next answer.
    ///
    /// # Panics
    /// When the connection ends before it, or it is not HTTP/1.1.
    pub async fn head(&mut self) -> Head {
        patiently("the head of an answer", self.read_head()).await
    }

    async fn read_head(&mut self) -> Head {
        loop {
            if let Some((head, length)) = Head::parse(&self.unread) {
                self.unread.drain(..length);
                self.body = Body::after(&head);
                self.frames = frame::Splitter::default();
                return head;
            }
            if !self.fill().await {
                panic!("no head of an answer, but {:?}", String::from_utf8_lossy(&self.unread));
            }
        }
    }

    /// Reads the rest of the body; of a stream, until it ends.
    ///
    /// # Panics
    /// When the connection ends in the middle of it.
    pub async fn body(&mut self) -> Vec<u8> {
        let mut whole = Vec::new();
        while let Some(piece) = self.piece().await {
            whole.extend_from_slice(&piece);
        }
        whole
    }

    /// Reads the next piece of the body, as it comes; `None` at its end.
    ///
    /// # Panics
    /// When the connection ends in the middle of the body, or a chunk is none.
    pub async fn piece(&mut self) -> Option<Vec<u8>> {
        patiently("a piece of the body", self.read_piece()).await
    }

    async fn read_piece(&mut self) -> Option<Vec<u8>> {
        loop {
            match self.body.take(&mut self.unread) {
                Piece::Some(bytes) => return Some(bytes),
                Piece::End => return None,
                Piece::NeedsMore => {}
            }
            if !self.fill().await {
                if self.body.ends_with_connection() {
                    self.body = Body::None;
                    return None;
                }
                panic!("the connection ended in the middle of a body ({:?})", self.body);
            }
        }
    }

    /// Reads the next frame of an event stream, a comment too; `None` at the stream's end.
    ///
    /// # Panics
    /// When the stream ends in the middle of a frame, or nothing comes.
    pub async fn frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.frames.next() {
                return Some(frame);
            }
            let Some(piece) = self.piece().await else {
                let rest = self.frames.rest();
                assert!(rest.is_empty(), "the stream ended in the middle of a frame: {rest:?}");
                return None;
            };
            self.frames.push(&piece);
        }
    }

    /// Reads the next frame that carries data, over comments; `None` at the stream's end.
    ///
    /// # Panics
    /// As [`RawConnection::frame`] does.
    pub async fn event(&mut self) -> Option<Frame> {
        loop {
            let frame = self.frame().await?;
            if !frame.is_comment() {
                return Some(frame);
            }
        }
    }

    /// Waits until the other side closes, without reading an answer.
    ///
    /// # Panics
    /// When it sends something instead.
    pub async fn closed(&mut self) {
        let closed = patiently("the other side to close", async { !self.fill().await }).await;
        let unread = String::from_utf8_lossy(&self.unread);
        assert!(closed && self.unread.is_empty(), "sent instead of closing: {unread:?}");
    }

    /// Reads what is there; false at the end of the connection.
    async fn fill(&mut self) -> bool {
        self.unread.reserve(READ_AT_ONCE);
        // Reset is an end as well: a server that refuses a request need not read all of it.
        self.stream.read_buf(&mut self.unread).await.is_ok_and(|length| length > 0)
    }
}
