//! Carries the outbox to its webhooks: in order per task and webhook, never in a task's way.

use super::breaker::Breaker;
use super::read;
use crate::agent::encode;
use crate::delivery::{Delivery, DeliveryError, Parcel};
use crate::engine::Inner;
use crate::store::{OutboxRow, Settled, TaskKey};
use bytes::Bytes;
use parking_lot::Mutex;
use sabir_types::{Error, StreamResponse, Timestamp, Version};
use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Semaphore;

/// Deliveries under way at once.
const AT_ONCE: usize = 64;
/// The longest wait between two attempts.
const LONGEST: Duration = Duration::from_secs(3_600);
/// Attempts on one event; with the waits between them a little more than a day.
const ATTEMPTS: u32 = 36;
/// How long the outbox is left alone when nothing is known to be due.
const IDLE: Duration = Duration::from_secs(60);
/// How long a failed store is left alone.
const RETRY: Duration = Duration::from_secs(1);

type Queue = (TaskKey, Arc<str>);

/// What all deliveries share.
struct Courier {
    inner: Weak<Inner>,
    delivery: Arc<dyn Delivery>,
    breaker: Mutex<Breaker>,
    under_way: Mutex<HashSet<Queue>>,
    places: Arc<Semaphore>,
}

impl Inner {
    /// Delivers until the engine is gone.
    pub(crate) fn deliver_on(self: Arc<Self>) {
        let Some(delivery) = self.delivery.clone() else { return };
        let courier = Arc::new(Courier {
            inner: self.me.clone(),
            delivery,
            breaker: Mutex::default(),
            under_way: Mutex::default(),
            places: Arc::new(Semaphore::new(AT_ONCE)),
        });
        self.runtime.spawn(courier.run());
    }
}

impl Courier {
    async fn run(self: Arc<Self>) {
        loop {
            let Some(inner) = self.inner.upgrade() else { return };
            let notified = inner.outbox.clone().notified_owned();
            let wait = self.round(&inner).await;
            // A weak hold while waiting, so that an engine nobody uses any more can go.
            drop(inner);
            drop(tokio::time::timeout(wait.min(IDLE), notified).await);
        }
    }

    /// Starts what is due; says how long nothing else will be.
    async fn round(self: &Arc<Self>, inner: &Arc<Inner>) -> Duration {
        let now = Timestamp::now();
        // Rows under way are due as well; ask for enough to see past them.
        let limit = AT_ONCE + self.under_way.lock().len();
        let (rows, next) = match inner.store.due(&inner.name, now, limit).await {
            Ok(due) => due,
            Err(error) => {
                inner.store_error(&error);
                return RETRY;
            }
        };
        for row in rows {
            let queue = (row.key.clone(), row.push.id.clone());
            if self.under_way.lock().contains(&queue) {
                continue;
            }
            // Whoever makes room says so, and the next round begins.
            let Ok(place) = self.places.clone().try_acquire_owned() else { return IDLE };
            self.under_way.lock().insert(queue.clone());
            let (courier, inner) = (self.clone(), inner.clone());
            inner.clone().runtime.spawn(async move {
                let settled = courier.attempt(&inner, &row).await;
                if let Err(error) = inner.store.settle(&row, settled).await {
                    inner.store_error(&error);
                    tokio::time::sleep(RETRY).await;
                }
                courier.under_way.lock().remove(&queue);
                drop(place);
                inner.outbox.notify_one();
                inner.attempted.notify_waiters();
            });
        }
        let until = next.map(|at| at.as_millis().saturating_sub(Timestamp::now().as_millis()));
        until.map_or(IDLE, |millis| Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
    }

    async fn attempt(&self, inner: &Inner, row: &OutboxRow) -> Settled {
        let config = match read(&row.push) {
            Ok(config) => config,
            Err(error) => return Settled::Dead(format!("the webhook cannot be read: {error}")),
        };
        let pause = self.breaker.lock().pause(&config.url);
        if let Some(pause) = pause {
            return Settled::Retry(after(pause));
        }
        let body = match body(inner, row).await {
            Ok(Some(body)) => body,
            Ok(None) => return Settled::Delivered,
            Err(error) => return again(row, error.message(), None),
        };
        let parcel = Parcel {
            body,
            version: row.push.version,
            seq: row.seq,
            delivery_id: format!("{}/{}/{}", row.key.id, row.push.id, row.seq),
            attempts: row.attempts,
        };
        let result = self.delivery.deliver(&config, parcel).await;
        let mut breaker = self.breaker.lock();
        match result {
            Ok(()) => {
                breaker.succeeded(&config.url);
                Settled::Delivered
            }
            Err(DeliveryError::Refused { reason }) => Settled::Dead(reason),
            Err(DeliveryError::Later { reason, retry_after }) => {
                breaker.answered(&config.url);
                again(row, &reason, retry_after)
            }
            Err(DeliveryError::Unreachable { reason }) => {
                breaker.unreachable(&config.url);
                again(row, &reason, None)
            }
        }
    }
}

/// What is sent about an event; `None` for one of which the receiver wants to hear nothing.
///
/// Before 1.0 that is the whole task as of the event: when its status changes, and when an artifact
/// is complete.
async fn body(inner: &Inner, row: &OutboxRow) -> Result<Option<Bytes>, Error> {
    if row.push.version >= Version::V1_0 {
        return Ok(Some(row.body.clone()));
    }
    let event = serde_json::from_slice(&row.body)
        .map_err(|error| Error::internal(format!("the event cannot be read: {error}")))?;
    let tells = match event {
        StreamResponse::StatusUpdate(_) => true,
        StreamResponse::ArtifactUpdate(update) => update.last_chunk,
        _ => false,
    };
    if !tells {
        return Ok(None);
    }
    let task = inner.task_as_of(&row.key, row.seq).await?;
    Ok(task.map(|task| encode(&StreamResponse::Task(task))))
}

/// The next attempt: backoff with jitter, not before the receiver wants it.
fn again(row: &OutboxRow, reason: &str, retry_after: Option<Duration>) -> Settled {
    tracing::info!(task = %row.key.id, webhook = %row.push.id, attempts = row.attempts + 1, reason,
        "a webhook call is tried again later");
    if row.attempts + 1 >= ATTEMPTS {
        return Settled::Dead(format!("given up after {ATTEMPTS} attempts: {reason}"));
    }
    let backoff = Duration::from_secs(1 << row.attempts.min(12)).min(LONGEST);
    let jittered = backoff.mul_f64(0.75 + 0.5 * jitter(row));
    Settled::Retry(after(jittered.max(retry_after.unwrap_or_default().min(LONGEST))))
}

/// Between 0 and 1, different for each webhook and attempt.
fn jitter(row: &OutboxRow) -> f64 {
    let seed = format!("{}{}{}{}", row.key.id, row.push.id, row.seq, row.attempts);
    f64::from(blake3::hash(seed.as_bytes()).as_bytes()[0]) / 255.0
}

fn after(wait: Duration) -> Timestamp {
    let millis = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(Timestamp::now().as_millis().saturating_add(millis))
}
