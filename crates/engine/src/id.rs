//! Makes ids: UUIDv7, so that they rise with time.

use std::sync::Arc;
use uuid::{ContextV7, Timestamp, Uuid};

thread_local! {
    // One for each thread: a counter that all threads share costs more than the id itself.
    static CONTEXT: ContextV7 = const { ContextV7::new() };
}

/// A new id.
pub fn new_id() -> Arc<str> {
    let mut buffer = Uuid::encode_buffer();
    let id = CONTEXT.with(|context| Uuid::new_v7(Timestamp::now(context)));
    Arc::from(&*id.hyphenated().encode_lower(&mut buffer))
}
