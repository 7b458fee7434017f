//! The events of one connection.

use crate::Failure;
use crate::http::StreamBody;
use crate::sse::SseParser;
use crate::transport::Wire;
use sabir_engine::Event;
use sabir_types::Error;
use std::sync::Arc;
use std::time::Duration;

/// The events of one connection.
pub(super) struct Source {
    body: StreamBody,
    parser: SseParser,
}

impl Source {
    pub(super) fn new(body: StreamBody) -> Self {
        Self { body, parser: SseParser::new() }
    }

    /// How long the server wants to be left alone before a reconnection.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.parser.retry()
    }

    /// The next event and its id; `None` when the connection ended regularly.
    pub(super) async fn next(
        &mut self,
        wire: &Wire,
    ) -> Result<Option<(Option<String>, Arc<Event>)>, Error> {
        loop {
            if let Some(event) = self.parser.next_event() {
                self.body.log_event(event.id.as_deref(), &event.data);
                let json = wire.event(event.name.as_deref(), event.data)?;
                // Ids of other servers need not be numbers; they still serve to resume.
                let seq = event.id.as_deref().and_then(|id| id.parse().ok());
                return Ok(Some((event.id, Arc::new(Event::from_json(seq, json)))));
            }
            let Some(chunk) = self.body.chunk().await? else { return Ok(None) };
            self.parser.push(&chunk).map_err(|error| Failure::Answer {
                url: self.body.name(),
                reason: error.to_string(),
                excerpt: String::new(),
            })?;
        }
    }
}
