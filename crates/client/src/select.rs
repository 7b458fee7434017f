//! Chooses the interface to call: the first of the card that this client speaks.

use crate::Failure;
use crate::card::FoundCard;
use crate::transport::Transport;
use crate::transport::grpc::target;
use sabir_compat::is_v0_3;
use sabir_types::{AgentInterface, Version};
use std::cmp::Reverse;
use url::Url;

/// The interface that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selected {
    pub(crate) transport: Transport,
    /// 1.0 or 0.3, whatever patch the card names.
    pub(crate) version: Version,
    pub(crate) url: Url,
    /// The tenant the interface declares: it is sent exactly, or not at all (section 8.3.2).
    pub(crate) tenant: Option<String>,
}

/// What the caller wants of an interface.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// Transports that go before the others, in this order.
    pub(crate) transports: Vec<Transport>,
    /// The only version to speak.
    pub(crate) version: Option<Version>,
    /// Whether gRPC goes without TLS.
    pub(crate) plaintext: bool,
}

/// The interfaces that can be called, the best one first: 1.0 before 0.3, then by the caller's
/// order, then by the card's.
pub(crate) fn select(card: &FoundCard, wanted: &Wanted) -> Result<Vec<Selected>, Failure> {
    let known = urls(card);
    let known: Vec<_> = known.iter().collect();
    let usable = |interface: &AgentInterface| usable(interface, &known, wanted.plaintext);
    let mut usable: Vec<_> = card
        .interfaces()
        .iter()
        .filter_map(usable)
        .filter(|one| wanted.version.is_none_or(|version| version == one.version))
        .collect();
    let rank = |one: &Selected| {
        let place = wanted.transports.iter().position(|transport| *transport == one.transport);
        (Reverse(one.version), place.unwrap_or(usize::MAX))
    };
    usable.sort_by_key(rank);
    if !usable.is_empty() {
        return Ok(usable);
    }
    let versions = wanted.version.map_or("1.0 or 0.3".to_owned(), |version| version.to_string());
    Err(Failure::NoInterface {
        agent: crate::redact::excerpt(card.name.as_bytes()),
        offered: offered(card),
        wanted: format!("JSONRPC, HTTP+JSON or GRPC of A2A {versions}"),
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
    let version = version_of(&interface.protocol_version)?;
    let url = match transport {
        Transport::Grpc => target(&interface.url, known, plaintext)?,
        _ => Url::parse(&interface.url).ok().filter(is_http)?,
    };
    let tenant = interface.tenant.clone().filter(|tenant| !tenant.is_empty());
    Some(Selected { transport, version, url, tenant })
}

/// The version to speak where a card says this. Reading it forgets its patch number (section 3.6).
fn version_of(text: &str) -> Option<Version> {
    if text.parse() == Ok(Version::V1_0) {
        return Some(Version::V1_0);
    }
    // A card of 1.0 says the version of each interface.
    (!text.trim().is_empty() && is_v0_3(text)).then_some(Version::V0_3)
}

/// What a card lists, for people.
fn offered(card: &FoundCard) -> String {
    let line = |interface: &AgentInterface| {
        let AgentInterface { protocol_binding, protocol_version, url, .. } = interface;
        let text = format!("{protocol_binding} {protocol_version} at {url}");
        crate::redact::excerpt(text.as_bytes())
    };
    let all: Vec<_> = card.interfaces().iter().map(line).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::{Selected, Wanted, select};
    use crate::card::FoundCard;
    use crate::transport::Transport;
    use crate::{CardReference, Failure};
    use sabir_types::{AgentCard, AgentInterface, Version};

    fn card(interfaces: &[(&str, &str, &str)]) -> FoundCard {
        let card =
            interfaces.iter().fold(AgentCard::new("A", "b"), |card, (url, binding, version)| {
                card.with_interface(AgentInterface::new(*url, *binding).with_version(*version))
            });
        FoundCard::known(card)
    }

    fn first(
        card: &FoundCard,
        preferred: &[Transport],
        plaintext: bool,
    ) -> Result<Selected, Failure> {
        let transports = preferred.to_vec();
        let wanted = Wanted { transports, plaintext, version: Some(Version::V1_0) };
        select(card, &wanted).map(|mut all| all.swap_remove(0))
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
        let selected = first(&card(&MIXED), &[], false).expect("two fit");
        assert_eq!(selected.transport, Transport::HttpJson);
        assert_eq!(selected.url.as_str(), "https://a.example/rest");
    }

    #[test]
    fn a_preference_goes_before_the_order_of_the_card_and_never_fails() {
        let selected = first(&card(&MIXED), &[Transport::JsonRpc], false).expect("fits");
        assert_eq!(selected.url.as_str(), "https://a.example/rpc");
        let selected = first(&card(&MIXED[..3]), &[Transport::JsonRpc], false).expect("falls back");
        assert_eq!(selected.url.as_str(), "https://a.example/rest");
    }

    #[test]
    fn versions_go_before_transports_and_a_pinned_one_has_no_other_beside_it() {
        let places = |wanted: &Wanted| -> Vec<_> {
            let all = select(&card(&MIXED), wanted).unwrap();
            all.into_iter().map(|one| (one.url.path().to_owned(), one.version)).collect()
        };
        let (new, old) = (Version::V1_0, Version::V0_3);
        let all = [("/rest", new), ("/rpc", new), ("/", old), ("/old", old)];
        assert_eq!(places(&Wanted::default()), all.map(|(path, v)| (path.to_owned(), v)));
        let wanted = Wanted { transports: vec![Transport::JsonRpc], ..Wanted::default() };
        let all = [("/rpc", new), ("/rest", new), ("/old", old), ("/", old)];
        assert_eq!(places(&wanted), all.map(|(path, v)| (path.to_owned(), v)));
        let wanted = Wanted { version: Some(Version::V0_3), ..Wanted::default() };
        let all = [("/", old), ("/old", old)];
        assert_eq!(places(&wanted), all.map(|(path, v)| (path.to_owned(), v)));
        assert!(select(&card(&MIXED[2..]), &wanted).is_err());
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
                first(&card(&[(url, binding, version)]), &[], false).is_err(),
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
            let selected = first(&card, &[], false).expect("fits");
            assert_eq!((selected.transport, selected.url.as_str()), (Transport::Grpc, url));
        }
    }

    #[test]
    fn without_a_common_interface_the_error_says_what_was_offered() {
        match first(&card(&MIXED[..2]), &[], false) {
            Err(Failure::NoInterface { offered, .. }) => assert_eq!(
                offered,
                "GRPC 0.3 at a.example:443, JSONRPC 0.3 at https://a.example/old"
            ),
            other => panic!("{other:?}"),
        }
        let older = r#"{"name":"Old","url":"https://old.example/","protocolVersion":"0.3.0"}"#;
        let older = FoundCard::read(older.into(), CardReference::File("x".into())).expect("card");
        match first(&older, &[], false) {
            Err(Failure::NoInterface { offered, .. }) => {
                assert_eq!(offered, "JSONRPC 0.3.0 at https://old.example/");
            }
            other => panic!("{other:?}"),
        }
    }
}
