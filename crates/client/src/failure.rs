//! What went wrong on the way to an agent, apart from what the agent itself answered.
//!
//! Operations fail with [`sabir_types::Error`], whatever the reason: an error the agent sent has no
//! source, a failure of the way has a [`Failure`] as its source. [`Failure::of`] finds it.

use crate::redact::excerpt;
use http::StatusCode;
use sabir_types::{Error, ErrorKind};
use std::error::Error as StdError;
use std::io;
use std::time::Duration;

/// What went wrong on the way to an agent.
///
/// ```
/// # use sabir_client::{Client, Failure};
/// # async fn example() -> Result<(), Failure> {
/// let agent = Client::connect("http://127.0.0.1:9000").await?;
/// if let Err(error) = agent.send("hello").await {
///     match Failure::of(&error) {
///         Some(Failure::Timeout { .. }) => eprintln!("too slow"),
///         Some(failure) => eprintln!("no answer: {failure}"),
///         None => eprintln!("the agent says: {error}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// What was given as a card reference is none.
    #[error("`{reference}` is not a card reference: {reason}")]
    Reference {
        /// What was given.
        reference: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The client was set up in a way that cannot work.
    #[error("{0}")]
    Setup(String),
    /// The file of a card cannot be read.
    #[error("the card {path} cannot be read: {reason}")]
    File {
        /// Its path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// No connection could be made: DNS, refused, or no answer to it.
    #[error("{url} cannot be reached: {reason}")]
    Unreachable {
        /// What was called.
        url: String,
        /// What the system said.
        reason: String,
    },
    /// The server's certificate was not accepted, or TLS could not be agreed on.
    #[error("no secure connection to {url}: {reason}")]
    Tls {
        /// What was called.
        url: String,
        /// What the TLS library said.
        reason: String,
    },
    /// The connection broke before the answer was complete.
    #[error("the connection to {url} broke: {reason}")]
    Cut {
        /// What was called.
        url: String,
        /// What the system said.
        reason: String,
    },
    /// There was no answer in time.
    #[error("no answer from {url} within {after:?}")]
    Timeout {
        /// What was called.
        url: String,
        /// How long was waited.
        after: Duration,
    },
    /// A redirect that is not followed.
    #[error("{url} redirects to {location}, which is not followed: {reason}")]
    Redirect {
        /// What was called.
        url: String,
        /// Where it points to.
        location: String,
        /// Why it is not followed.
        reason: &'static str,
    },
    /// An HTTP status without an A2A error in the body.
    #[error("{url} answered {}{}", status_line(*.status), quoted(.excerpt))]
    Status {
        /// What was called.
        url: String,
        /// The status.
        status: u16,
        /// When to ask again, if the answer said so.
        retry_after: Option<Duration>,
        /// The beginning of the body.
        excerpt: String,
    },
    /// An answer that is not what the protocol says.
    #[error("{url} gave an answer that is not A2A: {reason}{}", quoted(.excerpt))]
    Answer {
        /// What was called.
        url: String,
        /// What is wrong with it.
        reason: String,
        /// The beginning of the body.
        excerpt: String,
    },
    /// There is no card where it should be.
    #[error("there is no agent card at {reference}{}", because(.reason))]
    CardNotFound {
        /// Where the card should be.
        reference: String,
        /// What was found instead.
        reason: String,
    },
    /// What should be a card is not JSON.
    #[error("the agent card at {reference} is not JSON: {reason}{}", quoted(.excerpt))]
    CardNotJson {
        /// Where the card is.
        reference: String,
        /// Where the JSON ends to be JSON.
        reason: String,
        /// The beginning of it.
        excerpt: String,
    },
    /// What should be a card is JSON but not a card.
    #[error("the agent card at {reference} is invalid: {field}: {reason}")]
    CardInvalid {
        /// Where the card is.
        reference: String,
        /// The field that is wrong, as a path.
        field: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The agent and this client have no binding and version in common.
    #[error("no common interface with {agent}: it offers {offered}, wanted is {wanted}")]
    NoInterface {
        /// The agent's name.
        agent: String,
        /// What its card lists.
        offered: String,
        /// What this client speaks, or was told to.
        wanted: String,
    },
}

impl Failure {
    /// The failure behind an error of an operation; `None` when the error is the agent's answer.
    pub fn of(error: &Error) -> Option<&Self> {
        find_cause(error)
    }

    /// Whether the same call may succeed a little later.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Cut { .. } => true,
            Self::Status { status, .. } => matches!(status, 429 | 502..=504),
            _ => false,
        }
    }

    /// When the server wants to be asked again.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether nothing is where a card should be.
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::CardNotFound { .. } | Self::Status { status: 405, .. })
    }

    /// Whether somebody answered, but not with a card.
    pub(crate) fn is_no_card(&self) -> bool {
        matches!(
            self,
            Self::CardNotFound { .. }
                | Self::CardNotJson { .. }
                | Self::CardInvalid { .. }
                | Self::Status { .. }
        )
    }

    fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. } | Self::Cut { .. } | Self::Timeout { .. } => {
                ErrorKind::Unavailable
            }
            Self::Status { status, .. } => match status {
                401 => ErrorKind::Unauthenticated,
                403 => ErrorKind::Forbidden,
                413 => ErrorKind::TooLarge,
                429 => ErrorKind::RateLimited,
                502..=504 => ErrorKind::Unavailable,
                _ => ErrorKind::Remote,
            },
            Self::Answer { .. } => ErrorKind::InvalidAgentResponse,
            _ => ErrorKind::Remote,
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let error = Self::new(failure.kind(), failure.to_string());
        let error = match failure.retry_after() {
            Some(after) => error.with_retry_after(after),
            None => error,
        };
        error.with_source(failure)
    }
}

