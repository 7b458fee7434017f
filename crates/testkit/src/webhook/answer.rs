//! What a webhook answers.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderName, HeaderValue, StatusCode, header};
use std::time::Duration;

/// One scripted answer; 200 without a body by default.
#[derive(Clone, Debug)]
pub struct Answer {
    status: Option<StatusCode>,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: String,
    delay: Duration,
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            status: Some(StatusCode::OK),
            headers: Vec::new(),
            body: String::new(),
            delay: Duration::ZERO,
        }
    }
}

impl Answer {
    /// An answer of this status.
    ///
    /// # Panics
    /// When there is no such status.
    pub fn status(status: u16) -> Self {
        match StatusCode::from_u16(status) {
            Ok(status) => Self { status: Some(status), ..Self::default() },
            Err(_) => panic!("{status} is no HTTP status"),
        }
    }

    /// A redirect to another address.
    pub fn redirect(to: &str) -> Self {
        Self::status(307).with_header(header::LOCATION.as_str(), to)
    }

    /// No answer at all: the connection stays open and silent.
    pub fn silence() -> Self {
        Self { status: None, ..Self::default() }
    }

    /// Adds a header.
    ///
    /// # Panics
    /// When it is no valid header.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        match (name.parse(), value.parse()) {
            (Ok(name), Ok(value)) => self.headers.push((name, value)),
            _ => panic!("`{name}: {value}` is no HTTP header"),
        }
        self
    }

    /// Sets the body.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<String>) -> Self {
        self.body = body.into();
        self
    }

    /// Waits before it answers.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(super) async fn give(self) -> Response {
        tokio::time::sleep(self.delay).await;
        let Some(status) = self.status else { return std::future::pending().await };
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = status;
        response.headers_mut().extend(self.headers);
        response
    }
}
