//! Event streams: pulled by the reader, coalesced while events are ready, kept alive in silence.

mod framing;

pub(crate) use framing::Framing;

use crate::dispatch::panicked;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use sabir_engine::EventStream;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Events that are ready at once go out together, up to about so many bytes.
const CHUNK: usize = 32 << 10;

/// Bytes that a few events take.
const USUAL: usize = 1 << 10;

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
            let polled = catch_unwind(AssertUnwindSafe(|| events.poll_next_unpin(cx)));
            match polled.unwrap_or_else(|_| Poll::Ready(Some(Err(panicked())))) {
                Poll::Pending => return false,
                Poll::Ready(None) => return true,
                Poll::Ready(Some(event)) => {
                    if out.is_empty() {
                        out.reserve(USUAL);
                    }
                    if let Err(error) = event.and_then(|event| self.framing.put_event(&event, out))
                    {
                        self.framing.put_error(&error, out);
                        return true;
                    }
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::{FutureExt, stream};
    use sabir_engine::Event;
    use std::future::poll_fn;
    use std::sync::Arc;
    use tokio::sync::mpsc;

    const BEAT: Duration = Duration::from_secs(15);

    fn body(events: EventStream, closing: &CancellationToken) -> EventBody {
        let framing =
            Framing::HttpJson(sabir_compat::Dialect::V1_0, sabir_types::ErrorTable::V1_0_1);
        EventBody::new(events, framing, BEAT, closing.clone())
    }

    fn event(seq: u64) -> Arc<Event> {
        Arc::new(Event::from_json(Some(seq), Bytes::from_static(b"{}")))
    }

    async fn chunk(body: &mut EventBody) -> Option<Bytes> {
        poll_fn(|cx| body.poll_chunk(cx)).await
    }

    #[tokio::test(start_paused = true)]
    async fn a_comment_comes_after_so_much_silence_and_no_sooner() {
        let (sender, mut receiver) = mpsc::unbounded_channel();
        let events = stream::poll_fn(move |cx| receiver.poll_recv(cx)).map(Ok).boxed();
        let mut body = body(events, &CancellationToken::new());
        let begun = Instant::now();
        assert_eq!(chunk(&mut body).await.unwrap(), PING);
        assert_eq!(begun.elapsed().as_secs(), 15);
        // An event begins a new silence.
        tokio::time::advance(Duration::from_secs(10)).await;
        sender.send(event(1)).unwrap();
        assert!(chunk(&mut body).await.unwrap().starts_with(b"id: 1\n"));
        let begun = Instant::now();
        for beat in 1..=3 {
            assert_eq!(chunk(&mut body).await.unwrap(), PING);
            assert_eq!(begun.elapsed().as_secs(), 15 * beat);
        }
        drop(sender);
        assert_eq!(chunk(&mut body).await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn events_that_are_ready_go_out_together_up_to_a_bound() {
        let small = stream::iter((0..3).map(|seq| Ok(event(seq)))).boxed();
        let mut body_of_small = body(small, &CancellationToken::new());
        let first = chunk(&mut body_of_small).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&first).matches("data: ").count(), 3);
        assert!(body_of_small.is_done());
        let endless = stream::repeat_with(|| Ok(event(7))).boxed();
        let mut body_of_endless = body(endless, &CancellationToken::new());
        assert!(chunk(&mut body_of_endless).await.unwrap().len() < 2 * CHUNK);
    }

    #[tokio::test(start_paused = true)]
    async fn a_closing_server_ends_a_silent_stream() {
        let closing = CancellationToken::new();
        let mut body = body(stream::pending().boxed(), &closing);
        assert!(chunk(&mut body).now_or_never().is_none());
        closing.cancel();
        assert_eq!(chunk(&mut body).await, None);
    }
}
