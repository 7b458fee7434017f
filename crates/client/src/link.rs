//! A connection to one interface of an agent: makes the calls and opens the streams.

use crate::Failure;
use crate::card::FoundCard;
use crate::http::{Http, HttpAnswer, HttpRequest, Opened, Redirects, StreamBody};
use crate::retry::{RetryPolicy, with_retry};
use crate::select::Selected;
use crate::transport::{Incoming, Outgoing, Wire};
use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use sabir_engine::Call;
use sabir_types::{
    A2A_EXTENSIONS, A2A_VERSION, Capability, Error, Operation, X_A2A_EXTENSIONS, wire,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// The service parameter that limits how long a task may take.
const TASK_DEADLINE: HeaderName = HeaderName::from_static("sabir-task-deadline");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Which tenant requests name.
pub(crate) enum Tenant {
    /// This one or none, whatever the request says.
    Exactly(Option<String>),
    /// The one the request names: there is no card to say better.
    AsRequested,
}

/// A connection to one interface of an agent.
pub(crate) struct Link {
    pub(crate) http: Http,
    pub(crate) wire: Wire,
    pub(crate) selected: Selected,
    pub(crate) card: Option<Arc<FoundCard>>,
    pub(crate) tenant: Tenant,
    /// Service parameters of the caller's.
    pub(crate) parameters: HeaderMap,
    pub(crate) extensions: Vec<String>,
    /// What the caller said; there is a default only for calls that do not wait for work.
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry: RetryPolicy,
    pub(crate) resubscribe: RetryPolicy,
}

/// An answer, with what its headers say, and how often it was asked for.
pub(crate) struct Reply<T> {
    pub(crate) value: T,
    pub(crate) headers: HeaderMap,
}

impl Link {
    /// Refuses what the card does not offer (section 3.3.4).
    pub(crate) fn check(&self, operation: Operation) -> Result<(), Error> {
        if self.wire.is_older() && operation == Operation::ListTasks {
            // Only some servers have it, on one binding, and others fail at it.
            return Err(Error::unsupported_operation("A2A 0.3 has no list of tasks"));
        }
        let Some(card) = &self.card else { return Ok(()) };
        let capabilities = &card.capabilities;
        let unsupported = |what: &str| {
            let message =
                format!("{operation} needs {what}, which the agent's card does not offer");
            Err(Error::unsupported_operation(message))
        };
        match operation.capability() {
            Capability::Streaming if !capabilities.streams() => unsupported("streaming"),
            Capability::PushNotifications if !capabilities.pushes() => {
                Err(Error::push_notification_not_supported())
            }
            Capability::ExtendedAgentCard if !capabilities.extends_card() => {
                unsupported("an extended card")
            }
            _ => Ok(()),
        }
    }

    /// Calls an operation; calls it again when the way failed and doing it twice does no harm.
    /// `sent` counts.
    pub(crate) async fn call<T: Incoming>(
        &self,
        operation: Operation,
        call: &Call,
        message: impl Outgoing,
        timeout: Option<Duration>,
        sent: &AtomicU32,
    ) -> Result<Reply<T>, Error> {
        self.check(operation)?;
        let request = self.request(operation, call, message, None, timeout)?;
        let policy = if operation.is_idempotent() { self.retry } else { RetryPolicy::NEVER };
        with_retry(&policy, is_transient, Error::retry_after, || async {
            sent.fetch_add(1, Ordering::Relaxed);
            let answer = self.http.call(&request, Redirects::SameOrigin, timeout).await?;
            let message = self.wire.answer(operation, &answer, &self.http)?;
            let value = self.decode(operation, &answer, &message)?;
            Ok(Reply { value, headers: answer.headers })
        })
        .await
    }

    fn decode<T: Incoming>(
        &self,
        operation: Operation,
        answer: &HttpAnswer,
        message: &Bytes,
    ) -> Result<T, Error> {
        if operation == Operation::DeleteTaskPushNotificationConfig {
            // The answer is empty, and servers differ in how they write that.
            return Ok(T::default());
        }
        let value = self.wire.decode(message).map_err(|error| {
            let reason = format!("no {}: {}", operation.response(), error.message());
            Error::from(answer.unreadable(&self.http, reason))
        })?;
        if self.wire.is_binary() {
            self.http.log_body(|| wire::to_json(&value).unwrap_or_default());
        }
        Ok(value)
    }

    /// Opens a stream; `resume` is the id of the last event that was seen.
    pub(crate) async fn open(
        &self,
        operation: Operation,
        call: &Call,
        message: impl Outgoing,
        resume: Option<&str>,
    ) -> Result<StreamBody, Error> {
        let request = self.request(operation, call, message, resume, self.timeout)?;
        match self.http.open(&request, self.timeout).await? {
            Opened::Stream(body) => Ok(body),
            Opened::Answer(answer) => Err(match self.wire.answer(operation, &answer, &self.http) {
                Err(error) => error,
                Ok(_) => answer.failure(&self.http).into(),
            }),
        }
    }

    /// Opens a stream that may be asked for again when the way fails.
    pub(crate) async fn open_again(
        &self,
        operation: Operation,
        call: &Call,
        message: impl Outgoing,
    ) -> Result<StreamBody, Error> {
        with_retry(&self.retry, is_transient, Error::retry_after, || {
            self.open(operation, call, message.clone(), None)
        })
        .await
    }

    fn request(
        &self,
        operation: Operation,
        call: &Call,
        mut message: impl Outgoing,
        resume: Option<&str>,
        timeout: Option<Duration>,
    ) -> Result<HttpRequest, Error> {
        let tenant = match &self.tenant {
            Tenant::Exactly(tenant) => tenant.clone(),
            Tenant::AsRequested => message.tenant().take().filter(|tenant| !tenant.is_empty()),
        };
        let shown = self.shown(&message);
        let mut request = self.wire.request(operation, message, tenant.as_deref(), timeout)?;
        request.shown = shown;
        self.put_parameters(call, resume, &mut request.headers)?;
        Ok(request)
    }

    /// A message for the log, where what goes over the wire is no text.
    fn shown(&self, message: &impl Outgoing) -> Option<Vec<u8>> {
        let is_wanted = self.wire.is_binary() && self.http.is_logged();
        is_wanted.then(|| wire::to_json(message).unwrap_or_default())
    }

    fn put_parameters(
        &self,
        call: &Call,
        resume: Option<&str>,
        headers: &mut HeaderMap,
    ) -> Result<(), Error> {
        for (name, value) in &self.parameters {
            headers.append(name, value.clone());
        }
        headers.insert(A2A_VERSION, value("version", &self.selected.version.to_string())?);
        let mut extensions = self.extensions.clone();
        extensions.extend(call.extensions.iter().filter(|e| !self.extensions.contains(e)).cloned());
        if !extensions.is_empty() {
            let extensions = value("extensions", &extensions.join(", "))?;
            if self.wire.is_older() {
                headers.insert(X_A2A_EXTENSIONS, extensions.clone());
            }
            headers.insert(A2A_EXTENSIONS, extensions);
        }
        if let Some(trace) = &call.trace {
            headers.insert(TRACEPARENT, value("trace", trace)?);
        }
        if let Some(deadline) = call.deadline {
            let seconds = deadline.as_secs_f64().to_string();
            headers.insert(TASK_DEADLINE, value("deadline", &seconds)?);
        }
        let resume = resume.map(str::to_owned).or(call.resume_after.map(|seq| seq.to_string()));
        if let Some(resume) = resume {
            headers.insert(LAST_EVENT_ID, value("resume", &resume)?);
        }
        Ok(())
    }
}

/// Whether the way failed in a manner that may pass.
pub(crate) fn is_transient(error: &Error) -> bool {
    match Failure::of(error) {
        Some(failure) => failure.is_transient(),
        None => error.kind().is_transient(),
    }
}

fn value(what: &str, text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::try_from(text)
        .map_err(|_| Error::invalid_params(what, "has characters no header may have"))
}
