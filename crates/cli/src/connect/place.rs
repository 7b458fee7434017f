//! Where the agent is: at a card, or at an interface itself.

use crate::command::Call;
use crate::failure::Failure;
use sabir_client::Transport;
use std::cmp::Ordering;

/// Where the agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Where its card is.
    Card(String),
    /// At this URL, by this binding.
    Endpoint(String, Transport),
}

/// Decides by the stronger source; the same source may not say both.
pub(super) fn place(call: &Call) -> Result<Place, Failure> {
    let config = &call.config;
    let stronger = config.strength("endpoint").cmp(&config.strength("agent-card"));
    match (config.get("agent-card"), config.get("endpoint"), stronger) {
        (None, None, _) => Err(Failure::usage("no agent is given")
            .hint("name one by -a, such as `-a http://127.0.0.1:9000`, or by A2ACLI_AGENT_CARD")),
        (Some(_), Some(_), Ordering::Equal) => {
            Err(Failure::usage("give only one of --agent-card and --endpoint"))
        }
        (_, Some(url), Ordering::Greater) => match transports(call)?[..] {
            [transport] => Ok(Place::Endpoint(url.to_owned(), transport)),
            _ => Err(Failure::usage(
                "--endpoint needs exactly one --transport: rest, jsonrpc or grpc",
            )),
        },
        (Some(reference), _, _) => Ok(Place::Card(reference.to_owned())),
        (None, Some(_), _) => Err(Failure::internal("an endpoint without a source")),
    }
}

/// The bindings that are preferred.
pub(super) fn transports(call: &Call) -> Result<Vec<Transport>, Failure> {
    let wanted = call.config.all("transport").iter();
    wanted
        .map(|name| {
            name.parse().map_err(|_| {
                let wrong = "must be `rest`, `jsonrpc` or `grpc`";
                call.config.wrong("transport", wrong)
            })
        })
        .collect()
}