fn status_line(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    reason.map_or_else(|| status.to_string(), |reason| format!("{status} {reason}"))
}

fn quoted(excerpt: &str) -> String {
    if excerpt.is_empty() { String::new() } else { format!(": {excerpt}") }
}

fn because(reason: &str) -> String {
    if reason.is_empty() { String::new() } else { format!(" ({reason})") }
}

/// Says what stopped a call, from what the HTTP library knows.
pub(crate) fn classify(url: String, error: &reqwest::Error) -> Failure {
    let reason = root_cause(error);
    if find_cause::<rustls::Error>(error).is_some() {
        return Failure::Tls { url, reason };
    }
    if error.is_connect() {
        let reason = if error.is_timeout() { "no answer to the connection".into() } else { reason };
        return Failure::Unreachable { url, reason };
    }
    Failure::Cut { url, reason }
}

/// The first cause of a type in the chain of an error.
pub(crate) fn find_cause<'a, E: StdError + 'static>(error: &'a dyn StdError) -> Option<&'a E> {
    let mut next: Option<&'a (dyn StdError + 'static)> = error.source();
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        next = inner(cause);
    }
    None
}

/// What the innermost cause says, as one clean line.
fn root_cause(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut next = error.source();
    while let Some(cause) = next {
        text = cause.to_string();
        next = inner(cause);
    }
    if text.is_empty() {
        // Its own text names the URL, which the failure already does, unredacted.
        text = "the request failed".into();
    }
    excerpt(text.as_bytes())
}

/// The next cause. An `io::Error` skips the error it wraps when asked for its source.
fn inner<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
    let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    match wrapped {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, find_cause};
    use sabir_types::{Error, ErrorKind};
    use std::io;
    use std::time::Duration;

    fn status(status: u16) -> Failure {
        let retry_after = (status == 503).then_some(Duration::from_secs(7));
        Failure::Status { url: "http://h/".into(), status, retry_after, excerpt: "oops".into() }
    }

    #[test]
    fn a_failure_is_found_again_in_the_error_it_became() {
        let error = Error::from(status(503));
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(error.message(), "http://h/ answered 503 Service Unavailable: oops");
        assert_eq!(Failure::of(&error), Some(&status(503)));
        assert_eq!(Failure::of(&Error::clone(&error)), Some(&status(503)));
        assert_eq!(Failure::of(&Error::internal("theirs")), None);
    }

    #[test]
    fn http_statuses_without_an_a2a_error_have_the_fitting_kind() {
        for (code, kind, transient) in [
            (401, ErrorKind::Unauthenticated, false),
            (403, ErrorKind::Forbidden, false),
            (404, ErrorKind::Remote, false),
            (413, ErrorKind::TooLarge, false),
            (429, ErrorKind::RateLimited, true),
            (500, ErrorKind::Remote, false),
            (502, ErrorKind::Unavailable, true),
            (504, ErrorKind::Unavailable, true),
        ] {
            let failure = status(code);
            assert_eq!((failure.kind(), failure.is_transient()), (kind, transient), "{code}");
        }
    }

    #[test]
    fn causes_are_found_inside_io_errors() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] io::Error);
        let outer = Outer(io::Error::other(io::Error::other(status(500))));
        assert_eq!(find_cause::<Failure>(&outer), Some(&status(500)));
    }
}
