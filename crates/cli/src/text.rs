//! Results as text: stable labels, no control sequences, nothing left out.

mod card;
mod clean;
mod event;
mod part;
mod table;
mod task;

pub(crate) use card::card;
pub(crate) use clean::clean;
pub(crate) use event::event;
pub(crate) use table::table;
pub(crate) use task::{message, outcome, resume, state, task, task_list};
