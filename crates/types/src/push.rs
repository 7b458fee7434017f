//! Push notifications: where to send what happens to a task.

use crate::TaskId;
use sabir_wire_derive::ProtoMessage;
use std::fmt;

/// Where to send what happens to a task.
///
/// `Debug` prints neither the token nor the credentials.
#[derive(Clone, Default, PartialEq, ProtoMessage)]
pub struct TaskPushNotificationConfig {
    /// The tenant, as in the card's interface.
    #[field(1)]
    pub tenant: Option<String>,
    /// Identifies the configuration within its task; made by the server when empty.
    #[field(2)]
    pub id: Option<String>,
    /// The task.
    #[field(3)]
    pub task_id: Option<TaskId>,
    /// Where to send.
    #[field(4, required)]
    pub url: String,
    /// A secret of the receiver's, sent back to it with every notification.
    #[field(5)]
    pub token: Option<String>,
    /// How to authenticate to the receiver.
    #[field(6)]
    pub authentication: Option<AuthenticationInfo>,
}

impl TaskPushNotificationConfig {
    /// A configuration that sends to that URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), ..Self::default() }
    }

    /// The same without its secrets, which are write-only.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.token = None;
        if let Some(authentication) = &mut self.authentication {
            authentication.credentials = None;
        }
        self
    }
}

impl fmt::Debug for TaskPushNotificationConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskPushNotificationConfig")
            .field("tenant", &self.tenant)
            .field("id", &self.id)
            .field("task_id", &self.task_id)
            .field("url", &self.url)
            .field("token", &self.token.as_ref().map(|_| Hidden))
            .field("authentication", &self.authentication)
            .finish()
    }
}

/// How to authenticate to the receiver of push notifications.
///
/// `Debug` does not print the credentials.
#[derive(Clone, Default, PartialEq, ProtoMessage)]
pub struct AuthenticationInfo {
    /// An HTTP authentication scheme, such as `Bearer`.
    #[field(1, required)]
    pub scheme: String,
    /// The credentials, in the form the scheme has.
    #[field(2)]
    pub credentials: Option<String>,
}

impl fmt::Debug for AuthenticationInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticationInfo")
            .field("scheme", &self.scheme)
            .field("credentials", &self.credentials.as_ref().map(|_| Hidden))
            .finish()
    }
}

/// Stands for a secret.
struct Hidden;

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}
