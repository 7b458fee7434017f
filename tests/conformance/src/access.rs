//! Whom the agent lets in: the tokens that the kits send.

use http::request::Parts;
use sabir::bindings::{Authenticator, Security, StaticTokens};
use sabir::engine::async_trait;
use sabir::types::{Error, Principal};

const VALID: &str = "itk-valid-token";
const INSUFFICIENT: &str = "itk-insufficient-token";

/// The one owner of all tasks: kits send a credential with some calls and none with others that
/// are about the same task.
const EVERYBODY: &str = "everybody";

/// What a caller has shown: a scope of the principal.
pub(crate) const MAY_READ_MORE: &str = "extended-card";
/// A credential that is known, and not good for this.
pub(crate) const MAY_NOT: &str = "nothing";

/// Knows the tokens of the kits.
#[derive(Debug)]
pub(crate) struct Access {
    /// Whether every call needs one.
    required: bool,
    tokens: StaticTokens,
}

impl Access {
    pub(crate) fn new(required: bool) -> Self {
        let tokens = StaticTokens::new()
            .bearer(VALID, Principal::new(EVERYBODY).with_scopes([MAY_READ_MORE]))
            .bearer(INSUFFICIENT, Principal::new(EVERYBODY).with_scopes([MAY_NOT]));
        Self { required, tokens }
    }
}

#[async_trait]
impl Authenticator for Access {
    async fn authenticate(&self, request: &Parts) -> Result<Principal, Error> {
        let known = self.tokens.authenticate(request).await;
        if !self.required {
            return Ok(known.unwrap_or_else(|_| Principal::new(EVERYBODY)));
        }
        match known? {
            known if known.has_scope(MAY_NOT) => {
                Err(Error::forbidden("the token is not good for this"))
            }
            known => Ok(known),
        }
    }

    fn security(&self) -> Security {
        if self.required { self.tokens.security() } else { Security::default() }
    }
}
