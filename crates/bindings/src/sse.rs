//! Event streams: pulled by the reader, coalesced while events are ready, kept alive in silence.

mod framing;

pub(crate) use framing::Framing;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use sabir_engine::EventStream;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Events that are ready at once go out together, up to about so many bytes.
const CHUNK: usize = 32 << 10;

/// What a reader gets in silence: a comment, which no parser takes for an event.
const PING: &[u8] = b": ping\n\n";

/// The body of an event stream.
///
/// It is pulled: a reader that does not read costs what one chunk takes, and slows only itself.
pub(crate) struct EventBody {
    /// `None` after the last event.
    events: Option<EventStream>,
    framing: Framing,
    heartbeat: Duration,
    /// When something was last written.
    written: Instant,
    /// Both made when the stream is silent for the first time: short streams never are.
    timer: Option<Pin<Box<Sleep>>>,
    closed: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    closing: CancellationToken,
}

impl EventBody {
    pub(crate) fn new(
        events: EventStream,
        framing: Framing,
        heartbeat: Duration,
        closing: CancellationToken,
    ) -> Self {
        Self {
            events: Some(events),
            framing,
            heartbeat,
            written: Instant::now(),
            timer: None,
            closed: None,
            closing,
        }
    }

    /// The next chunk; `None` after the last one.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut out = BytesMut::new();
        if self.take_ready(cx, &mut out) {
            self.events = None;
        }
        if out.is_empty() {
            if self.events.is_none() {
                return Poll::Ready(None);
            }
            if !self.is_silent_long(cx) {
                return Poll::Pending;
            }
            if self.closing.is_cancelled() {
                // The task goes on; its reader comes back with the id of its last event.
                self.events = None;
                return Poll::Ready(None);
            }
            out.extend_from_slice(PING);
        }
        self.written = Instant::now();
        Poll::Ready(Some(out.freeze()))
    }

    /// Whether nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.events.is_none()
    }

    /// Takes what is ready. Says whether that was the end.
    fn take_ready(&mut self, cx: &mut Context<'_>, out: &mut BytesMut) -> bool {
        let Some(events) = &mut self.events else { return true };
        while out.len() < CHUNK {
            match events.poll_next_unpin(cx) {
                Poll::Pending => return false,
                Poll::Ready(Some(Ok(event))) => self.framing.put_event(&event, out),
                Poll::Ready(Some(Err(error))) => {
                    self.framing.put_error(&error, out);
                    return true;
                }
                Poll::Ready(None) => return true,
            }
        }
        false
    }

    /// Waits until a sign of life is due, or the server closes.
    fn is_silent_long(&mut self, cx: &mut Context<'_>) -> bool {
        let closing = &self.closing;
        let closed = self.closed.get_or_insert_with(|| Box::pin(closing.clone().cancelled_owned()));
        if closed.as_mut().poll(cx).is_ready() {
            return true;
        }
        let due = self.written + self.heartbeat;
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        // The timer is moved only when it fires, not for every event.
        while timer.as_mut().poll(cx).is_ready() {
            if timer.deadline() >= due {
                return true;
            }
            timer.as_mut().reset(due);
        }
        false
    }
}

impl fmt::Debug for EventBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventBody").field("done", &self.is_done()).finish_non_exhaustive()
    }
}
