//! Durable stores behind the engine's store traits.
//!
//! [`SqliteStore`] is the default of everything that survives its process:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! # let dir = dir.path();
//! use sabir_stores::{SqliteOptions, SqliteStore};
//! use std::sync::Arc;
//!
//! let store = Arc::new(SqliteStore::open_in(dir, SqliteOptions::default())?);
//! # drop(store);
//! # Ok(())
//! # }
//! ```

mod sqlite;

pub use sqlite::{SqliteOptions, SqliteStore, Synchronous};
