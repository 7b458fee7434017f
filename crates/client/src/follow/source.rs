//! The events of one connection.

use crate::Failure;
use crate::http::{StreamBody, text};
use crate::sse::{MAX_EVENT, SseParser};
use crate::transport::Wire;
use crate::transport::grpc::{self, Frames};
use bytes::Bytes;
use sabir_engine::Event;
use sabir_types::Error;
use std::sync::Arc;
use std::time::Duration;

/// The events of one connection.
pub(super) struct Source {
    body: StreamBody,
    reader: Reader,
}

/// What takes the bytes apart.
enum Reader {
    Sse(SseParser),
    Grpc(Frames),
}

/// An event as it came.
struct Raw {
    id: Option<String>,
    name: Option<String>,
    data: Bytes,
}

impl Source {
    pub(super) fn new(body: StreamBody) -> Self {
        let reader = if grpc::is_grpc(body.headers()) {
            Reader::Grpc(Frames::default())
        } else {
            Reader::Sse(SseParser::new())
        };
        Self { body, reader }
    }

    /// How long the server wants to be left alone before a reconnection.
    pub(super) fn retry(&self) -> Option<Duration> {
        match &self.reader {
            Reader::Sse(parser) => parser.retry(),
            Reader::Grpc(_) => None,
        }
    }

    /// The id of the last event, where it is told after the last event.
    pub(super) fn last_id(&self) -> Option<String> {
        text(self.body.trailers(), "last-event-id").map(str::to_owned)
    }

    /// The next event and its id; `None` when the connection ended regularly.
    pub(super) async fn next(
        &mut self,
        wire: &Wire,
    ) -> Result<Option<(Option<String>, Arc<Event>)>, Error> {
        loop {
            if let Some(Raw { id, name, data }) = self.take()? {
                // Ids of other servers need not be numbers; they still serve to resume.
                let seq = id.as_deref().and_then(|id| id.parse().ok());
                self.body.log_event(id.as_deref(), || wire.event_as_text(&data));
                let event = Arc::new(wire.event(seq, name.as_deref(), data)?);
                return Ok(Some((id, event)));
            }
            match self.body.chunk().await? {
                Some(chunk) => self.push(&chunk)?,
                None => return self.ended().map(|()| None),
            }
        }
    }

    fn take(&mut self) -> Result<Option<Raw>, Failure> {
        match &mut self.reader {
            Reader::Sse(parser) => Ok(parser.next_event().map(|event| Raw {
                id: event.id,
                name: event.name,
                data: event.data,
            })),
            Reader::Grpc(frames) => match frames.next(MAX_EVENT) {
                Ok(message) => Ok(message.map(|data| Raw { id: None, name: None, data })),
                Err(reason) => Err(self.unreadable(reason)),
            },
        }
    }

    fn push(&mut self, chunk: &Bytes) -> Result<(), Failure> {
        let pushed = match &mut self.reader {
            Reader::Sse(parser) => parser.push(chunk),
            Reader::Grpc(frames) => {
                frames.push(chunk);
                Ok(())
            }
        };
        pushed.map_err(|error| self.unreadable(error.to_string()))
    }

    /// A connection that ended: gRPC says how.
    fn ended(&self) -> Result<(), Error> {
        match &self.reader {
            Reader::Sse(_) => Ok(()),
            Reader::Grpc(_) => {
                grpc::status_of(self.body.headers(), self.body.trailers(), || self.body.name())
            }
        }
    }

    fn unreadable(&self, reason: String) -> Failure {
        Failure::Answer { url: self.body.name(), reason, excerpt: String::new() }
    }
}
