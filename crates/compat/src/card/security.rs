//! Security schemes, which kind-JSON writes as OpenAPI does and the protobuf dialect as 1.0.

use sabir_types as v1;
use sabir_types::wire::{
    self, Buf, BufMut, DecodeContext, DecodeError, Field, ProtoMessage, WireType,
};
use sabir_types::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow,
    HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme, OAuth2SecurityScheme,
    OpenIdConnectSecurityScheme, PasswordOAuthFlow, SecurityRequirement, StringList,
};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use std::collections::BTreeMap;
use std::fmt;

/// How a card writes its security; reading takes both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// As OpenAPI does: cards as documents, and in JSON-RPC.
    #[default]
    Kind,
    /// As protobuf and 1.0 do: HTTP+JSON and gRPC.
    Proto,
}

/// A way to authenticate: the members that OpenAPI has, or one of 1.0.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct SecurityScheme {
    /// As protobuf writes it.
    #[field(oneof)]
    pub scheme: v1::SecurityScheme,
    /// Which it is, as OpenAPI writes it.
    #[field(40, name = "type")]
    pub kind: String,
    /// For people.
    #[field(41)]
    pub description: Option<String>,
    /// Where an API key goes.
    #[field(42, name = "in")]
    pub location: Option<String>,
    /// The name of the header, parameter or cookie of an API key.
    #[field(43)]
    pub name: Option<String>,
    /// The scheme of HTTP.
    #[field(44, name = "scheme")]
    pub http_scheme: Option<String>,
    /// How a bearer token is formatted.
    #[field(45)]
    pub bearer_format: Option<String>,
    /// The flows of OAuth 2.0.
    #[field(46)]
    pub flows: Option<OAuthFlows>,
    /// Where the metadata of the OAuth 2.0 server is.
    #[field(47)]
    pub oauth2_metadata_url: Option<String>,
    /// Where OpenID Connect is described.
    #[field(48)]
    pub open_id_connect_url: Option<String>,
}

/// The flows of OAuth 2.0: 0.3 may offer several.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct OAuthFlows {
    /// The authorization code flow.
    #[field(1)]
    pub authorization_code: Option<AuthorizationCodeOAuthFlow>,
    /// The client credentials flow.
    #[field(2)]
    pub client_credentials: Option<ClientCredentialsOAuthFlow>,
    /// The implicit flow.
    #[field(3)]
    pub implicit: Option<ImplicitOAuthFlow>,
    /// The password flow.
    #[field(4)]
    pub password: Option<PasswordOAuthFlow>,
}

impl SecurityScheme {
    /// Of 1.0; `None` for a flow that 0.3 does not have.
    pub(super) fn from_v1(mut scheme: v1::SecurityScheme, style: Style) -> Option<Self> {
        if let v1::SecurityScheme::OAuth2(oauth2) = &mut scheme {
            match &mut oauth2.flows {
                v1::OAuthFlows::DeviceCode(_) => return None,
                v1::OAuthFlows::AuthorizationCode(flow) => flow.pkce_required = false,
                _ => {}
            }
        }
        if style == Style::Proto {
            return Some(Self { scheme, ..Self::default() });
        }
        Some(Self::open_api(scheme))
    }

    fn open_api(scheme: v1::SecurityScheme) -> Self {
        use v1::SecurityScheme as V1;
        let of = |kind: &str, description| Self {
            kind: kind.to_owned(),
            description,
            ..Self::default()
        };
        match scheme {
            V1::ApiKey(it) => Self {
                location: Some(it.location),
                name: Some(it.name),
                ..of("apiKey", it.description)
            },
            V1::HttpAuth(it) => Self {
                http_scheme: Some(it.scheme),
                bearer_format: it.bearer_format,
                ..of("http", it.description)
            },
            V1::OAuth2(it) => Self {
                flows: Some(OAuthFlows::from_v1(it.flows)),
                oauth2_metadata_url: it.oauth2_metadata_url,
                ..of("oauth2", it.description)
            },
            V1::OpenIdConnect(it) => Self {
                open_id_connect_url: Some(it.open_id_connect_url),
                ..of("openIdConnect", it.description)
            },
            V1::MutualTls(it) => of("mutualTLS", it.description),
            _ => Self::default(),
        }
    }

