//! Event streams in gRPC: pulled by the reader, a status at the end.

use super::frame::{PREFIX, prefix};
use super::status::Status;
use crate::dialect;
use crate::dispatch::panicked;
use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use http::header::{HeaderMap, HeaderName};
use http_body::Frame;
use sabir_compat::Dialect;
use sabir_engine::{Event, EventStream};
use sabir_types::{Error, ErrorTable};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Events that are ready at once go out together, up to about so many bytes.
const CHUNK: usize = 32 << 10;

/// In the trailers: the sequence of the last event, after which the stream can go on.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What ends a stream from outside.
type Ending = Pin<Box<dyn Future<Output = Status> + Send>>;

/// The body of an event stream.
pub(crate) struct Events {
    /// `None` after the last event.
    events: Option<EventStream>,
    /// `None` once it was sent.
    status: Option<Status>,
    dialect: Dialect,
    table: ErrorTable,
    /// The sequence of the last event that went out.
    last: Option<u64>,
    deadline: Option<Instant>,
    closing: CancellationToken,
    /// Made when the stream is silent for the first time, or has a deadline.
    ending: Option<Ending>,
}

impl Events {
    pub(super) fn new(
        events: EventStream,
        dialect: Dialect,
        table: ErrorTable,
        deadline: Option<Instant>,
        closing: CancellationToken,
    ) -> Self {
        Self {
            events: Some(events),
            status: Some(Status::ok()),
            dialect,
            table,
            last: None,
            deadline,
            closing,
            ending: None,
        }
    }

    /// The next events, then the status.
    pub(crate) fn poll_frame(&mut self, cx: &mut Context<'_>) -> Poll<Option<Frame<Bytes>>> {
        let mut out = BytesMut::new();
        // A stream that is never silent has its deadline all the same.
        if self.deadline.is_none() || !self.has_ended(cx) {
            self.take_ready(cx, &mut out);
        }
        if !out.is_empty() {
            return Poll::Ready(Some(Frame::data(out.freeze())));
        }
        if self.events.is_some() && !self.has_ended(cx) {
            return Poll::Pending;
        }
        Poll::Ready(self.trailers().map(Frame::trailers))
    }

    /// Whether nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.status.is_none()
    }

    /// Takes what is ready.
    fn take_ready(&mut self, cx: &mut Context<'_>, out: &mut BytesMut) {
        while out.len() < CHUNK {
            let Some(events) = &mut self.events else { return };
            let polled = catch_unwind(AssertUnwindSafe(|| events.poll_next_unpin(cx)));
            match polled.unwrap_or_else(|_| Poll::Ready(Some(Err(panicked())))) {
                Poll::Pending => return,
                Poll::Ready(None) => self.events = None,
                Poll::Ready(Some(event)) => {
                    if let Err(error) = event.and_then(|event| self.put(&event, out)) {
                        crate::reply::log(&error);
                        self.end(Status::of(&error, self.dialect, self.table));
                    }
                }
            }
        }
    }

    fn put(&mut self, event: &Event, out: &mut BytesMut) -> Result<(), Error> {
        let message = dialect::event_protobuf(self.dialect, event)?;
        out.reserve(PREFIX + message.len());
        out.put_slice(&prefix(message.len())?);
        out.put_slice(&message);
        self.last = event.seq.or(self.last);
        Ok(())
    }

    fn end(&mut self, status: Status) {
        self.events = None;
        self.status = Some(status);
    }

    /// Waits for what ends the stream from outside: its deadline, or the end of the server.
    fn has_ended(&mut self, cx: &mut Context<'_>) -> bool {
        let (deadline, closing) = (self.deadline, &self.closing);
        let ending = self.ending.get_or_insert_with(|| ending(deadline, closing.clone()));
        let Poll::Ready(status) = ending.as_mut().poll(cx) else { return false };
        self.ending = None;
        self.deadline = None;
        self.end(status);
        true
    }

    fn trailers(&mut self) -> Option<HeaderMap> {
        let mut trailers = self.status.take()?.into_headers();
        if let Some(last) = self.last {
            trailers.insert(LAST_EVENT_ID, last.into());
        }
        Some(trailers)
    }
}

fn ending(deadline: Option<Instant>, closing: CancellationToken) -> Ending {
    Box::pin(async move {
        let closed = closing.cancelled_owned();
        match deadline {
            None => closed.await,
            Some(due) => tokio::select! {
                () = closed => {}
                () = tokio::time::sleep_until(due) => return Status::deadline_exceeded(),
            },
        }
        Status::closing()
    })
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("done", &self.is_done()).finish_non_exhaustive()
    }
}
