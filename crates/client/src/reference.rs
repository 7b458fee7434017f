//! Where an agent's card is to be found: a host, an origin, a URL or a file.

use crate::Failure;
use std::fmt;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use url::{Host, Url};

/// The path of the card below an origin (specification section 8.2).
pub const WELL_KNOWN: &str = "/.well-known/agent-card.json";

/// Where it was before A2A 0.3, and is still looked for.
pub(crate) const OLDER_WELL_KNOWN: &str = "/.well-known/agent.json";

/// What a user writes to name an agent.
///
/// - a URL: `https://agents.example.com/shop/card.json`; with an empty path or `/`, the card is
///   at [`WELL_KNOWN`], any other path is used as it is, and if there is no card, the one below it;
/// - a host, with a port or a path: `agents.example.com` is https, `localhost:9000` and other
///   loopback hosts are http;
/// - a file: `file:///etc/card.json`, a path that begins with `/`, `./` or `../`, or any path that
///   exists.
#[derive(Clone, PartialEq, Eq)]
pub enum CardReference {
    /// The card is fetched from here.
    Url(Url),
    /// The card is read from here.
    File(PathBuf),
}

impl FromStr for CardReference {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let text = text.trim();
        if text.is_empty() {
            return Err(bad(text, "it is empty"));
        }
        if let Some((scheme, _)) = text.split_once("://") {
            let url = Url::parse(text).map_err(|error| bad(text, error))?;
            return match scheme.to_ascii_lowercase().as_str() {
                "http" | "https" => Ok(Self::Url(well_known(url))),
                "file" => url
                    .to_file_path()
                    .map(Self::File)
                    .map_err(|()| bad(text, "it names no local file")),
                other => Err(bad(text, format!("cards are not read by {other}"))),
            };
        }
        let looks_local = ["/", "./", "../"].iter().any(|prefix| text.starts_with(prefix));
        if looks_local || Path::new(text).exists() {
            return Ok(Self::File(text.into()));
        }
        let url = Url::parse(&format!("https://{text}")).map_err(|error| bad(text, error))?;
        if !is_loopback(&url) {
            return Ok(Self::Url(well_known(url)));
        }
        // Parsed anew, because the default port depends on the scheme.
        let url = Url::parse(&format!("http://{text}")).map_err(|error| bad(text, error))?;
        Ok(Self::Url(well_known(url)))
    }
}

impl CardReference {
    /// Where the card is if this is not the card's own URL but the one the agent is called at:
    /// an agent that lives below a path has its card below that path.
    pub(crate) fn below(&self) -> Option<Self> {
        let Self::Url(url) = self else { return None };
        if url.path().ends_with(WELL_KNOWN) {
            return None;
        }
        let mut below = url.clone();
        below.set_path(&format!("{}{WELL_KNOWN}", url.path().trim_end_matches('/')));
        Some(Self::Url(below))
    }
}

/// Where a card of before 0.3 is, if there is none at the place of today.
pub(crate) fn older(url: &Url) -> Option<Url> {
    let base = url.path().strip_suffix(WELL_KNOWN)?;
    let mut older = url.clone();
    older.set_path(&format!("{base}{OLDER_WELL_KNOWN}"));
    Some(older)
}

impl From<Url> for CardReference {
    fn from(url: Url) -> Self {
        Self::Url(well_known(url))
    }
}

impl From<PathBuf> for CardReference {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl fmt::Display for CardReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(url) => f.write_str(&crate::redact::url(url, &[])),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl fmt::Debug for CardReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CardReference({self})")
    }
}

fn bad(reference: &str, reason: impl fmt::Display) -> Failure {
    Failure::Reference { reference: reference.to_owned(), reason: reason.to_string() }
}

fn well_known(mut url: Url) -> Url {
    if matches!(url.path(), "" | "/") {
        url.set_path(WELL_KNOWN);
    }
    url
}

/// Whether a URL's host is this machine by its name.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).to_canonical().is_loopback(),
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::CardReference;
    use crate::Failure;

    #[test]
    fn references_resolve_as_the_command_line_says() {
        for (text, expected) in [
            ("localhost", "http://localhost/.well-known/agent-card.json"),
            ("localhost:9000", "http://localhost:9000/.well-known/agent-card.json"),
            ("127.0.0.1:443", "http://127.0.0.1:443/.well-known/agent-card.json"),
            ("[::1]:9000/", "http://[::1]:9000/.well-known/agent-card.json"),
            ("localhost:9000/agents/x", "http://localhost:9000/agents/x"),
            ("example.com", "https://example.com/.well-known/agent-card.json"),
            ("example.com:8443", "https://example.com:8443/.well-known/agent-card.json"),
            ("http://example.com", "http://example.com/.well-known/agent-card.json"),
            ("https://example.com/", "https://example.com/.well-known/agent-card.json"),
            ("https://example.com?v=1", "https://example.com/.well-known/agent-card.json?v=1"),
            ("https://example.com/a/card.json", "https://example.com/a/card.json"),
            ("HTTP://LOCALHOST", "http://localhost/.well-known/agent-card.json"),
        ] {
            let reference: CardReference = text.parse().expect(text);
            assert_eq!(reference, CardReference::Url(expected.parse().expect(expected)), "{text}");
        }
        for (text, expected) in [
            ("file:///tmp/card.json", "/tmp/card.json"),
            ("/tmp/card.json", "/tmp/card.json"),
            ("./card.json", "./card.json"),
            ("../card.json", "../card.json"),
            ("Cargo.toml", "Cargo.toml"),
        ] {
            let reference: CardReference = text.parse().expect(text);
            assert_eq!(reference, CardReference::File(expected.into()), "{text}");
        }
    }

    #[test]
    fn the_card_of_an_agent_below_a_path_is_below_that_path() {
        let below = |text: &str| {
            let reference: CardReference = text.parse().expect(text);
            reference.below().map(|below| below.to_string())
        };
        let card = "http://localhost/agents/x/.well-known/agent-card.json";
        assert_eq!(below("http://localhost/agents/x").as_deref(), Some(card));
        assert_eq!(below("http://localhost/agents/x/").as_deref(), Some(card));
        assert_eq!(below(card), None);
        assert_eq!(below("http://localhost"), None);
        assert_eq!(below("./card.json"), None);
    }

    #[test]
    fn what_is_no_reference_is_refused() {
        for text in ["", "  ", "ftp://example.com", "http://", "https://exa mple.com", "a b"] {
            let outcome = text.parse::<CardReference>();
            assert!(matches!(outcome, Err(Failure::Reference { .. })), "{text}: {outcome:?}");
        }
    }
}
