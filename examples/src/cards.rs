//! What the cards of the samples have in common.

use sabir::prelude::*;

/// Capabilities that say whether the agent streams, and nothing else.
pub(crate) fn streaming(streams: bool) -> AgentCapabilities {
    AgentCapabilities { streaming: Some(streams), ..AgentCapabilities::default() }
}

/// Media types as a card lists them.
pub(crate) fn modes<const N: usize>(modes: [&str; N]) -> Vec<String> {
    modes.map(str::to_owned).into()
}
