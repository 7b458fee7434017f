//! Reads an event stream, with the bytes of each event as they came.

use crate::caller::{Binding, Failure, refused};
use crate::task;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use sabir_testkit::patiently;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One event: its sequence, and the bytes of its `StreamResponse` without what a binding puts
/// around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) seq: u64,
    pub(crate) json: String,
}

impl Event {
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.json).unwrap()
    }

    /// The task, of an event that is one.
    #[track_caller]
    pub(crate) fn task(&self) -> Value {
        let mut value = self.value();
        assert!(value.get("task").is_some(), "not the task: {value}");
        value["task"].take()
    }

    /// The state that the event says the task is in.
    pub(crate) fn state(&self) -> Option<String> {
        let value = self.value();
        let carrier = value.get("task").or(value.get("statusUpdate"))?;
        Some(task::state(carrier).to_owned())
    }

    /// The text of a status.
    pub(crate) fn said(&self) -> String {
        task::said(&self.value()["statusUpdate"])
    }

    /// The text of an artifact's chunk.
    pub(crate) fn chunk(&self) -> Option<String> {
        let value = self.value();
        let parts = value.get("artifactUpdate")?["artifact"]["parts"].as_array()?;
        Some(parts.iter().filter_map(|part| part["text"].as_str()).collect())
    }
}

/// How many of these events end a task.
pub(crate) fn ends(events: &[Event]) -> usize {
    let states = events.iter().filter_map(Event::state);
    states.filter(|state| task::is_terminal(state)).count()
}

/// An open stream; dropped, it is cut.
pub(crate) struct Stream {
    body: Incoming,
    binding: Binding,
    unread: Vec<u8>,
    /// How much of it was taken, and how much was searched for the end of a frame.
    taken: usize,
    searched: usize,
}

impl Stream {
    pub(crate) fn new(body: Incoming, binding: Binding) -> Self {
        Self { body, binding, unread: Vec::new(), taken: 0, searched: 0 }
    }

    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Event>, Failure> {
        loop {
            if let Some(frame) = self.frame() {
                if let Some(event) = event(&frame, self.binding)? {
                    return Ok(Some(event));
                }
                continue;
            }
            match patiently("an event", self.body.frame()).await {
                None if self.taken == self.unread.len() => return Ok(None),
                None => return Err(Failure::lost("the end of the stream within a frame")),
                Some(frame) => {
                    let frame = frame.map_err(Failure::lost)?;
                    self.unread.drain(..self.taken);
                    self.searched -= self.taken;
                    self.taken = 0;
                    self.unread.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
                }
            }
        }
    }

    /// All events to the end.
    pub(crate) async fn rest(mut self) -> Result<Vec<Event>, Failure> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await? {
            events.push(event);
        }
        Ok(events)
    }

    /// The events up to and with the first that is as wanted.
    pub(crate) async fn until(&mut self, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.unwrap().expect("the stream ended before");
            let is_last = wanted(&event);
            events.push(event);
            if is_last {
                return events;
            }
        }
    }

    /// Takes a whole frame of what was read.
    fn frame(&mut self) -> Option<String> {
        let end = self.unread[self.searched..].windows(2).position(|two| two == b"\n\n");
        let Some(end) = end else {
            // The first of the two may be the last that was read.
            self.searched = self.unread.len().saturating_sub(1).max(self.taken);
            return None;
        };
        let end = self.searched + end;
        let frame = String::from_utf8(self.unread[self.taken..end].to_vec()).unwrap();
        self.taken = end + 2;
        self.searched = self.taken;
        Some(frame)
    }
}

/// The event of a frame; none of a comment.
fn event(frame: &str, binding: Binding) -> Result<Option<Event>, Failure> {
    let field = |name| frame.lines().find_map(|line: &str| line.strip_prefix(name));
    let Some(data) = field("data: ") else { return Ok(None) };
    let seq = field("id: ").map(|id| id.parse().unwrap());
    let json = match binding {
        Binding::JsonRpc => unwrapped(data)?,
        Binding::Rest => match seq {
            Some(_) => data,
            None => return Err(refused(&serde_json::from_str::<Value>(data).unwrap()["error"])),
        },
    };
    let seq = seq.unwrap_or_else(|| panic!("an event without an id: {frame}"));
    Ok(Some(Event { seq, json: json.to_owned() }))
}

/// The result of a JSON-RPC response.
fn unwrapped(data: &str) -> Result<&str, Failure> {
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        error: Option<Value>,
    }
    let response: Response<'_> = serde_json::from_str(data).unwrap();
    match response.error {
        Some(error) => Err(refused(&error)),
        None => Ok(response.result.expect("a result or an error").get()),
    }
}
