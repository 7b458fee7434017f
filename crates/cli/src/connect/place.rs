//! Where the agent is: at a card, or at an interface itself.

use crate::command::Call;
use crate::failure::Failure;
use sabir_client::{CardReference, Failure as ClientFailure, Transport, WELL_KNOWN};
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
            _ => Err(Failure::usage("--endpoint needs exactly one --transport: rest or jsonrpc")),
        },
        (Some(reference), _, _) => Ok(Place::Card(reference.to_owned())),
        (None, Some(_), _) => Err(Failure::internal("an endpoint without a source")),
    }
}

/// Where the card of an agent is if the reference is not the card's own URL but the agent's.
pub(super) fn card_below(reference: &str, failure: &ClientFailure) -> Option<String> {
    match failure {
        ClientFailure::CardNotFound { .. }
        | ClientFailure::CardNotJson { .. }
        | ClientFailure::CardInvalid { .. }
        | ClientFailure::Status { .. } => {}
        _ => return None,
    }
    let Ok(CardReference::Url(mut url)) = reference.parse() else { return None };
    if url.path().ends_with(WELL_KNOWN) {
        return None;
    }
    let path = format!("{}{WELL_KNOWN}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Some(url.into())
}

/// The bindings that are preferred.
pub(super) fn transports(call: &Call) -> Result<Vec<Transport>, Failure> {
    let wanted = call.config.all("transport").iter();
    wanted
        .map(|name| {
            name.parse().map_err(|_| {
                let wrong = "must be `rest` or `jsonrpc`";
                call.config.wrong("transport", wrong)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::card_below;
    use sabir_client::Failure;

    #[test]
    fn the_card_is_looked_for_below_a_url_that_is_no_card() {
        let missing = Failure::CardNotFound { reference: String::new(), reason: String::new() };
        let below = |reference| card_below(reference, &missing);
        let card = "http://h/agents/x/.well-known/agent-card.json";
        assert_eq!(below("http://h/agents/x/").as_deref(), Some(card));
        assert_eq!(below("http://h/agents/x").as_deref(), Some(card));
        assert_eq!(below("http://h"), None);
        assert_eq!(below(card), None);
        assert_eq!(below("./card.json"), None);
        let gone = Failure::Unreachable { url: String::new(), reason: String::new() };
        assert_eq!(card_below("http://h/agents/x", &gone), None);
    }
}
