//! Chooses the interface to call: the first of the card that this client speaks.

use crate::Failure;
use crate::card::FoundCard;
use crate::transport::Transport;
use crate::transport::grpc::target;
use sabir_types::{AgentInterface, Version};
use url::Url;

/// The interface that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selected {
    pub(crate) transport: Transport,
    pub(crate) url: Url,
    /// The tenant the interface declares: it is sent exactly, or not at all (section 8.3.2).
    pub(crate) tenant: Option<String>,
}

/// Chooses by the caller's order first, then by the card's.
pub(crate) fn select(
    card: &FoundCard,
    preferred: &[Transport],
    plaintext: bool,
) -> Result<Selected, Failure> {
    let known = urls(card);
    let known: Vec<_> = known.iter().collect();
    let usable = |interface: &AgentInterface| usable(interface, &known, plaintext);
    let usable: Vec<_> = card.interfaces().iter().filter_map(usable).collect();
    let first_preferred = preferred
        .iter()
        .find_map(|transport| usable.iter().find(|selected| selected.transport == *transport));
    first_preferred.or(usable.first()).cloned().ok_or_else(|| Failure::NoInterface {
        agent: crate::redact::excerpt(card.name.as_bytes()),
        offered: offered(card),
        wanted: "JSONRPC, HTTP+JSON or GRPC of A2A 1.0".to_owned(),
    })
}

/// What is known of the agent's servers: the URLs that say whether they are https.
fn urls(card: &FoundCard) -> Vec<Url> {
    let listed = card.interfaces().iter().filter_map(|i| Url::parse(&i.url).ok());
    listed.filter(is_http).chain(card.url().cloned()).collect()
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn usable(interface: &AgentInterface, known: &[&Url], plaintext: bool) -> Option<Selected> {
    let transport = Transport::of_binding(&interface.protocol_binding)?;
    // Reading a version forgets its patch number (section 3.6).
    let version: Version = interface.protocol_version.parse().ok()?;
    let url = match transport {
        Transport::Grpc => target(&interface.url, known, plaintext)?,
        _ => Url::parse(&interface.url).ok().filter(is_http)?,
    };
    let tenant = interface.tenant.clone().filter(|tenant| !tenant.is_empty());
    (version == Version::V1_0).then_some(Selected { transport, url, tenant })
}

/// What a card lists, for people.
fn offered(card: &FoundCard) -> String {
    let line = |(binding, version, url): &(String, String, String)| {
        crate::redact::excerpt(format!("{binding} {version} at {url}").as_bytes())
    };
    let current = card.interfaces().iter().map(|interface| {
        let AgentInterface { protocol_binding, protocol_version, url, .. } = interface;
        (protocol_binding.clone(), protocol_version.clone(), url.clone())
    });
    let all: Vec<_> = current.chain(card.older_interfaces()).map(|one| line(&one)).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::select;
    use crate::card::FoundCard;
    use crate::transport::Transport;
    use crate::{CardReference, Failure};
    use sabir_types::{AgentCard, AgentInterface};

    fn card(interfaces: &[(&str, &str, &str)]) -> FoundCard {
        let card =
            interfaces.iter().fold(AgentCard::new("A", "b"), |card, (url, binding, version)| {
                card.with_interface(AgentInterface::new(*url, *binding).with_version(*version))
            });
        FoundCard::known(card)
    }

    const MIXED: [(&str, &str, &str); 5] = [
        ("a.example:443", "GRPC", "0.3"),
        ("https://a.example/old", "JSONRPC", "0.3"),
        ("https://a.example/rest", "HTTP+JSON", "1.0.7"),
        ("https://a.example/rpc", "JSONRPC", "1.0"),
        ("https://a.example/x", "https://bindings.example/x", "1.0"),
    ];

    #[test]
    fn the_first_interface_that_can_be_spoken_is_chosen() {
        let selected = select(&card(&MIXED), &[], false).expect("two fit");
        assert_eq!(selected.transport, Transport::HttpJson);
        assert_eq!(selected.url.as_str(), "https://a.example/rest");
    }

    #[test]
    fn a_preference_goes_before_the_order_of_the_card_and_never_fails() {
        let selected = select(&card(&MIXED), &[Transport::JsonRpc], false).expect("fits");
        assert_eq!(selected.url.as_str(), "https://a.example/rpc");
        let selected =
            select(&card(&MIXED[..3]), &[Transport::JsonRpc], false).expect("falls back");
        assert_eq!(selected.url.as_str(), "https://a.example/rest");
    }

    #[test]
    fn binding_names_are_compared_as_they_are_and_urls_must_be_http() {
        for (url, binding, version) in [
            ("https://a.example/", "jsonrpc", "1.0"),
            ("ftp://a.example/", "JSONRPC", "1.0"),
            ("/rpc", "JSONRPC", "1.0"),
            ("https://a.example/", "JSONRPC", "1.1"),
            ("https://a.example/", "JSONRPC", "2.0"),
            ("https://a.example/", "JSONRPC", "latest"),
        ] {
            assert!(
                select(&card(&[(url, binding, version)]), &[], false).is_err(),
                "{url} {binding}"
            );
        }
    }

    #[test]
    fn grpc_is_called_as_the_rest_of_the_card_says_of_its_server() {
        for (sibling, url) in [
            ("http://a.example:8080/", "http://a.example:8080/"),
            ("https://a.example:8080/", "https://a.example:8080/"),
            ("http://a.example/", "https://a.example:8080/"),
        ] {
            let card = card(&[("a.example:8080", "GRPC", "1.0"), (sibling, "JSONRPC", "1.0")]);
            let selected = select(&card, &[], false).expect("fits");
            assert_eq!((selected.transport, selected.url.as_str()), (Transport::Grpc, url));
        }
    }

    #[test]
    fn without_a_common_interface_the_error_says_what_was_offered() {
        match select(&card(&MIXED[..2]), &[], false) {
            Err(Failure::NoInterface { offered, .. }) => assert_eq!(
                offered,
                "GRPC 0.3 at a.example:443, JSONRPC 0.3 at https://a.example/old"
            ),
            other => panic!("{other:?}"),
        }
        let older = r#"{"name":"Old","url":"https://old.example/","protocolVersion":"0.3.0"}"#;
        let older = FoundCard::read(older.into(), CardReference::File("x".into())).expect("card");
        match select(&older, &[], false) {
            Err(Failure::NoInterface { offered, .. }) => {
                assert_eq!(offered, "JSONRPC 0.3.0 at https://old.example/");
            }
            other => panic!("{other:?}"),
        }
    }
}
