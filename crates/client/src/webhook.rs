//! Delivers events to webhooks (specification section 4.3.3), through the outbound guard.

use crate::Failure;
use crate::failure::classify;
use crate::guard::{Guard, guard_error};
use crate::http::retry_after;
use crate::redact;
use async_trait::async_trait;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use sabir_compat::kind;
use sabir_engine::{Delivery, DeliveryError, Parcel};
use sabir_types::{Error, TaskPushNotificationConfig, Version, wire};
use std::fmt;
use std::time::Duration;

const TOKEN: HeaderName = HeaderName::from_static("a2a-notification-token");
const X_TOKEN: HeaderName = HeaderName::from_static("x-a2a-notification-token");
const DELIVERY_ID: HeaderName = HeaderName::from_static("sabir-delivery-id");
const EVENT_SEQ: HeaderName = HeaderName::from_static("sabir-event-seq");

/// The longest address, credential or token of a webhook.
const MAX_FIELD: usize = 4096;

/// Delivers events to webhooks over HTTP.
///
/// An event is POSTed as `application/a2a+json`, to receivers of 0.3 the bare task as
/// `application/json`, with the credentials and the token of its
/// configuration. `Sabir-Delivery-Id` is the same for each attempt, `Sabir-Event-Seq` is the
/// event's position in its task: by either a receiver can drop repeats.
#[derive(Clone, Debug)]
pub struct Webhooks {
    guard: Guard,
}

impl Webhooks {
    /// Delivers through this guard.
    pub fn new(guard: Guard) -> Self {
        Self { guard }
    }
}

#[async_trait]
impl Delivery for Webhooks {
    async fn check(&self, config: &TaskPushNotificationConfig) -> Result<(), Error> {
        if config.url.len() > MAX_FIELD {
            return Err(Error::invalid_params("url", "is too long"));
        }
        self.guard
            .check(&config.url)
            .map_err(|error| Error::invalid_params("url", error.to_string()))?;
        headers(config).map(drop)
    }

    async fn deliver(
        &self,
        config: &TaskPushNotificationConfig,
        event: Parcel,
    ) -> Result<(), DeliveryError> {
        // What was let in long ago is held to the rules of today.
        let mut headers = headers(config).map_err(|error| refused(&error))?;
        let request = self.guard.post(&config.url).map_err(|error| refused(&error))?;
        let (body, media_type) = written(event.body, event.version)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(
            DELIVERY_ID,
            HeaderValue::try_from(&event.delivery_id).map_err(|error| refused(&error))?,
        );
        headers.insert(EVENT_SEQ, event.seq.into());
        let answer = request.headers(headers).body(body).send().await;
        let answer = answer.map_err(|error| unanswered(&error))?;
        let (status, retry_after) = (answer.status().as_u16(), retry_after(answer.headers()));
        self.guard.discard(answer).await;
        judge(status, retry_after)
    }
}

/// The body as the receiver understands it, and its media type.
fn written(body: Bytes, version: Version) -> Result<(Bytes, &'static str), DeliveryError> {
    if version >= Version::V1_0 {
        return Ok((body, "application/a2a+json"));
    }
    let event = wire::from_json(&body).map_err(|error| refused(&error))?;
    match kind::webhook_body(event).map_err(|error| refused(&error))? {
        Some(body) => Ok((body.into(), "application/json")),
        None => Err(refused(&"A2A 0.3 has webhooks for tasks only")),
    }
}

/// The headers that a configuration asks for.
fn headers(config: &TaskPushNotificationConfig) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    if let Some(authentication) = &config.authentication {
        // RFC 9110: a scheme is a token. Anything else could smuggle in a header.
        if authentication.scheme.is_empty() || !authentication.scheme.bytes().all(is_token) {
            let reason = "must be the name of an authentication scheme";
            return Err(Error::invalid_params("authentication.scheme", reason));
        }
        let credentials = authentication.credentials.as_deref().unwrap_or_default();
        let value = match credentials {
            "" => authentication.scheme.clone(),
            credentials => format!("{} {credentials}", authentication.scheme),
        };
        headers.insert(AUTHORIZATION, secret("authentication.credentials", &value)?);
    }
    if let Some(token) = config.token.as_deref().filter(|token| !token.is_empty()) {
        let value = secret("token", token)?;
        // 1.0.1 names no header; one kind of receiver looks for the first, another for the second.
        headers.insert(X_TOKEN, value.clone());
        headers.insert(TOKEN, value);
    }
    Ok(headers)
}

fn secret(field: &str, text: &str) -> Result<HeaderValue, Error> {
    let visible = text.len() <= MAX_FIELD && text.chars().all(|c| !c.is_control());
    let value = if visible { HeaderValue::try_from(text).ok() } else { None };
    let Some(mut value) = value else {
        return Err(Error::invalid_params(field, "must be text that can stand in a header"));
    };
    value.set_sensitive(true);
    Ok(value)
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

fn refused(reason: &dyn fmt::Display) -> DeliveryError {
    DeliveryError::Refused { reason: reason.to_string() }
}

/// What an answer means: taken, never, or not now.
fn judge(status: u16, retry_after: Option<Duration>) -> Result<(), DeliveryError> {
    match status {
        200..=299 => Ok(()),
        300..=399 => Err(refused(&format_args!("HTTP {status}: redirects are not followed"))),
        408 | 425 | 429 | 500.. => {
            Err(DeliveryError::Later { reason: format!("HTTP {status}"), retry_after })
        }
        _ => Err(refused(&format_args!("HTTP {status}"))),
    }
}

/// What having no answer means.
fn unanswered(error: &reqwest::Error) -> DeliveryError {
    if let Some(inside) = guard_error(error) {
        return refused(inside);
    }
    if error.is_timeout() && !error.is_connect() {
        return DeliveryError::Later { reason: "no answer in time".to_owned(), retry_after: None };
    }
    let host = error.url().and_then(url::Url::host_str).unwrap_or_default();
    match classify(redact::excerpt(host.as_bytes()), error) {
        Failure::Cut { reason, .. } => DeliveryError::Later { reason, retry_after: None },
        failure => DeliveryError::Unreachable { reason: failure.to_string() },
    }
}
