//! Carries an event to a webhook; behind a trait so that the engine knows no HTTP.

use async_trait::async_trait;
use bytes::Bytes;
use sabir_types::{Error, TaskPushNotificationConfig, Version};
use std::time::Duration;

/// Delivers events to webhooks (specification section 4.3.3). The client crate has the HTTP one.
#[async_trait]
pub trait Delivery: Send + Sync + 'static {
    /// Decides whether a webhook may be registered: its address, its scheme, its credentials.
    ///
    /// # Errors
    /// `InvalidParams` that names the field.
    async fn check(&self, config: &TaskPushNotificationConfig) -> Result<(), Error>;

    /// Makes one attempt; bounded in time by itself.
    async fn deliver(
        &self,
        config: &TaskPushNotificationConfig,
        event: Parcel,
    ) -> Result<(), DeliveryError>;
}

/// What is delivered.
#[derive(Clone, Debug)]
pub struct Parcel {
    /// The ProtoJSON of a `StreamResponse`: the event, or the task as of it in versions before 1.0,
    /// whose receivers want nothing else.
    pub body: Bytes,
    /// The protocol version that the receiver understands.
    pub version: Version,
    /// The event's sequence in its task, so that a receiver can drop repeats.
    pub seq: u64,
    /// The same for every attempt on this event and webhook.
    pub delivery_id: String,
    /// How many attempts were made before.
    pub attempts: u32,
}

/// Why an attempt was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// The receiver will never take it: the event becomes a dead letter.
    #[error("refused for good: {reason}")]
    Refused {
        /// What it said.
        reason: String,
    },
    /// The receiver answered that it cannot now (5xx, 408, 425, 429) or did not answer in time.
    #[error("not now: {reason}")]
    Later {
        /// What it said.
        reason: String,
        /// When it wants to be asked again.
        retry_after: Option<Duration>,
    },
    /// No connection could be made.
    #[error("unreachable: {reason}")]
    Unreachable {
        /// What went wrong.
        reason: String,
    },
}
