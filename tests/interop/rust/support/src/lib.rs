//! What the programs of every kit in Rust share: what is said, how cases are run and told, and a
//! webhook.

mod cases;
mod receiver;
mod texts;

pub use cases::{Args, Case, Why, equal, run};
pub use receiver::{Delivery, Receiver};
pub use texts::{Texts, names_a_contract, parts};
