//! Bearer tokens and API keys that are known beforehand.

use super::{Authenticator, Security};
use async_trait::async_trait;
use blake3::Hash;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use http::request::Parts;
use sabir_types::{
    ApiKeySecurityScheme, Error, HttpAuthSecurityScheme, Principal, SecurityRequirement,
    SecurityScheme, StringList,
};
use std::collections::BTreeMap;
use std::fmt;

const BEARER: &str = "bearer";
const API_KEY: &str = "apiKey";

/// Knows its callers by static bearer tokens and API keys.
///
/// It keeps only hashes, and compares them in constant time.
///
/// ```
/// use sabir_bindings::StaticTokens;
/// use sabir_types::Principal;
///
/// let users = StaticTokens::new()
///     .bearer("a-long-random-token", Principal::new("alice"))
///     .api_key("another-one", Principal::new("bob"));
/// ```
#[derive(Clone)]
pub struct StaticTokens {
    bearers: Vec<(Hash, Principal)>,
    keys: Vec<(Hash, Principal)>,
    key_header: HeaderName,
    anonymous: bool,
}

impl Default for StaticTokens {
    fn default() -> Self {
        Self {
            bearers: Vec::new(),
            keys: Vec::new(),
            key_header: HeaderName::from_static("x-api-key"),
            anonymous: false,
        }
    }
}

impl StaticTokens {
    /// Knows nobody yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Knows a caller by a bearer token.
    #[must_use]
    pub fn bearer(mut self, token: &str, principal: Principal) -> Self {
        self.bearers.push((blake3::hash(token.as_bytes()), principal));
        self
    }

    /// Knows a caller by an API key.
    #[must_use]
    pub fn api_key(mut self, key: &str, principal: Principal) -> Self {
        self.keys.push((blake3::hash(key.as_bytes()), principal));
        self
    }

    /// Reads API keys from this header instead of `X-API-Key`.
    #[must_use]
    pub fn api_key_header(mut self, name: HeaderName) -> Self {
        self.key_header = name;
        self
    }

    /// Takes callers without any credential as anonymous.
    #[must_use]
    pub fn allow_anonymous(mut self) -> Self {
        self.anonymous = true;
        self
    }

    /// The principal of the `Authorization` header, if there is one.
    fn by_bearer(&self, request: &Parts) -> Result<Option<&Principal>, Error> {
        let Some(value) = single(request, &AUTHORIZATION)? else { return Ok(None) };
        let (scheme, token) = split_scheme(value);
        if !scheme.eq_ignore_ascii_case(b"bearer") {
            return Err(Error::unauthenticated("the Authorization header is not of scheme Bearer"));
        }
        find(&self.bearers, token)
            .map(Some)
            .ok_or_else(|| Error::unauthenticated("the bearer token is not known"))
    }

    /// The principal of the API key, if there is one.
    fn by_key(&self, request: &Parts) -> Result<Option<&Principal>, Error> {
        if self.keys.is_empty() {
            return Ok(None);
        }
        let Some(key) = single(request, &self.key_header)? else { return Ok(None) };
        find(&self.keys, key).map(Some).ok_or_else(|| {
            Error::unauthenticated(format!("the API key in {} is not known", self.key_header))
        })
    }

    fn how(&self) -> String {
        let mut ways = Vec::new();
        if !self.bearers.is_empty() {
            ways.push("`Authorization: Bearer …`".to_owned());
        }
        if !self.keys.is_empty() {
            ways.push(format!("`{}: …`", self.key_header));
        }
        format!("authentication required: send {}", ways.join(" or "))
    }
}

#[async_trait]
impl Authenticator for StaticTokens {
    async fn authenticate(&self, request: &Parts) -> Result<Principal, Error> {
        match (self.by_bearer(request)?, self.by_key(request)?) {
            (Some(one), Some(other)) if one != other => {
                Err(Error::unauthenticated("the bearer token and the API key are not one caller's"))
            }
            (Some(principal), _) | (None, Some(principal)) => Ok(principal.clone()),
            (None, None) if self.anonymous => Ok(Principal::anonymous()),
            (None, None) => Err(Error::unauthenticated(self.how())),
        }
    }

    fn security(&self) -> Security {
        let mut security = Security::default();
        if !self.bearers.is_empty() {
            let scheme =
                HttpAuthSecurityScheme { scheme: "Bearer".to_owned(), ..Default::default() };
            add(&mut security, BEARER, SecurityScheme::HttpAuth(scheme));
        }
        if !self.keys.is_empty() {
            let scheme = ApiKeySecurityScheme {
                location: "header".to_owned(),
                name: self.key_header.to_string(),
                description: None,
            };
            add(&mut security, API_KEY, SecurityScheme::ApiKey(scheme));
        }
        if self.anonymous && !security.requirements.is_empty() {
            // No scheme at all is one of the alternatives.
            security.requirements.push(SecurityRequirement::default());
        }
        security
    }

    fn challenge(&self) -> HeaderValue {
        let key = format!("ApiKey header=\"{}\"", self.key_header);
        let challenge = match (self.bearers.is_empty(), self.keys.is_empty()) {
            (true, false) => key,
            (false, false) => format!("Bearer, {key}"),
            (_, true) => "Bearer".to_owned(),
        };
        // A header name is always a header value.
        HeaderValue::from_str(&challenge).unwrap_or(HeaderValue::from_static("Bearer"))
    }
}

impl fmt::Debug for StaticTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticTokens")
            .field("bearers", &self.bearers.len())
            .field("keys", &self.keys.len())
            .field("key_header", &self.key_header)
            .field("anonymous", &self.anonymous)
            .finish()
    }
}

fn add(security: &mut Security, name: &str, scheme: SecurityScheme) {
    security.schemes.insert(name.to_owned(), scheme);
    let schemes = BTreeMap::from([(name.to_owned(), StringList::default())]);
    security.requirements.push(SecurityRequirement { schemes });
}

/// The one value of a credential header; two could be read in two ways, so they are refused.
fn single<'a>(request: &'a Parts, name: &HeaderName) -> Result<Option<&'a [u8]>, Error> {
    let mut all = request.headers.get_all(name).iter().map(HeaderValue::as_bytes);
    match (all.next(), all.next()) {
        (value, None) => Ok(value),
        (_, Some(_)) => Err(Error::unauthenticated(format!("the header {name} stands twice"))),
    }
}

fn split_scheme(value: &[u8]) -> (&[u8], &[u8]) {
    match value.iter().position(|byte| *byte == b' ') {
        Some(space) => (&value[..space], value[space..].trim_ascii()),
        None => (value, b""),
    }
}

/// Looks at every entry, so that the time tells nothing; `Hash` compares in constant time.
fn find<'a>(known: &'a [(Hash, Principal)], presented: &[u8]) -> Option<&'a Principal> {
    if presented.is_empty() {
        // Whatever the configuration says: nothing proves nobody.
        return None;
    }
    let presented = blake3::hash(presented);
    known.iter().fold(
        None,
        |found, (hash, principal)| {
            if *hash == presented { Some(principal) } else { found }
        },
    )
}
