//! Agent cards: one URL with a preferred transport, where 1.0 has a list of interfaces.

mod hybrid;
mod security;

pub use hybrid::hybrid;
pub use security::{OAuthFlows, Security, SecurityScheme, Style};

use crate::{is_v0_3, unspoken};
use sabir_types as v1;
use sabir_types::wire::{self, ProtoMessage};
use sabir_types::{
    AgentCapabilities, AgentCardSignature, AgentInterface as Interface, AgentProvider, Error,
    Version, binding,
};
use std::collections::BTreeMap;

/// What a card says that does not say its version.
const VERSION: &str = "0.3.0";

/// An agent card of 0.3.
///
/// JSON-RPC and gRPC write only the [security](Style) of it differently.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentCard {
    /// The version of the protocol, `0.3.0`.
    #[field(16, required, may_be_empty)]
    pub protocol_version: String,
    /// The name of the agent.
    #[field(1, required, may_be_empty)]
    pub name: String,
    /// What it does.
    #[field(2, required, may_be_empty)]
    pub description: String,
    /// The URL of the preferred transport.
    #[field(3, required, may_be_empty)]
    pub url: String,
    /// The transport at [`url`](Self::url); JSON-RPC when not said.
    #[field(14)]
    pub preferred_transport: Option<String>,
    /// More URLs and transports; the preferred one may be among them.
    #[field(15)]
    pub additional_interfaces: Vec<AgentInterface>,
    /// Who runs it.
    #[field(4)]
    pub provider: Option<AgentProvider>,
    /// The version of the agent.
    #[field(5, required, may_be_empty)]
    pub version: String,
    /// Where more is said.
    #[field(6)]
    pub documentation_url: Option<String>,
    /// What it can.
    #[field(7, required)]
    pub capabilities: AgentCapabilities,
    /// How to authenticate.
    #[field(8)]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are asked for.
    #[field(9)]
    pub security: Vec<Security>,
    /// The media types that it takes.
    #[field(10, required, may_be_empty)]
    pub default_input_modes: Vec<String>,
    /// The media types that it gives.
    #[field(11, required, may_be_empty)]
    pub default_output_modes: Vec<String>,
    /// What it does, in pieces.
    #[field(12, required, may_be_empty)]
    pub skills: Vec<AgentSkill>,
    /// Whether it has a card for those who authenticate.
    #[field(13)]
    pub supports_authenticated_extended_card: bool,
    /// Signatures over the card as it was served.
    #[field(17)]
    pub signatures: Vec<AgentCardSignature>,
    /// A picture.
    #[field(18)]
    pub icon_url: Option<String>,
}

/// A URL and the transport spoken there.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentInterface {
    /// Where.
    #[field(1, required, may_be_empty)]
    pub url: String,
    /// How: `JSONRPC`, `GRPC` or `HTTP+JSON`.
    #[field(2, required, may_be_empty)]
    pub transport: String,
}

/// Something the agent can do.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentSkill {
    /// Identifies the skill within the card.
    #[field(1, required, may_be_empty)]
    pub id: String,
    /// A name for people.
    #[field(2, required, may_be_empty)]
    pub name: String,
    /// What it does.
    #[field(3, required, may_be_empty)]
    pub description: String,
    /// Keywords.
    #[field(4, required, may_be_empty)]
    pub tags: Vec<String>,
    /// What one might ask.
    #[field(5)]
    pub examples: Vec<String>,
    /// The media types it takes.
    #[field(6)]
    pub input_modes: Vec<String>,
    /// The media types it gives.
    #[field(7)]
    pub output_modes: Vec<String>,
    /// What it asks for.
    #[field(8)]
    pub security: Vec<Security>,
}

