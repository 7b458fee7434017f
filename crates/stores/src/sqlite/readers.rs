//! Connections for reading, used by one read at a time, on threads that may block.

use super::schema;
use parking_lot::Mutex;
use rusqlite::{Connection, TransactionBehavior};
use sabir_engine::store::StoreError;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::Semaphore;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn new(path: PathBuf, limit: usize) -> Self {
        Self { path, idle: Arc::default(), permits: Arc::new(Semaphore::new(limit.max(1))) }
    }

    /// Reads in one transaction.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(StoreError::new)?;
        let (path, idle) = (self.path.clone(), Arc::clone(&self.idle));
        let work = move || {
            let _permit = permit;
            let connection = idle.lock().pop();
            let mut connection = match connection {
                Some(connection) => connection,
                None => schema::open_reader(&path)?,
            };
            let result = in_transaction(&mut connection, read);
            idle.lock().push(connection);
            result
        };
        let result = tokio::task::spawn_blocking(work).await.map_err(StoreError::new)?;
        result.map_err(StoreError::new)
    }
}

/// All statements of a read see the same commits.
fn in_transaction<T>(
    connection: &mut Connection,
    read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
    let result = read(&transaction)?;
    transaction.finish()?;
    Ok(result)
}
