//! Agent cards: what an agent says of itself.

use crate::{JsonObject, SecurityRequirement, SecurityScheme};
use sabir_wire_derive::ProtoMessage;
use std::collections::BTreeMap;

/// What an agent says of itself.
///
/// ```
/// use sabir_types::{AgentCard, AgentInterface, AgentSkill, binding};
///
/// let card = AgentCard::new("Recipes", "Finds recipes for what is in the fridge.")
///     .with_interface(AgentInterface::new("https://recipes.example/a2a", binding::JSONRPC))
///     .with_skill(
///         AgentSkill::new("find", "Find a recipe", "Finds recipes by ingredients.")
///             .tags(["cooking"])
///             .examples(["What can I do with three eggs?"]),
///     );
/// assert_eq!(card.version, "1.0.0");
/// ```
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentCard {
    /// A name for people.
    #[field(1, required)]
    pub name: String,
    /// What the agent is for.
    #[field(2, required)]
    pub description: String,
    /// Where and how the agent is reached, the preferred way first; at least one.
    #[field(3, required)]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Who runs the agent.
    #[field(4)]
    pub provider: Option<AgentProvider>,
    /// The version of the agent.
    #[field(5, required)]
    pub version: String,
    /// Where more is written about the agent.
    #[field(6, optional)]
    pub documentation_url: Option<String>,
    /// The optional features the agent supports.
    #[field(7, required)]
    pub capabilities: AgentCapabilities,
    /// The ways to authenticate, by name.
    #[field(8)]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// Which of them are asked for: one of these is enough.
    #[field(9)]
    pub security_requirements: Vec<SecurityRequirement>,
    /// The media types that every skill takes.
    #[field(10, required, may_be_empty)]
    pub default_input_modes: Vec<String>,
    /// The media types that every skill gives.
    #[field(11, required, may_be_empty)]
    pub default_output_modes: Vec<String>,
    /// What the agent can do.
    #[field(12, required, may_be_empty)]
    pub skills: Vec<AgentSkill>,
    /// Signatures over the card.
    #[field(13)]
    pub signatures: Vec<AgentCardSignature>,
    /// A picture of the agent.
    #[field(14, optional)]
    pub icon_url: Option<String>,
}

impl AgentCard {
    /// A card of version 1.0.0 that takes and gives plain text, without interfaces and skills.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            version: "1.0.0".to_owned(),
            default_input_modes: vec!["text/plain".to_owned()],
            default_output_modes: vec!["text/plain".to_owned()],
            ..Self::default()
        }
    }

    /// The same with another version.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// The same with one more skill.
    #[must_use]
    pub fn with_skill(mut self, skill: AgentSkill) -> Self {
        self.skills.push(skill);
        self
    }

    /// The same with one more interface, after those it has.
    #[must_use]
    pub fn with_interface(mut self, interface: AgentInterface) -> Self {
        self.supported_interfaces.push(interface);
        self
    }

    /// The same with exactly these interfaces, the preferred one first.
    #[must_use]
    pub fn with_interfaces(mut self, all: impl IntoIterator<Item = AgentInterface>) -> Self {
        self.supported_interfaces = all.into_iter().collect();
        self
    }

    /// The same with these capabilities.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: AgentCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The interfaces, the preferred one first.
    pub fn interfaces(&self) -> &[AgentInterface] {
        &self.supported_interfaces
    }

    /// The interfaces that speak this binding, the preferred one first.
    pub fn interfaces_for<'a>(
        &'a self,
        binding: &'a str,
    ) -> impl Iterator<Item = &'a AgentInterface> {
        self.supported_interfaces.iter().filter(move |i| i.protocol_binding == binding)
    }

    /// The skill with that id.
    pub fn skill(&self, id: &str) -> Option<&AgentSkill> {
        self.skills.iter().find(|skill| skill.id == id)
    }
}

/// The bindings that the specification names, as they stand in
/// [`AgentInterface::protocol_binding`].
pub mod binding {
    /// JSON-RPC 2.0 over HTTP.
    pub const JSONRPC: &str = "JSONRPC";
    /// gRPC.
    pub const GRPC: &str = "GRPC";
    /// HTTP with JSON bodies.
    pub const HTTP_JSON: &str = "HTTP+JSON";
}

