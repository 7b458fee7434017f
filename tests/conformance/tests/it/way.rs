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
    /// In A2A 0.3, by bytes that the test writes itself.
    RawV0_3(Binding),
    /// In A2A 0.3, by our client.
    ClientV0_3(Transport),
}

const BINDINGS: [Binding; 3] = [Binding::JsonRpc, Binding::HttpJson, Binding::Grpc];

impl Way {
    /// All of 1.0.
    pub(crate) fn v1_0() -> Vec<Self> {
        let raw = BINDINGS.map(Self::Raw);
        raw.into_iter().chain(Transport::ALL.map(Self::Client)).collect()
    }

    /// All of 0.3.
    pub(crate) fn v0_3() -> Vec<Self> {
        let raw = BINDINGS.map(Self::RawV0_3);
        raw.into_iter().chain(Transport::ALL.map(Self::ClientV0_3)).collect()
    }
}
