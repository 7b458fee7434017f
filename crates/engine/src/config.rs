//! The engine's settings.

use std::time::Duration;

/// Which repeated messages are recognised (design: the key is the message id, scoped by owner).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Idempotency {
    /// Of everybody; for anonymous callers only with the same content.
    #[default]
    All,
    /// Of principals only.
    Authenticated,
    /// Of nobody: every message is new.
    Off,
}

/// Which media types of parts are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputModes {
    /// Those that the card lists.
    #[default]
    Card,
    /// All.
    Any,
}

/// How an engine runs its agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// Which repeated messages are recognised.
    pub idempotency: Idempotency,
    /// For how long a message of a principal is recognised.
    pub idempotency_principals: Duration,
    /// For how long a message of an anonymous caller is recognised.
    pub idempotency_anonymous: Duration,
    /// Which media types of parts are taken.
    pub input_modes: InputModes,
    /// Messages that may wait for a running turn of their task.
    pub queue: usize,
    /// How long an executor may take to stop after cancellation before it is dropped.
    pub grace: Duration,
    /// Messages of the history shown to a caller who asks for no number.
    pub history: usize,
    /// Webhooks a task may have.
    pub pushes: usize,
    /// How long a stream waits for the executor to decide between a reply and a task.
    pub first_event: Duration,
    /// Cancels a task that nobody has read for so long while it runs.
    pub abandoned: Option<Duration>,
    /// Bytes of events a task's log may hold; the executor that exceeds it fails.
    pub log_bytes: u64,
    /// Bytes of events a turn may have handed over that are not committed yet; the next emit
    /// waits.
    pub turn_bytes: usize,
    /// How long a blocking answer waits for webhook deliveries of its task that are under way.
    pub push_settle: Duration,
    /// How often the store forgets what its retention no longer wants.
    pub sweep: Duration,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            idempotency: Idempotency::All,
            idempotency_principals: Duration::from_secs(24 * 3_600),
            idempotency_anonymous: Duration::from_secs(600),
            input_modes: InputModes::Card,
            queue: 16,
            grace: Duration::from_secs(5),
            history: 200,
            pushes: 100,
            first_event: Duration::from_secs(1),
            abandoned: None,
            log_bytes: 256 << 20,
            turn_bytes: 1 << 20,
            push_settle: Duration::ZERO,
            sweep: Duration::from_secs(10),
        }
    }
}
