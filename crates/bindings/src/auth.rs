//! Who is asking: an [`Authenticator`] turns the head of a request into a [`Principal`].

mod tokens;

pub use tokens::StaticTokens;

use async_trait::async_trait;
use http::HeaderValue;
use http::request::Parts;
use sabir_types::{Error, Principal, SecurityRequirement, SecurityScheme};
use std::collections::BTreeMap;

/// Proves who sends a request, and says in the card how to prove it.
///
/// A credential that is present but wrong is refused, never taken for anonymous.
#[async_trait]
pub trait Authenticator: Send + Sync + 'static {
    /// The principal behind a request, from its head.
    ///
    /// # Errors
    /// `Unauthenticated` for a missing or a wrong credential, `Forbidden` for a right one that may
    /// not call at all, `Unavailable` when it cannot be decided now.
    async fn authenticate(&self, request: &Parts) -> Result<Principal, Error>;

    /// What the card says about it.
    fn security(&self) -> Security;

    /// The `WWW-Authenticate` header of a 401.
    fn challenge(&self) -> HeaderValue {
        HeaderValue::from_static("Bearer")
    }
}

/// The part of a card that says how callers authenticate.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Security {
    /// The ways to authenticate, by name.
    pub schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are asked for: one of these is enough.
    pub requirements: Vec<SecurityRequirement>,
}

/// Takes every caller as anonymous. Credentials are not looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anonymous;

#[async_trait]
impl Authenticator for Anonymous {
    async fn authenticate(&self, _request: &Parts) -> Result<Principal, Error> {
        Ok(Principal::anonymous())
    }

    fn security(&self) -> Security {
        Security::default()
    }
}
