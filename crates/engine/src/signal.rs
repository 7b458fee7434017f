//! A flag that can be awaited.

use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Is raised once and stays so.
#[derive(Debug, Default)]
pub(crate) struct Signal {
    raised: AtomicBool,
    notify: Notify,
}

impl Signal {
    /// Raises it; false if it was raised before.
    pub(crate) fn raise(&self) -> bool {
        let first = !self.raised.swap(true, Ordering::AcqRel);
        self.notify.notify_waiters();
        first
    }

    pub(crate) fn is_raised(&self) -> bool {
        self.raised.load(Ordering::Acquire)
    }

    /// Waits until it is raised.
    pub(crate) async fn raised(&self) {
        loop {
            let notified = self.notify.notified();
            if self.is_raised() {
                return;
            }
            notified.await;
        }
    }
}
