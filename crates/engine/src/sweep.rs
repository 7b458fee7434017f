//! Lets the store forget what its retention no longer wants, in the background.

use crate::engine::Inner;
use sabir_types::Timestamp;
use std::sync::Arc;

impl Inner {
    /// Sweeps until the engine is gone.
    pub(crate) fn sweep_on(self: Arc<Self>) {
        let (me, every) = (self.me.clone(), self.config.sweep);
        self.runtime.spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                let Some(inner) = me.upgrade() else { return };
                match inner.store.sweep(Timestamp::now(), &Self::fold_for_store).await {
                    Ok(0) => {}
                    Ok(deleted) => tracing::debug!(deleted, "old tasks were deleted"),
                    Err(error) => drop(inner.store_error(&error)),
                }
            }
        });
    }
}
