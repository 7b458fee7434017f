//! Push configs, which both dialects write alike.

use sabir_types::wire::ProtoMessage;
use sabir_types::{AuthenticationInfo, TaskId, TaskPushNotificationConfig};
use std::fmt;

/// Where to send what happens to a task, without the task.
///
/// `Debug` prints neither the token nor the credentials.
#[derive(Clone, Default, PartialEq, ProtoMessage)]
pub struct PushNotificationConfig {
    /// Identifies it within its task.
    #[field(1)]
    pub id: Option<String>,
    /// Where to send.
    #[field(2, required, may_be_empty)]
    pub url: String,
    /// A secret of the receiver's, sent back to it.
    #[field(3)]
    pub token: Option<String>,
    /// How to authenticate to the receiver.
    #[field(4)]
    pub authentication: Option<PushAuthentication>,
}

impl fmt::Debug for PushNotificationConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushNotificationConfig")
            .field("id", &self.id)
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// How to authenticate to the receiver: by one of several schemes.
#[derive(Clone, Default, PartialEq, ProtoMessage)]
pub struct PushAuthentication {
    /// HTTP authentication schemes.
    #[field(1, required, may_be_empty)]
    pub schemes: Vec<String>,
    /// The credentials.
    #[field(2)]
    pub credentials: Option<String>,
}

impl fmt::Debug for PushAuthentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushAuthentication").field("schemes", &self.schemes).finish_non_exhaustive()
    }
}

impl PushAuthentication {
    fn from_v1(one: AuthenticationInfo) -> Self {
        Self { schemes: vec![one.scheme], credentials: one.credentials }
    }

    /// Of several schemes the first; credentials without a scheme are a bearer token.
    fn into_v1(self) -> Option<AuthenticationInfo> {
        let scheme = self.schemes.into_iter().find(|scheme| !scheme.is_empty());
        let scheme = match (scheme, &self.credentials) {
            (Some(scheme), _) => scheme,
            (None, Some(_)) => "Bearer".to_owned(),
            (None, None) => return None,
        };
        Some(AuthenticationInfo { scheme, credentials: self.credentials })
    }
}

impl PushNotificationConfig {
    /// Of 1.0, with the task it was for.
    pub(crate) fn from_v1(config: TaskPushNotificationConfig) -> (Option<TaskId>, Self) {
        let form = Self {
            id: config.id,
            url: config.url,
            token: config.token,
            authentication: config.authentication.map(PushAuthentication::from_v1),
        };
        (config.task_id, form)
    }

    /// As in 1.0, for that task.
    pub(crate) fn into_v1(self, task_id: Option<TaskId>) -> TaskPushNotificationConfig {
        TaskPushNotificationConfig {
            tenant: None,
            id: self.id,
            task_id,
            url: self.url,
            token: self.token,
            authentication: self.authentication.and_then(PushAuthentication::into_v1),
        }
    }
}
