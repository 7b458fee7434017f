//! Errors: what went wrong, in the words of every binding.

mod details;
mod kind;
mod read;

pub use kind::{ErrorKind, ErrorTable, GrpcCode};

use crate::{TaskId, TaskState, Version};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The `domain` of every [`ErrorInfo`](https://google.aip.dev/193) that A2A defines.
pub const DOMAIN: &str = "a2a-protocol.org";

/// What went wrong, as every binding can say it.
///
/// ```
/// use sabir_types::{Error, ErrorKind, ErrorTable};
///
/// let error = Error::invalid_params("pageSize", "must be between 1 and 100");
/// assert_eq!(error.kind(), ErrorKind::InvalidParams);
/// assert_eq!(error.to_string(), "pageSize: must be between 1 and 100");
/// assert_eq!(error.kind().http_status(ErrorTable::V1_0_1), 400);
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    /// Whether all that was told is `FAILED_PRECONDITION`, which several kinds have.
    is_precondition: bool,
    message: String,
    violations: Vec<Violation>,
    metadata: BTreeMap<String, String>,
    retry_after: Option<Duration>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

/// One thing that is wrong with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, as a path: `message.parts[1].content`.
    pub field: String,
    /// What would be right.
    pub description: String,
}

/// One constructor for each kind, and the general one.
impl Error {
    /// An error of that kind with that message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            is_precondition: false,
            message: message.into(),
            violations: Vec::new(),
            metadata: BTreeMap::new(),
            retry_after: None,
            source: None,
        }))
    }

    /// The task does not exist, or not for this caller.
    pub fn task_not_found(id: &TaskId) -> Self {
        Self::new(ErrorKind::TaskNotFound, format!("task not found: {id}"))
            .with_metadata("taskId", id.as_str())
    }

    /// The task is in a state in which nothing can be canceled.
    pub fn task_not_cancelable(id: &TaskId, state: TaskState) -> Self {
        let message = format!("task {id} cannot be canceled: it is {state}");
        Self::new(ErrorKind::TaskNotCancelable, message)
            .with_metadata("taskId", id.as_str())
            .with_metadata("state", state.short_name())
    }

    /// The agent sends no push notifications.
    pub fn push_notification_not_supported() -> Self {
        ErrorKind::PushNotificationNotSupported.into()
    }

    /// The agent does not do this, or not now.
    pub fn unsupported_operation(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::UnsupportedOperation, message)
    }

    /// The agent does not take this media type.
    pub fn content_type_not_supported(media_type: &str) -> Self {
        let message = format!("content type not supported: {media_type}");
        Self::new(ErrorKind::ContentTypeNotSupported, message)
            .with_metadata("mediaType", media_type)
    }

    /// The agent's answer does not fit the protocol.
    pub fn invalid_agent_response(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidAgentResponse, message)
    }

    /// The card promises an extended card, but there is none.
    pub fn extended_agent_card_not_configured() -> Self {
        ErrorKind::ExtendedAgentCardNotConfigured.into()
    }

    /// The agent requires an extension that the client did not name.
    pub fn extension_support_required(uri: &str) -> Self {
        let message = format!("the client must support the extension {uri}");
        Self::new(ErrorKind::ExtensionSupportRequired, message).with_metadata("extension", uri)
    }

    /// The interface does not speak this protocol version, but those, the best one first.
    pub fn version_not_supported(requested: &str, supported: &[Version]) -> Self {
        let mut message = format!("A2A version `{requested}` is not supported");
        if let Some(version) = supported.first() {
            message += &format!(": send the header `{}: {version}`", crate::A2A_VERSION);
        }
        let supported: Vec<_> = supported.iter().map(Version::to_string).collect();
        let supported = supported.join(", ");
        Self::new(ErrorKind::VersionNotSupported, message)
            .with_metadata("requestedVersion", requested)
            .with_metadata("supportedVersions", supported)
    }

    /// The request is not JSON.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ParseError, message)
    }

    /// The request is JSON, but no request.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidRequest, message)
    }

    /// Nobody serves this method or path.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(ErrorKind::MethodNotFound, format!("method not found: {method}"))
    }

    /// A field of the request is wrong; say what would be right.
    ///
    /// An empty field means the request as a whole.
    pub fn invalid_params(field: impl Into<String>, description: impl Into<String>) -> Self {
        let (field, description) = (field.into(), description.into());
        if field.is_empty() {
            return Self::new(ErrorKind::InvalidParams, description);
        }
        Self::new(ErrorKind::InvalidParams, format!("{field}: {description}"))
            .with_violation(field, description)
    }

    /// We failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// Nobody knows who is asking.
    pub fn unauthenticated(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unauthenticated, message)
    }

    /// The caller may not do this.
    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, message)
    }

    /// The caller asks too often; it may ask again after that time.
    pub fn rate_limited(retry_after: Duration) -> Self {
        Self::from(ErrorKind::RateLimited).with_retry_after(retry_after)
    }

    /// The request is larger than that many bytes.
    pub fn too_large(limit: usize) -> Self {
        Self::new(ErrorKind::TooLarge, format!("larger than {limit} bytes"))
            .with_metadata("limitBytes", limit.to_string())
    }

    /// It cannot be done now, but may be later.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// The other side failed, or answered with something that is not A2A.
    pub fn remote(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Remote, message)
    }
}

impl Error {
    /// The same with one more thing that is wrong.
    #[must_use]
    pub fn with_violation(
        mut self,
        field: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        let violation = Violation { field: field.into(), description: description.into() };
        self.0.violations.push(violation);
        self
    }

    /// The same with one more fact for programs.
    #[must_use]
    pub fn with_metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.metadata.insert(key.into(), value.into());
        self
    }

    /// The same with the time after which to ask again.
    #[must_use]
    pub fn with_retry_after(mut self, after: Duration) -> Self {
        self.0.retry_after = Some(after);
        self
    }

    /// The same with another message.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<String>) -> Self {
        self.0.message = message.into();
        self
    }

    /// The same with its cause, which is logged and never sent.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// What kind of error it is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What went wrong, for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What is wrong with the request, field by field.
    pub fn violations(&self) -> &[Violation] {
        &self.0.violations
    }

    /// More facts, for programs.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// After what time to ask again.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }
}

/// The kind with its default message.
impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind, kind.default_message())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, message, violations, metadata, retry_after, source, is_precondition: _ } =
            &*self.0;
        let mut out = f.debug_struct("Error");
        out.field("kind", kind).field("message", message);
        if !violations.is_empty() {
            out.field("violations", violations);
        }
        if !metadata.is_empty() {
            out.field("metadata", metadata);
        }
        if let Some(after) = retry_after {
            out.field("retry_after", after);
        }
        if let Some(source) = source {
            out.field("source", source);
        }
        out.finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}
