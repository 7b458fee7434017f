//! Fixtures for the tests of this workspace: a data directory, the built program as a child
//! process, a webhook receiver, and connections on which a test sees every byte, or every message.
//!
//! Only `[dev-dependencies]` may name this crate. A fixture that cannot do its work panics with
//! what it saw, because a test has nothing better to do with such an error; and everything that
//! waits gives up after [`PATIENCE`], so that a test that would hang fails and says where.

mod data_dir;
mod grpc;
mod patience;
mod program;
mod raw;
mod webhook;

pub use data_dir::DataDir;
pub use grpc::{GrpcAnswer, GrpcCall, GrpcConnection};
pub use patience::{PATIENCE, patiently};
pub use program::{Program, Running};
pub use raw::{Frame, Head, RawConnection};
pub use webhook::{Answer, Received, Webhook};