impl AgentCard {
    /// A card of 1.0 as 0.3 has it: its interfaces of 0.3, the first as the main one. Signatures
    /// do not hold for another form of the card, so they are left out.
    ///
    /// # Errors
    /// `VersionNotSupported` when there is no interface of 0.3.
    pub fn from_v1(card: v1::AgentCard, style: Style) -> Result<Self, Error> {
        let spoken = card.supported_interfaces.iter().filter(|one| is_v0_3(&one.protocol_version));
        let spoken: Vec<_> = spoken.collect();
        let main = spoken.first().ok_or_else(unspoken)?;
        let protocol_version = match main.protocol_version.as_str() {
            "" | "0.3" => VERSION.to_owned(),
            version => version.to_owned(),
        };
        // With one interface there is nothing to add.
        let all = if spoken.len() > 1 { &spoken[..] } else { &[] };
        let mut capabilities = card.capabilities;
        let extended = capabilities.extended_agent_card.take();
        Ok(Self {
            protocol_version,
            url: main.url.clone(),
            preferred_transport: Some(main.protocol_binding.clone()),
            additional_interfaces: all.iter().map(|one| AgentInterface::from_v1(one)).collect(),
            name: card.name,
            description: card.description,
            provider: card.provider,
            version: card.version,
            documentation_url: card.documentation_url,
            capabilities,
            security_schemes: card
                .security_schemes
                .into_iter()
                .filter_map(|(name, scheme)| Some((name, SecurityScheme::from_v1(scheme, style)?)))
                .collect(),
            security: Security::all_from_v1(card.security_requirements, style),
            default_input_modes: card.default_input_modes,
            default_output_modes: card.default_output_modes,
            skills: card
                .skills
                .into_iter()
                .map(|skill| AgentSkill::from_v1(skill, style))
                .collect(),
            supports_authenticated_extended_card: extended == Some(true),
            signatures: Vec::new(),
            icon_url: card.icon_url,
        })
    }

    /// As 1.0 has it: the main interface first. Signatures are left out, for they are over the
    /// card as it was received.
    pub fn into_v1(self) -> v1::AgentCard {
        let version = match self.protocol_version.parse::<Version>() {
            Ok(version) if version >= Version::V0_3 => self.protocol_version,
            // 0.2 writes what is called as 0.3 does.
            Ok(_) => VERSION.to_owned(),
            Err(_) if self.protocol_version.is_empty() => VERSION.to_owned(),
            Err(_) => self.protocol_version,
        };
        let transport = self.preferred_transport.unwrap_or_default();
        let main = AgentInterface { url: self.url, transport }.spoken();
        let others = self.additional_interfaces.into_iter().map(AgentInterface::spoken);
        let others = others.filter(|one| *one != main);
        let all = std::iter::once(main.clone()).chain(others);
        let mut capabilities = self.capabilities;
        capabilities.extended_agent_card =
            self.supports_authenticated_extended_card.then_some(true);
        v1::AgentCard {
            supported_interfaces: all.map(|one| one.into_v1(&version)).collect(),
            name: self.name,
            description: self.description,
            provider: self.provider,
            version: self.version,
            documentation_url: self.documentation_url,
            capabilities,
            security_schemes: self
                .security_schemes
                .into_iter()
                .map(|(name, scheme)| (name, scheme.into_v1()))
                .collect(),
            security_requirements: Security::all_into_v1(self.security),
            default_input_modes: self.default_input_modes,
            default_output_modes: self.default_output_modes,
            skills: self.skills.into_iter().map(AgentSkill::into_v1).collect(),
            signatures: Vec::new(),
            icon_url: self.icon_url,
        }
    }
}

impl AgentInterface {
    fn from_v1(interface: &Interface) -> Self {
        Self { url: interface.url.clone(), transport: interface.protocol_binding.clone() }
    }

    /// A transport that is not said is JSON-RPC.
    fn spoken(mut self) -> Self {
        if self.transport.is_empty() {
            binding::JSONRPC.clone_into(&mut self.transport);
        }
        self
    }

    fn into_v1(self, version: &str) -> Interface {
        Interface::new(self.url, self.transport).with_version(version)
    }
}

impl AgentSkill {
    fn from_v1(skill: v1::AgentSkill, style: Style) -> Self {
        Self {
            id: skill.id,
            name: skill.name,
            description: skill.description,
            tags: skill.tags,
            examples: skill.examples,
            input_modes: skill.input_modes,
            output_modes: skill.output_modes,
            security: Security::all_from_v1(skill.security_requirements, style),
        }
    }

    fn into_v1(self) -> v1::AgentSkill {
        v1::AgentSkill {
            id: self.id,
            name: self.name,
            description: self.description,
            tags: self.tags,
            examples: self.examples,
            input_modes: self.input_modes,
            output_modes: self.output_modes,
            security_requirements: Security::all_into_v1(self.security),
        }
    }
}

/// Reads a card of 0.3, in either style.
///
/// # Errors
/// `ParseError` for what is not JSON, `InvalidParams` for what is no card.
pub fn from_json(json: &[u8]) -> Result<v1::AgentCard, Error> {
    wire::from_json::<AgentCard>(json).map(AgentCard::into_v1)
}
