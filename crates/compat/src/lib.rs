//! The dialects of A2A 0.3, to and from the A2A 1.0 data model.
//!
//! 0.3 has two ways to write the same things:
//!
//! - [`kind`]: the JSON of JSON-RPC, of agent cards and of webhooks, whose objects say their `kind`;
//! - [`proto`]: the protobuf package `a2a.v1`, in gRPC as protobuf and in HTTP+JSON as ProtoJSON.
//!
//! Both are translated from and to the types of 1.0, never to one another. Reading is lenient,
//! writing strict, as for 1.0: what is missing is named by [`ProtoMessage::check`] of the 1.0 type,
//! so by the same path in every version.
//!
//! ```
//! use sabir_compat::kind::Translate;
//! use sabir_types::{Part, SendMessageResponse, Task, TaskState, TaskStatus};
//!
//! let result = br#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required"}}"#;
//! let SendMessageResponse::Task(task) = SendMessageResponse::read(result)? else { panic!() };
//! assert_eq!(task.state(), TaskState::InputRequired);
//!
//! let mut out = Vec::new();
//! task.write(&mut out)?;
//! assert_eq!(out, result);
//! # Ok::<(), sabir_types::Error>(())
//! ```
//!
//! # What 0.3 cannot hold
//!
//! From 1.0 to 0.3 and back everything comes back as it was, except:
//!
//! | what | in kind-JSON | in the protobuf dialect |
//! |--|--|--|
//! | media type and file name of a part that is text or data | lost | lost |
//! | empty metadata of a part whose data is no object | lost | lost |
//! | a role that is not said | agent | kept |
//! | a state that is not said or not known | not said | kept as it is |
//! | a task or event without a context | gets the task's id as its context | the same |
//! | `historyLength: 0` | means all | means all |
//! | `referenceTaskIds` of a message | kept | lost |
//! | the tenant of a request | kept, in a member that only some read | lost |
//! | the tenant of a push config | kept | lost |
//! | no configuration in a request | kept | the default one |
//! | task and tenant of a push config within a request | lost | lost |
//! | pages of push configs | lost | kept |
//! | metadata of the request to cancel | kept | lost |
//! | the device code flow, and that PKCE is required | lost | lost |
//! | interfaces of 1.0, tenants of interfaces, signatures of a card | lost | lost |
//! | a version of an interface other than that of the first one | that of the first | the same |
//! | an extended card that is said not to exist | not said | not said |
//! | an empty text where 0.3 does not tell it from none | not set | not set |
//!
//! Data that is no object travels in an object, with a flag in the metadata of its part; data of
//! 1.0 whose metadata has that flag itself would lose it. Protobuf rounds integers above 2^53, as in
//! 1.0. The bytes of a file that are base64 text through and through are read as what they encode
//! from the protobuf dialect, see [`FileBytes`].

pub mod card;
mod data;
mod dialect;
pub mod error;
mod file;
pub mod kind;
mod name;
pub mod proto;
mod push;
mod value;

pub use dialect::{Dialect, Message};
pub use file::FileBytes;
pub use push::{PushAuthentication, PushNotificationConfig};
pub use value::{AnyTime, Kind, KindRole, KindState, ProtoState};

use sabir_types::{ContextId, Error, TaskId, TaskState, Version, wire};

#[cfg(doc)]
use sabir_types::wire::ProtoMessage;

/// Whether a version that an interface says is one that is spoken by these dialects: from 0.3 up
/// to, but not with, 1.0; none at all means 0.3.
pub fn is_v0_3(version: &str) -> bool {
    Version::requested(Some(version))
        .is_ok_and(|version| version >= Version::V0_3 && version < Version::V1_0)
}

/// Whether a stream of 0.3 ends at this state: also where the task waits for its caller.
pub fn is_final(state: TaskState) -> bool {
    state.is_terminal() || state.is_interrupted()
}

/// 0.3 requires a context; the id of the task is one that stays the same.
fn context_of(context: ContextId, task: &TaskId) -> ContextId {
    if context.is_empty() { ContextId::from(task.as_str()) } else { context }
}

/// In 0.3 zero means all, as if it were not said.
fn history_length(asked: Option<i32>) -> Option<i32> {
    asked.filter(|length| *length != 0)
}

/// Appends JSON.
fn put(value: &impl serde::Serialize, out: &mut Vec<u8>) -> Result<(), Error> {
    wire::write_json(value, out)
        .map_err(|error| Error::internal(format!("cannot be written as JSON: {error}")))
}

fn unspoken() -> Error {
    Error::version_not_supported("0.3", &[Version::V1_0])
        .with_message("the agent's card has no interface of A2A 0.3")
}
