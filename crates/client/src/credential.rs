//! Credentials of the client, and where on a request they go.

use crate::Failure;
use crate::redact::REDACTED;
use http::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use sabir_types::{AgentCard, ApiKeySecurityScheme, SecurityScheme};
use std::fmt;
use url::Url;

/// A string that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

/// Where an API key goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiKeyPlace {
    /// In a header of this name.
    Header(String),
    /// In a query parameter of this name.
    Query(String),
    /// In a cookie of this name.
    Cookie(String),
}

impl ApiKeyPlace {
    /// Where a card wants the key: by its first requirement that names an API key scheme, else by
    /// its first such scheme.
    pub(crate) fn of(card: &AgentCard) -> Option<Self> {
        let required = card.security_requirements.iter().flat_map(|all| all.schemes.keys());
        let required = required.filter_map(|name| card.security_schemes.get(name));
        required.chain(card.security_schemes.values()).find_map(|scheme| match scheme {
            SecurityScheme::ApiKey(scheme) => Self::of_scheme(scheme),
            _ => None,
        })
    }

    fn of_scheme(scheme: &ApiKeySecurityScheme) -> Option<Self> {
        let name = scheme.name.clone();
        match scheme.location.to_ascii_lowercase().as_str() {
            "header" => Some(Self::Header(name)),
            "query" => Some(Self::Query(name)),
            "cookie" => Some(Self::Cookie(name)),
            _ => None,
        }
    }
}

/// What is sent to prove who is asking, ready to be put on requests.
#[derive(Clone, Default)]
pub(crate) struct Credentials {
    headers: Vec<(HeaderName, HeaderValue)>,
    query: Option<(String, Secret)>,
    secrets: Vec<String>,
}

impl Credentials {
    /// Adds an `Authorization` header.
    pub(crate) fn authorize(&mut self, value: &Secret) -> Result<(), Failure> {
        self.add_header(AUTHORIZATION, &value.0, "the Authorization value")?;
        // The credential alone, so that it is blotted out wherever it shows up.
        let bare = value.0.split_once(' ').map_or(&*value.0, |(_, bare)| bare.trim());
        self.secrets.push(bare.to_owned());
        Ok(())
    }

    /// Adds an API key at its place.
    pub(crate) fn add_key(&mut self, place: ApiKeyPlace, key: &Secret) -> Result<(), Failure> {
        match place {
            ApiKeyPlace::Header(name) => {
                let header = HeaderName::try_from(&name)
                    .map_err(|_| Failure::Setup(format!("`{name}` is not a header name")))?;
                self.add_header(header, &key.0, "the API key")?;
            }
            ApiKeyPlace::Query(name) => self.query = Some((name, key.clone())),
            ApiKeyPlace::Cookie(name) => {
                if !is_cookie(&name) || !is_cookie(&key.0) {
                    return Err(Failure::Setup("the API key cannot stand in a cookie".into()));
                }
                self.add_header(COOKIE, &format!("{name}={}", key.0), "the API key")?;
            }
        }
        self.secrets.push(key.0.clone());
        Ok(())
    }

    /// Puts the credentials on a request.
    pub(crate) fn apply(&self, url: &mut Url, headers: &mut HeaderMap) {
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        if let Some((name, key)) = &self.query {
            url.query_pairs_mut().append_pair(name, &key.0);
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.query.is_none()
    }

    /// What must not show up in logs.
    pub(crate) fn secrets(&self) -> Vec<&str> {
        self.secrets.iter().map(String::as_str).collect()
    }

    fn add_header(&mut self, name: HeaderName, value: &str, what: &str) -> Result<(), Failure> {
        let mut value = HeaderValue::try_from(value)
            .map_err(|_| Failure::Setup(format!("{what} has characters no header may have")))?;
        value.set_sensitive(true);
        self.headers.push((name, value));
        Ok(())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_empty() { "Credentials(none)" } else { "Credentials(<redacted>)" })
    }
}

/// RFC 6265: what may stand in a cookie without quoting.
fn is_cookie(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::{ApiKeyPlace, Credentials, Secret};
    use http::HeaderMap;
    use sabir_types::{AgentCard, ApiKeySecurityScheme, SecurityRequirement, SecurityScheme};
    use url::Url;

    fn scheme(location: &str, name: &str) -> SecurityScheme {
        let (location, name) = (location.into(), name.into());
        SecurityScheme::ApiKey(ApiKeySecurityScheme { description: None, location, name })
    }

    #[test]
    fn the_required_scheme_places_the_key() {
        let mut card = AgentCard::new("a", "b");
        assert_eq!(ApiKeyPlace::of(&card), None);
        card.security_schemes.insert("a".into(), scheme("cookie", "c"));
        card.security_schemes.insert("b".into(), scheme("query", "q"));
        assert_eq!(ApiKeyPlace::of(&card), Some(ApiKeyPlace::Cookie("c".into())));
        let mut requirement = SecurityRequirement::default();
        requirement.schemes.insert("b".into(), Default::default());
        card.security_requirements.push(requirement);
        assert_eq!(ApiKeyPlace::of(&card), Some(ApiKeyPlace::Query("q".into())));
    }

    #[test]
    fn credentials_go_where_they_belong_and_are_never_shown() {
        let key = Secret("k&y".into());
        for (place, url, header) in [
            (ApiKeyPlace::Header("X-Key".into()), "http://h/?a=b", Some(("x-key", "k&y"))),
            (ApiKeyPlace::Cookie("sid".into()), "http://h/?a=b", Some(("cookie", "sid=k&y"))),
            (ApiKeyPlace::Query("key".into()), "http://h/?a=b&key=k%26y", None),
        ] {
            let mut credentials = Credentials::default();
            credentials.add_key(place, &key).expect("fits");
            let mut to: Url = "http://h/?a=b".parse().expect("url");
            let mut headers = HeaderMap::new();
            credentials.apply(&mut to, &mut headers);
            assert_eq!(to.as_str(), url);
            assert_eq!(headers.len(), usize::from(header.is_some()));
            if let Some((name, value)) = header {
                assert_eq!(headers[name], value);
            }
            assert!(!format!("{credentials:?}{headers:?}{key:?}").contains("k&y"));
        }
    }

    #[test]
    fn values_that_would_break_out_of_their_place_are_refused() {
        let secret = |text: &str| Secret(text.into());
        let mut credentials = Credentials::default();
        assert!(credentials.authorize(&secret("Bearer a\r\nX: y")).is_err());
        assert!(credentials.add_key(ApiKeyPlace::Header("a b".into()), &secret("k")).is_err());
        assert!(credentials.add_key(ApiKeyPlace::Cookie("c".into()), &secret("k; d=e")).is_err());
        assert!(credentials.is_empty());
    }
}
