//! An agent card as it was found: the typed card beside the JSON it came as.

use crate::Failure;
use crate::redact::excerpt;
use crate::reference::CardReference;
use bytes::Bytes;
use sabir_types::{AgentCard, ErrorKind, ProtoMessage, wire};
use std::ops::Deref;
use url::Url;

/// An agent card with where and how it was found.
///
/// It reads like the [`AgentCard`] it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundCard {
    card: AgentCard,
    json: Bytes,
    found_at: Option<CardReference>,
}

impl FoundCard {
    /// Reads and validates a card.
    ///
    /// What is needed to call the agent must be there; descriptions, versions and skills may be
    /// lacking.
    ///
    /// # Errors
    /// [`Failure::CardNotJson`] and [`Failure::CardInvalid`].
    pub fn read(json: Bytes, found_at: CardReference) -> Result<Self, Failure> {
        let card = wire::from_json::<AgentCard>(&json).map_err(|error| {
            let reference = found_at.to_string();
            if error.kind() == ErrorKind::ParseError {
                let (reason, excerpt) = (error.message().to_owned(), excerpt(&json));
                return Failure::CardNotJson { reference, reason, excerpt };
            }
            let (field, reason) = match error.violations() {
                [first, ..] => (first.field.clone(), first.description.clone()),
                [] => ("the document".to_owned(), error.message().to_owned()),
            };
            Failure::CardInvalid { reference, field, reason: excerpt_text(&reason) }
        })?;
        let found = Self { card, json, found_at: Some(found_at) };
        match found.missing() {
            None => Ok(found),
            Some(field) => Err(Failure::CardInvalid {
                reference: found.reference(),
                field,
                reason: "it is required and must be valid".to_owned(),
            }),
        }
    }

    /// A card that the program itself knows.
    pub fn known(card: AgentCard) -> Self {
        let json = sabir_engine::encode(&card);
        Self { card, json, found_at: None }
    }

    /// The card.
    pub fn card(&self) -> &AgentCard {
        &self.card
    }

    /// The JSON exactly as it was received: with members this version does not know, and what
    /// signatures are checked against.
    pub fn json(&self) -> &Bytes {
        &self.json
    }

    /// Where it was found; `None` for a card that the program knows.
    pub fn found_at(&self) -> Option<&CardReference> {
        self.found_at.as_ref()
    }

    fn reference(&self) -> String {
        self.found_at.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    /// The URL it was fetched from, unless it came from elsewhere.
    pub fn url(&self) -> Option<&Url> {
        match &self.found_at {
            Some(CardReference::Url(url)) => Some(url),
            Some(CardReference::File(_)) | None => None,
        }
    }

    /// The first field that is missing and needed, leaving out what only people read. An empty list
    /// of interfaces is for the choice of one to explain: the card may be of an older version.
    fn missing(&self) -> Option<String> {
        let mut needed = self.card.clone();
        needed.skills.clear();
        needed.signatures.clear();
        for lenient in [&mut needed.description, &mut needed.version] {
            lenient.push('.');
        }
        let path = needed.missing()?;
        (path != "supportedInterfaces" || !self.is_older()).then_some(path)
    }

    /// Whether this is a card of A2A 0.3, which has one `url` and no interfaces.
    pub(crate) fn is_older(&self) -> bool {
        self.card.supported_interfaces.is_empty() && !self.older_interfaces().is_empty()
    }

    /// What a card of A2A 0.3 offers, as binding, version and URL.
    pub(crate) fn older_interfaces(&self) -> Vec<(String, String, String)> {
        let Ok(older) = serde_json::from_slice::<OlderCard>(&self.json) else {
            return Vec::new();
        };
        let version = older.protocol_version.unwrap_or_else(|| "0.3".to_owned());
        let main = older.url.map(|url| (older.preferred_transport, url));
        let others = older.additional_interfaces.into_iter().map(|i| (i.transport, i.url));
        main.into_iter()
            .chain(others)
            .map(|(binding, url)| {
                (binding.unwrap_or_else(|| "JSONRPC".to_owned()), version.clone(), url)
            })
            .collect()
    }
}

impl Deref for FoundCard {
    type Target = AgentCard;

    fn deref(&self) -> &AgentCard {
        &self.card
    }
}

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase")]
struct OlderCard {
    url: Option<String>,
    preferred_transport: Option<String>,
    protocol_version: Option<String>,
    #[serde(default)]
    additional_interfaces: Vec<OlderInterface>,
}

#[derive(serde::Deserialize)]
struct OlderInterface {
    url: String,
    transport: Option<String>,
}

fn excerpt_text(text: &str) -> String {
    excerpt(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::FoundCard;
    use crate::{CardReference, Failure};

    fn read(json: &str) -> Result<FoundCard, Failure> {
        FoundCard::read(json.to_owned().into(), CardReference::File("card.json".into()))
    }

    const INTERFACE: &str =
        r#"{"url":"https://a.example/x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}"#;

    #[test]
    fn a_card_keeps_the_json_it_came_as() {
        let json = format!(
            r#"{{"name":"A","x-unknown":[1.0],"supportedInterfaces":[{INTERFACE}],"skills":[]}}"#
        );
        let found = read(&json).expect("enough to call it");
        assert_eq!(found.name, "A");
        assert_eq!(found.json(), json.as_bytes());
    }

    #[test]
    fn an_invalid_card_is_refused_with_the_field() {
        for (json, expected) in [
            (format!(r#"{{"supportedInterfaces":[{INTERFACE}]}}"#), "name"),
            (r#"{"name":"A"}"#.to_owned(), "supportedInterfaces"),
            (
                r#"{"name":"A","supportedInterfaces":[{"url":"https://a"}]}"#.to_owned(),
                "supportedInterfaces[0].protocolBinding",
            ),
            (r#"{"name":7}"#.to_owned(), "name"),
            (r#"{"name":"A","supportedInterfaces":{}}"#.to_owned(), "supportedInterfaces"),
        ] {
            match read(&json) {
                Err(Failure::CardInvalid { field, .. }) => assert_eq!(field, expected, "{json}"),
                other => panic!("{json}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_not_json_is_refused_with_an_excerpt() {
        match read("<html>\x1b[31mno</html>") {
            Err(Failure::CardNotJson { excerpt, .. }) => {
                assert_eq!(excerpt, "<html> [31mno</html>");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_card_of_an_older_version_is_read_so_that_it_can_be_explained() {
        let found = read(
            r#"{"name":"Old","url":"https://old.example/","protocolVersion":"0.3.0",
                "additionalInterfaces":[{"url":"https://old.example/g","transport":"GRPC"}]}"#,
        )
        .expect("readable");
        assert!(found.is_older());
        let interfaces = found.older_interfaces();
        assert_eq!(
            interfaces[0],
            ("JSONRPC".into(), "0.3.0".into(), "https://old.example/".into())
        );
        assert_eq!(interfaces[1].0, "GRPC");
    }
}
