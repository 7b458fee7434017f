//! An agent card as it was found: the typed card beside the JSON it came as.

use crate::Failure;
use crate::redact::excerpt;
use crate::reference::CardReference;
use bytes::Bytes;
use sabir_types::{AgentCard, Error, ErrorKind, ProtoMessage, wire};
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
        let card = typed(&json).map_err(|error| {
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

    /// The first field that is missing and needed, leaving out what only people read.
    fn missing(&self) -> Option<String> {
        let mut needed = self.card.clone();
        needed.skills.clear();
        needed.signatures.clear();
        for lenient in [&mut needed.description, &mut needed.version] {
            lenient.push('.');
        }
        needed.missing()
    }
}

impl Deref for FoundCard {
    type Target = AgentCard;

    fn deref(&self) -> &AgentCard {
        &self.card
    }
}

/// A card of 1.0, or one of 0.3 as 1.0 has it; a hybrid one is of 1.0.
fn typed(json: &[u8]) -> Result<AgentCard, Error> {
    let card = wire::from_json::<AgentCard>(json)?;
    if !card.supported_interfaces.is_empty() {
        return Ok(card);
    }
    let older = sabir_compat::card::from_json(json)?;
    let has_url = older.supported_interfaces.first().is_some_and(|main| !main.url.is_empty());
    Ok(if has_url { older } else { card })
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
    fn a_card_of_0_3_is_read_as_one_of_1_0() {
        let found = read(
            r#"{"name":"Old","url":"https://old.example/","capabilities":{"streaming":true},
                "additionalInterfaces":[{"url":"https://old.example/g","transport":"GRPC"}]}"#,
        )
        .expect("readable");
        assert!(found.capabilities.streams());
        let interfaces: Vec<_> = found
            .interfaces()
            .iter()
            .map(|one| (one.protocol_binding.as_str(), one.protocol_version.as_str()))
            .collect();
        assert_eq!(interfaces, [("JSONRPC", "0.3.0"), ("GRPC", "0.3.0")]);
    }
}
