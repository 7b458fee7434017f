//! What a step of the bench comes to.

use std::error::Error;

/// An error says what was measured when it happened; nobody handles it, somebody reads it.
pub(crate) type Outcome<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;
