//! The bodies of our answers.

use crate::grpc;
use crate::sse::EventBody;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The body of an answer.
#[derive(Debug)]
pub(crate) enum Payload {
    Bytes(Bytes),
    Events(Box<EventBody>),
    GrpcUnary(Box<grpc::Unary>),
    GrpcEvents(Box<grpc::Events>),
    /// That of a router beside the agents.
    Other(axum::body::Body),
}

impl Payload {
    pub(crate) fn empty() -> Self {
        Self::Bytes(Bytes::new())
    }
}

impl From<Vec<u8>> for Payload {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match self.get_mut() {
            Self::Bytes(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Bytes(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Events(events) => {
                events.poll_chunk(cx).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
            }
            Self::GrpcUnary(unary) => Poll::Ready(unary.next_frame().map(Ok)),
            Self::GrpcEvents(events) => events.poll_frame(cx).map(|frame| frame.map(Ok)),
            Self::Other(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Events(events) => events.is_done(),
            Self::GrpcUnary(unary) => unary.is_done(),
            Self::GrpcEvents(events) => events.is_done(),
            Self::Other(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Events(_) | Self::GrpcUnary(_) | Self::GrpcEvents(_) => SizeHint::default(),
            Self::Other(body) => body.size_hint(),
        }
    }
}