/// A URL, the binding spoken there, and its protocol version.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentInterface {
    /// Where: an absolute URL, or `host:port` for gRPC.
    #[field(1, required)]
    pub url: String,
    /// How: one of [`binding`], or a URI of its own.
    #[field(2, required)]
    pub protocol_binding: String,
    /// What every request to it must say as its tenant.
    #[field(3)]
    pub tenant: Option<String>,
    /// The protocol version, such as `1.0`.
    #[field(4, required)]
    pub protocol_version: String,
}

impl AgentInterface {
    /// An interface that speaks A2A 1.0.
    pub fn new(url: impl Into<String>, binding: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            protocol_binding: binding.into(),
            protocol_version: "1.0".to_owned(),
            tenant: None,
        }
    }

    /// The same for a tenant.
    #[must_use]
    pub fn with_tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }

    /// The same in another protocol version.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.protocol_version = version.into();
        self
    }
}

/// Who runs the agent.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentProvider {
    /// Their website.
    #[field(1, required)]
    pub url: String,
    /// Their name.
    #[field(2, required)]
    pub organization: String,
}

/// The optional features an agent supports.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentCapabilities {
    /// Whether it streams.
    #[field(1, optional)]
    pub streaming: Option<bool>,
    /// Whether it sends push notifications.
    #[field(2, optional)]
    pub push_notifications: Option<bool>,
    /// The extensions it supports.
    #[field(3)]
    pub extensions: Vec<AgentExtension>,
    /// Whether it has a card that only authenticated callers get.
    #[field(4, optional)]
    pub extended_agent_card: Option<bool>,
}

impl AgentCapabilities {
    /// Whether streaming is declared.
    pub fn streams(&self) -> bool {
        self.streaming == Some(true)
    }

    /// Whether push notifications are declared.
    pub fn pushes(&self) -> bool {
        self.push_notifications == Some(true)
    }

    /// Whether an extended card is declared.
    pub fn extends_card(&self) -> bool {
        self.extended_agent_card == Some(true)
    }
}

/// A protocol extension the agent supports.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentExtension {
    /// Names the extension.
    #[field(1)]
    pub uri: String,
    /// How the agent uses it.
    #[field(2)]
    pub description: Option<String>,
    /// Whether a client must support it.
    #[field(3)]
    pub required: bool,
    /// What else the extension wants to know.
    #[field(4)]
    pub params: Option<JsonObject>,
}

/// Something the agent can do.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentSkill {
    /// Identifies the skill within the card.
    #[field(1, required)]
    pub id: String,
    /// A name for people.
    #[field(2, required)]
    pub name: String,
    /// What it does.
    #[field(3, required)]
    pub description: String,
    /// Keywords.
    #[field(4, required, may_be_empty)]
    pub tags: Vec<String>,
    /// What one might ask.
    #[field(5)]
    pub examples: Vec<String>,
    /// The media types it takes, in place of the card's.
    #[field(6)]
    pub input_modes: Vec<String>,
    /// The media types it gives, in place of the card's.
    #[field(7)]
    pub output_modes: Vec<String>,
    /// What this skill asks for: one of these is enough.
    #[field(8)]
    pub security_requirements: Vec<SecurityRequirement>,
}

impl AgentSkill {
    /// A skill without tags and examples.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        description: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            description: description.into(),
            ..Self::default()
        }
    }

    /// The same with these tags.
    #[must_use]
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// The same with these examples.
    #[must_use]
    pub fn examples<T: Into<String>>(mut self, examples: impl IntoIterator<Item = T>) -> Self {
        self.examples = examples.into_iter().map(Into::into).collect();
        self
    }

    /// The same with these media types to take.
    #[must_use]
    pub fn input_modes<T: Into<String>>(mut self, modes: impl IntoIterator<Item = T>) -> Self {
        self.input_modes = modes.into_iter().map(Into::into).collect();
        self
    }

    /// The same with these media types to give.
    #[must_use]
    pub fn output_modes<T: Into<String>>(mut self, modes: impl IntoIterator<Item = T>) -> Self {
        self.output_modes = modes.into_iter().map(Into::into).collect();
        self
    }
}

/// A JSON Web Signature over the card.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct AgentCardSignature {
    /// The protected header, base64url of a JSON object.
    #[field(1, required)]
    pub protected: String,
    /// The signature, base64url.
    #[field(2, required)]
    pub signature: String,
    /// The header that is not protected.
    #[field(3)]
    pub header: Option<JsonObject>,
}
