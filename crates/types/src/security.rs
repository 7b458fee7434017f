//! Security schemes: how a caller authenticates to an agent.

use sabir_wire_derive::ProtoMessage;
use std::collections::BTreeMap;

/// The scopes wanted of one scheme.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct StringList {
    /// The strings.
    #[field(1)]
    pub list: Vec<String>,
}

/// Schemes that must all be satisfied.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SecurityRequirement {
    /// The scopes wanted, by the name of the scheme.
    #[field(1)]
    pub schemes: BTreeMap<String, StringList>,
}

/// A way to authenticate.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "scheme")]
#[non_exhaustive]
pub enum SecurityScheme {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// An API key.
    #[field(1, name = "api_key_security_scheme")]
    ApiKey(ApiKeySecurityScheme),
    /// HTTP authentication.
    #[field(2, name = "http_auth_security_scheme")]
    HttpAuth(HttpAuthSecurityScheme),
    /// OAuth 2.0.
    #[field(3, name = "oauth2_security_scheme")]
    OAuth2(OAuth2SecurityScheme),
    /// OpenID Connect.
    #[field(4, name = "open_id_connect_security_scheme")]
    OpenIdConnect(OpenIdConnectSecurityScheme),
    /// Mutual TLS.
    #[field(5, name = "mtls_security_scheme")]
    MutualTls(MutualTlsSecurityScheme),
}

/// An API key.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ApiKeySecurityScheme {
    /// For people.
    #[field(1)]
    pub description: Option<String>,
    /// Where the key goes: `query`, `header` or `cookie`.
    #[field(2, required)]
    pub location: String,
    /// The name of the parameter, header or cookie.
    #[field(3, required)]
    pub name: String,
}

/// HTTP authentication.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct HttpAuthSecurityScheme {
    /// For people.
    #[field(1)]
    pub description: Option<String>,
    /// The scheme of the `Authorization` header, such as `Bearer`.
    #[field(2, required)]
    pub scheme: String,
    /// How a bearer token is formatted, such as `JWT`.
    #[field(3)]
    pub bearer_format: Option<String>,
}

/// OAuth 2.0.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct OAuth2SecurityScheme {
    /// For people.
    #[field(1)]
    pub description: Option<String>,
    /// The flow to use.
    #[field(2, required)]
    pub flows: OAuthFlows,
    /// Where the server's metadata is (RFC 8414).
    #[field(3)]
    pub oauth2_metadata_url: Option<String>,
}

/// OpenID Connect.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct OpenIdConnectSecurityScheme {
    /// For people.
    #[field(1)]
    pub description: Option<String>,
    /// Where the provider's metadata is.
    #[field(2, required)]
    pub open_id_connect_url: String,
}

/// Mutual TLS.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct MutualTlsSecurityScheme {
    /// For people.
    #[field(1)]
    pub description: Option<String>,
}

/// The OAuth 2.0 flow to use.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
#[field(name = "flow")]
#[non_exhaustive]
pub enum OAuthFlows {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// The authorization code flow.
    #[field(1)]
    AuthorizationCode(AuthorizationCodeOAuthFlow),
    /// The client credentials flow.
    #[field(2)]
    ClientCredentials(ClientCredentialsOAuthFlow),
    /// The implicit flow, deprecated.
    #[field(3)]
    Implicit(ImplicitOAuthFlow),
    /// The password flow, deprecated.
    #[field(4)]
    Password(PasswordOAuthFlow),
    /// The device code flow.
    #[field(5)]
    DeviceCode(DeviceCodeOAuthFlow),
}

/// The authorization code flow.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AuthorizationCodeOAuthFlow {
    /// Where the user authorizes.
    #[field(1, required)]
    pub authorization_url: String,
    /// Where tokens are issued.
    #[field(2, required)]
    pub token_url: String,
    /// Where tokens are renewed.
    #[field(3)]
    pub refresh_url: Option<String>,
    /// What each scope is for.
    #[field(4, required, may_be_empty)]
    pub scopes: BTreeMap<String, String>,
    /// Whether PKCE (RFC 7636) is required.
    #[field(5)]
    pub pkce_required: bool,
}

/// The client credentials flow.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ClientCredentialsOAuthFlow {
    /// Where tokens are issued.
    #[field(1, required)]
    pub token_url: String,
    /// Where tokens are renewed.
    #[field(2)]
    pub refresh_url: Option<String>,
    /// What each scope is for.
    #[field(3, required, may_be_empty)]
    pub scopes: BTreeMap<String, String>,
}

/// The implicit flow, which the specification deprecates.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct ImplicitOAuthFlow {
    /// Where the user authorizes.
    #[field(1)]
    pub authorization_url: String,
    /// Where tokens are renewed.
    #[field(2)]
    pub refresh_url: Option<String>,
    /// What each scope is for.
    #[field(3)]
    pub scopes: BTreeMap<String, String>,
}

/// The password flow, which the specification deprecates.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct PasswordOAuthFlow {
    /// Where tokens are issued.
    #[field(1)]
    pub token_url: String,
    /// Where tokens are renewed.
    #[field(2)]
    pub refresh_url: Option<String>,
    /// What each scope is for.
    #[field(3)]
    pub scopes: BTreeMap<String, String>,
}

/// The device code flow, for devices without a browser.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct DeviceCodeOAuthFlow {
    /// Where the device asks for its code.
    #[field(1, required)]
    pub device_authorization_url: String,
    /// Where tokens are issued.
    #[field(2, required)]
    pub token_url: String,
    /// Where tokens are renewed.
    #[field(3)]
    pub refresh_url: Option<String>,
    /// What each scope is for.
    #[field(4, required, may_be_empty)]
    pub scopes: BTreeMap<String, String>,
}