    pub(super) fn into_v1(self) -> v1::SecurityScheme {
        let description = self.description;
        match self.kind.as_str() {
            "apiKey" => v1::SecurityScheme::ApiKey(ApiKeySecurityScheme {
                description,
                location: self.location.unwrap_or_default(),
                name: self.name.unwrap_or_default(),
            }),
            "http" => v1::SecurityScheme::HttpAuth(HttpAuthSecurityScheme {
                description,
                scheme: self.http_scheme.unwrap_or_default(),
                bearer_format: self.bearer_format,
            }),
            "oauth2" => v1::SecurityScheme::OAuth2(OAuth2SecurityScheme {
                description,
                flows: self.flows.unwrap_or_default().into_v1(),
                oauth2_metadata_url: self.oauth2_metadata_url,
            }),
            "openIdConnect" => v1::SecurityScheme::OpenIdConnect(OpenIdConnectSecurityScheme {
                description,
                open_id_connect_url: self.open_id_connect_url.unwrap_or_default(),
            }),
            "mutualTLS" => v1::SecurityScheme::MutualTls(MutualTlsSecurityScheme { description }),
            _ => self.scheme,
        }
    }
}

impl OAuthFlows {
    fn from_v1(flow: v1::OAuthFlows) -> Self {
        use v1::OAuthFlows as V1;
        let none = Self::default();
        match flow {
            V1::AuthorizationCode(it) => Self { authorization_code: Some(it), ..none },
            V1::ClientCredentials(it) => Self { client_credentials: Some(it), ..none },
            V1::Implicit(it) => Self { implicit: Some(it), ..none },
            V1::Password(it) => Self { password: Some(it), ..none },
            _ => none,
        }
    }

    /// 1.0 holds one: the first in the order of the specification.
    fn into_v1(self) -> v1::OAuthFlows {
        use v1::OAuthFlows as V1;
        match self {
            Self { authorization_code: Some(it), .. } => V1::AuthorizationCode(it),
            Self { client_credentials: Some(it), .. } => V1::ClientCredentials(it),
            Self { implicit: Some(it), .. } => V1::Implicit(it),
            Self { password: Some(it), .. } => V1::Password(it),
            _ => V1::Unset,
        }
    }
}

/// Schemes that must all be satisfied: `{"name": ["scope"]}`, or as 1.0 has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Security {
    requirement: SecurityRequirement,
    style: Style,
}

impl Security {
    pub(super) fn all_from_v1(all: Vec<SecurityRequirement>, style: Style) -> Vec<Self> {
        all.into_iter().map(|requirement| Self { requirement, style }).collect()
    }

    pub(super) fn all_into_v1(all: Vec<Self>) -> Vec<SecurityRequirement> {
        all.into_iter().map(|one| one.requirement).collect()
    }
}

impl Field for Security {
    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        self.requirement.put(number, buf);
    }

    fn size(&self, number: u32) -> usize {
        self.requirement.size(number)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        self.requirement.merge(wire_type, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.style {
            Style::Proto => self.requirement.to_json(s),
            Style::Kind => {
                s.collect_map(self.requirement.schemes.iter().map(|(name, all)| (name, &all.list)))
            }
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let members = BTreeMap::<String, Member>::from_json(d)?;
        let mut schemes = BTreeMap::new();
        for (name, member) in members {
            match member {
                Member::Scopes(list) => {
                    schemes.insert(name, StringList { list });
                }
                // The one member `schemes` of 1.0.
                Member::Schemes(all) => schemes.extend(all),
            }
        }
        let requirement = SecurityRequirement { schemes };
        Ok(Self { requirement, style: Style::default() })
    }
}

/// A member of a requirement: the scopes of a scheme, or all schemes.
enum Member {
    Scopes(Vec<String>),
    Schemes(BTreeMap<String, StringList>),
}

impl Default for Member {
    fn default() -> Self {
        Self::Scopes(Vec::new())
    }
}

/// It is of JSON alone, and only read.
impl Field for Member {
    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, _number: u32, _buf: &mut impl BufMut) {}

    fn size(&self, _number: u32) -> usize {
        0
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        wire::skip_field(wire_type, 1, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_unit()
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(ScopesOrSchemes)
    }
}

struct ScopesOrSchemes;

impl<'de> Visitor<'de> for ScopesOrSchemes {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of scopes")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Member, A::Error> {
        let d = serde::de::value::SeqAccessDeserializer::new(seq);
        Vec::deserialize(d).map(Member::Scopes)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Member, A::Error> {
        let d = serde::de::value::MapAccessDeserializer::new(map);
        BTreeMap::from_json(d).map(Member::Schemes)
    }
}
