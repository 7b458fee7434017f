//! Tells what goes over the wire, without secrets, to whoever debugs.

use std::fmt;
use std::sync::Arc;

/// Something that went over the wire, redacted: credentials, cookies, API keys and tokens do not
/// show up, whatever they stand in.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WireEvent {
    /// A request is sent.
    Request {
        /// Its method.
        method: String,
        /// Its URL.
        url: String,
        /// Its headers.
        headers: Vec<(String, String)>,
        /// Its body; empty for none.
        body: String,
    },
    /// An answer came.
    Answer {
        /// Its status.
        status: u16,
        /// Its headers.
        headers: Vec<(String, String)>,
    },
    /// The body of an answer was read.
    Body {
        /// The body.
        body: String,
    },
    /// An event of a stream came.
    Event {
        /// Its id, if it has one.
        id: Option<String>,
        /// Its data.
        data: String,
    },
    /// There was no answer, or it broke off.
    Failed {
        /// What went wrong.
        reason: String,
    },
}

/// Takes what goes over the wire; called in order, from wherever the call runs, so it is quick.
#[derive(Clone)]
pub(crate) struct WireLog(pub(crate) Arc<dyn Fn(WireEvent) + Send + Sync>);

impl fmt::Debug for WireLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WireLog")
    }
}
