//! What a script is and what it is selected by.

use super::play::Play;
use futures_util::future::BoxFuture;
use sabir::prelude::*;

/// What a script returns.
pub(super) type Played = Result<(), ExecutorError>;

/// A line of the table: what selects a script, and the script.
pub(super) struct Script {
    pub(super) trigger: Trigger,
    pub(super) run: fn(Play) -> BoxFuture<'static, Played>,
    /// Whether its starts are counted.
    pub(super) counts: bool,
}

/// What selects a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// The first word of the text; the rest is the script's.
    Word(&'static str),
    /// The beginning of the message's id, whatever the text.
    Id(&'static str),
}

impl Trigger {
    /// The word or the beginning.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Word(name) | Self::Id(name) => name,
        }
    }
}

/// A line of the table.
macro_rules! script {
    ($trigger:ident $name:literal => $run:path) => {
        $crate::puppet::script::Script {
            trigger: $crate::puppet::script::Trigger::$trigger($name),
            run: |play| Box::pin($run(play)),
            counts: true,
        }
    };
}
pub(super) use script;
