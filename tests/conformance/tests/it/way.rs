//! The ways in which a scenario is played.

use sabir::bindings::Binding;
use sabir::client::Transport;

/// How the agent is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By bytes that the test writes itself.
    Raw(Binding),
    /// By our client.
    Client(Transport),
}

impl Way {
    /// All of them.
    pub(crate) fn all() -> Vec<Self> {
        let raw = [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc].map(Self::Raw);
        raw.into_iter().chain(Transport::ALL.map(Self::Client)).collect()
    }
}
