//! The agent that the official test kits are run against, on the facade `sabir` alone.
//!
//! One agent answers them all, because what they send tells them apart:
//!
//! | kit | what selects a behaviour |
//! |--|--|
//! | ACTS | the first text of the task, such as `tck-long-running`; [`acts/sut-behaviors.yaml`] lists them |
//! | ITK | a part that holds an `itk.Instruction` in protobuf |
//! | TCK (a2a-tck) | the beginning of the message id, such as `tck-input-required`; the puppet has these |
//!
//! Whatever else comes is echoed. What the agent declares, whom it lets in and which table of
//! errors it answers by is its [`Profile`].
//!
//! [`acts/sut-behaviors.yaml`]: https://github.com/sabir-agents/sabir/blob/main/acts/sut-behaviors.yaml

mod access;
mod acts;
mod ask;
mod executor;
mod guarded;
mod itk;
mod profile;
mod serve;

pub use acts::PREFIXES;
pub use ask::ask;
pub use profile::{ExtendedCard, Profile};
pub use serve::{Serving, start};
