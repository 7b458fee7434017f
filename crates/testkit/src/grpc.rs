//! A gRPC client that shows a test the messages and the metadata as they are.

use crate::patience::patiently;
use bytes::{Bytes, BytesMut};
use http::header::HeaderMap;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::net::TcpStream;

/// An HTTP/2 connection for gRPC calls, without a gRPC library between the test and the wire.
///
/// ```no_run
/// # async fn example(addr: std::net::SocketAddr) {
/// use sabir_testkit::GrpcConnection;
///
/// let connection = GrpcConnection::open(addr).await;
/// let metadata = [("a2a-version", "1.0")];
/// let answer = connection.call("/lf.a2a.v1.A2AService/ListTasks", &metadata, b"").await;
/// assert_eq!(answer.code(), 0);
/// # }
/// ```
#[derive(Debug)]
pub struct GrpcConnection {
    sender: SendRequest<Sent>,
    authority: String,
}

/// The body of a request.
#[derive(Debug)]
struct Sent {
    bytes: Option<Bytes>,
    /// Whether nothing follows.
    is_all: bool,
}

impl Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            None if self.is_all => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

/// A call that is being answered.
#[derive(Debug)]
pub struct GrpcCall {
    /// The metadata that came first.
    pub headers: HeaderMap,
    body: Incoming,
    unread: BytesMut,
    trailers: Option<HeaderMap>,
}

/// What a call was answered with.
#[derive(Clone, Debug)]
pub struct GrpcAnswer {
    /// The metadata that came first.
    pub headers: HeaderMap,
    /// The messages.
    pub messages: Vec<Bytes>,
    /// The metadata that came last; that which came first, where there was nothing else.
    pub trailers: HeaderMap,
}

impl GrpcConnection {
    /// Connects.
    ///
    /// # Panics
    /// When nobody listens there, or not to HTTP/2.
    pub async fn open(addr: SocketAddr) -> Self {
        Self::connect(addr, http2::Builder::new(TokioExecutor::new())).await
    }

    /// Connects with room for so many bytes that were sent and not read.
    ///
    /// # Panics
    /// As [`open`](Self::open).
    pub async fn open_with_window(addr: SocketAddr, bytes: u32) -> Self {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(bytes).initial_connection_window_size(bytes.max(65_535));
        Self::connect(addr, builder).await
    }

    async fn connect(addr: SocketAddr, builder: http2::Builder<TokioExecutor>) -> Self {
        let stream = patiently("a connection", TcpStream::connect(addr)).await;
        let stream = stream.unwrap_or_else(|error| panic!("{addr}: {error}"));
        let handshake = patiently("HTTP/2", builder.handshake(TokioIo::new(stream))).await;
        let (sender, connection) = handshake.unwrap_or_else(|error| panic!("{addr}: {error}"));
        tokio::spawn(connection);
        Self { sender, authority: addr.to_string() }
    }

    /// The same, calling the server by this name (`:authority`).
    #[must_use]
    pub fn with_authority(mut self, authority: impl Into<String>) -> Self {
        self.authority = authority.into();
        self
    }

    /// Makes a call with one message and waits for the first metadata.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn begin(&self, path: &str, metadata: &[(&str, &str)], message: &[u8]) -> GrpcCall {
        self.send(path, metadata, framed(message)).await
    }

    /// The same, and the request stays open.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn hold(&self, path: &str, metadata: &[(&str, &str)], message: &[u8]) -> GrpcCall {
        let body = Sent { bytes: Some(framed(message).into()), is_all: false };
        self.answered(path, metadata, body).await
    }

    /// The same with a body that is not one message.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, path: &str, metadata: &[(&str, &str)], body: Vec<u8>) -> GrpcCall {
        let body = Sent { bytes: Some(body.into()), is_all: true };
        self.answered(path, metadata, body).await
    }

    async fn answered(&self, path: &str, metadata: &[(&str, &str)], body: Sent) -> GrpcCall {
        let response = patiently("an answer", self.request(path, metadata, body)).await;
        let (head, body) = response.unwrap_or_else(|error| panic!("{path}: {error}")).into_parts();
        assert_eq!(head.status, 200, "{path}: {head:?}");
        GrpcCall { headers: head.headers, body, unread: BytesMut::new(), trailers: None }
    }

    /// Makes a call with one message and reads the answer to its end.
    ///
    /// # Panics
    /// When there is no whole answer.
    pub async fn call(&self, path: &str, metadata: &[(&str, &str)], message: &[u8]) -> GrpcAnswer {
        self.begin(path, metadata, message).await.rest().await
    }

    async fn request(
        &self,
        path: &str,
        metadata: &[(&str, &str)],
        body: Sent,
    ) -> hyper::Result<Response<Incoming>> {
        let mut request =
            Request::post(format!("http://{}{path}", self.authority)).header("te", "trailers");
        if metadata.iter().all(|(name, _)| *name != "content-type") {
            request = request.header("content-type", "application/grpc");
        }
        for (name, value) in metadata {
            request = request.header(*name, *value);
        }
        let request = request.body(body).expect("the test gave valid metadata");
        let mut sender = self.sender.clone();
        sender.ready().await?;
        sender.send_request(request).await
    }
}

/// A message as gRPC frames it.
fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("the message of a test is small");
    [&[0], &length.to_be_bytes()[..], message].concat()
}

impl GrpcCall {
    /// The next message; `None` at the end of the call.
    ///
    /// # Panics
    /// When nothing comes, or the connection breaks.
    pub async fn message(&mut self) -> Option<Bytes> {
        self.try_message().await.unwrap_or_else(|error| panic!("the call broke: {error}"))
    }

    /// The same, where the connection may break.
    ///
    /// # Errors
    /// When it did.
    pub async fn try_message(&mut self) -> hyper::Result<Option<Bytes>> {
        loop {
            if let Some((prefix, rest)) = self.unread.split_first_chunk::<5>() {
                let [_, length @ ..] = *prefix;
                let length = u32::from_be_bytes(length) as usize;
                if rest.len() >= length {
                    return Ok(Some(self.unread.split_to(5 + length).split_off(5).freeze()));
                }
            }
            match patiently("the next frame of a call", self.body.frame()).await {
                Some(frame) => match frame?.into_data() {
                    Ok(data) => self.unread.extend_from_slice(&data),
                    Err(frame) => self.trailers = frame.into_trailers().ok(),
                },
                None => return Ok(None),
            }
        }
    }

    /// What is left of the answer.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn rest(mut self) -> GrpcAnswer {
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        let trailers = self.trailers.take().unwrap_or_else(|| self.headers.clone());
        GrpcAnswer { headers: self.headers, messages, trailers }
    }
}

impl GrpcAnswer {
    /// The status code.
    ///
    /// # Panics
    /// When there is none.
    pub fn code(&self) -> i32 {
        let status = self.trailers.get("grpc-status").and_then(|value| value.to_str().ok());
        status.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no status: {self:?}"))
    }

    /// The status details, as they stand there.
    ///
    /// # Panics
    /// When they are not text.
    pub fn details(&self) -> &str {
        let details = self.trailers.get("grpc-status-details-bin");
        details.map_or("", |value| value.to_str().expect("base64 is text"))
    }
}
