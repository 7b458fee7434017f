//! Makes ids: UUIDv7, so that they rise with time.

use uuid::Uuid;

/// A new id.
pub fn new_id() -> String {
    let mut buffer = Uuid::encode_buffer();
    Uuid::now_v7().hyphenated().encode_lower(&mut buffer).to_owned()
}
