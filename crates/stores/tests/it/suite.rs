//! What every store must do.

use sabir_engine::async_trait;
use sabir_engine::store::suite::Stores;
use sabir_engine::store::{Retention, Store};
use sabir_engine::store_suite;
use sabir_stores::{SqliteOptions, SqliteStore, Synchronous};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A directory with the files of one case.
struct Files {
    dir: tempfile::TempDir,
    next: AtomicU64,
}

impl Files {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), next: AtomicU64::new(0) }
    }
}

#[async_trait]
impl Stores for Files {
    async fn open(&self, retention: Retention) -> Arc<dyn Store> {
        let name = self.next.fetch_add(1, Ordering::Relaxed).to_string();
        // Nothing here depends on the disk, and the suite makes thousands of commits.
        let synchronous = Synchronous::Normal;
        let options = SqliteOptions { retention, synchronous, ..SqliteOptions::default() };
        Arc::new(SqliteStore::open_in(self.dir.path().join(name), options).unwrap())
    }
}

store_suite!(Files::new());
