//! Page tokens of ListTasks: where a page ended, and under which filter.

use crate::store::TaskFilter;
use sabir_types::{Error, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

/// The last task of a page. Opaque to callers; only good for the filter it was made under.
#[derive(Serialize, Deserialize)]
pub(crate) struct PageToken(i64, i32, String, String);

impl PageToken {
    pub(crate) fn write(last: &(TaskId, Timestamp), filter: &TaskFilter) -> String {
        let (id, at) = last;
        let token = Self(at.seconds(), at.nanos(), id.to_string(), fingerprint(filter));
        let json = serde_json::to_vec(&token).unwrap_or_default();
        json.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// # Errors
    /// `InvalidParams` for anything but a token of this filter.
    pub(crate) fn read(token: &str, filter: &TaskFilter) -> Result<(Timestamp, TaskId), Error> {
        let invalid = || {
            Error::invalid_params(
                "pageToken",
                "must be the nextPageToken of a page of the same filters, or be left out",
            )
        };
        let bytes: Option<Vec<u8>> = (token.len().is_multiple_of(2) && token.is_ascii())
            .then(|| (0..token.len()).step_by(2))
            .and_then(|at| at.map(|at| u8::from_str_radix(&token[at..at + 2], 16).ok()).collect());
        let Self(seconds, nanos, id, made_for) =
            serde_json::from_slice(&bytes.ok_or_else(invalid)?).map_err(|_| invalid())?;
        if made_for != fingerprint(filter) {
            return Err(invalid());
        }
        let at = Timestamp::new(seconds, nanos).map_err(|_| invalid())?;
        Ok((at, TaskId::from(id)))
    }
}

fn fingerprint(filter: &TaskFilter) -> String {
    let hash = blake3::hash(format!("{filter:?}").as_bytes());
    hash.to_hex()[..8].to_owned()
}
