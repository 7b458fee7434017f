//! What the agent declares and how strict it is: by flags, and by what ACTS sets in the environment.

use sabir::engine::{Idempotency, InputModes};
use sabir::prelude::*;
use sabir::presets::{self, Preset};
use sabir::types::{AgentExtension, AgentProvider, ErrorTable};
use std::time::Duration;

/// The extension that the official kit asks for by name.
const REQUIRED_EXTENSION: &str = "urn:a2a:tck:required-extension";

/// How long an answer waits for webhook calls of its task: ITK looks right after the answer.
const SETTLE: Duration = Duration::from_secs(2);

/// Who gets the extended card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ExtendedCard {
    /// There is none.
    None,
    /// Callers with a valid credential, as ACTS wants it although the card declares no scheme.
    #[default]
    Guarded,
    /// Everybody, as the official kit wants it.
    Open,
}

/// What the agent declares and how strict it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Whether it streams.
    pub streaming: bool,
    /// Whether it calls webhooks.
    pub push: bool,
    /// Who gets the extended card.
    pub extended_card: ExtendedCard,
    /// Whether callers must name the extension of the official kit.
    pub required_extension: bool,
    /// Whether every call needs a credential, and the card says so.
    pub auth: bool,
    /// Whether parts of media types that the card does not list are taken.
    pub any_input: bool,
    /// Whose HTTP and gRPC codes errors get.
    pub error_table: ErrorTable,
    /// Whether A2A 0.3 is served besides 1.0.
    pub v0_3: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            streaming: true,
            push: true,
            extended_card: ExtendedCard::default(),
            required_extension: false,
            auth: false,
            any_input: false,
            error_table: ErrorTable::default(),
            v0_3: false,
        }
    }
}

impl Profile {
    /// What ACTS wants to see in a pass, which it names in the environment of the agent.
    #[must_use]
    pub fn for_acts(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_set = |name| variable(name).is_some_and(|value| value == "1");
        if is_set("ITK_ACTS_REDUCED_CAPABILITIES") {
            self.streaming = false;
            self.push = false;
            self.extended_card = ExtendedCard::None;
        }
        if is_set("ITK_ACTS_AUTH") {
            self.auth = true;
        }
        self
    }

    /// The agent's card.
    pub(crate) fn card(&self) -> AgentCard {
        let skill = AgentSkill::new("conform", "Conform", "Plays what a test kit asks for")
            .tags(["testing", "conformance"])
            .examples(["tck-complete-task"]);
        let extensions = self.required_extension.then(|| AgentExtension {
            uri: REQUIRED_EXTENSION.to_owned(),
            required: true,
            ..AgentExtension::default()
        });
        AgentCard {
            capabilities: AgentCapabilities {
                streaming: Some(self.streaming),
                push_notifications: Some(self.push),
                extended_agent_card: Some(self.extended_card != ExtendedCard::None),
                extensions: extensions.into_iter().collect(),
            },
            default_input_modes: modes(&[
                "text/plain",
                "application/json",
                "application/x-protobuf",
            ]),
            default_output_modes: modes(&["text/plain", "application/json"]),
            provider: Some(AgentProvider {
                organization: "Sabir".to_owned(),
                url: "https://github.com/sabir-agents/sabir".to_owned(),
            }),
            ..AgentCard::new("Conformance Agent", "Answers the official A2A test kits.")
                .with_skill(skill)
        }
    }

    /// The card for callers who have proven who they are.
    pub(crate) fn extended(&self) -> Option<AgentCard> {
        (self.extended_card != ExtendedCard::None).then(|| {
            let skill = AgentSkill::new("confide", "Confide", "Stands only in the extended card")
                .tags(["testing"]);
            self.card().with_skill(skill)
        })
    }

    /// The settings: what kits need that send the same message id for many messages and have their
    /// webhooks on loopback.
    pub(crate) fn preset(&self) -> Preset {
        let mut preset = presets::conformance();
        preset.engine.idempotency = Idempotency::Off;
        preset.engine.input_modes = if self.any_input { InputModes::Any } else { InputModes::Card };
        preset.engine.push_settle = SETTLE;
        preset.server.error_table = self.error_table;
        preset.server.v0_3 = self.v0_3;
        preset.server.card_max_age = Duration::from_secs(60);
        // Kits leave tasks behind that never end.
        preset.drain = Duration::from_secs(1);
        preset
    }
}

fn modes(modes: &[&str]) -> Vec<String> {
    modes.iter().map(|&mode| mode.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::{ExtendedCard, Profile};

    #[test]
    fn the_environment_that_acts_sets_changes_the_card_and_nothing_else_does() {
        let with = |set: &'static str| {
            Profile::default().for_acts(move |name| (name == set).then(|| "1".to_owned()))
        };
        assert_eq!(with("HOME"), Profile::default());
        let reduced = with("ITK_ACTS_REDUCED_CAPABILITIES").card().capabilities;
        assert_eq!(
            (reduced.streaming, reduced.push_notifications, reduced.extended_agent_card),
            (Some(false), Some(false), Some(false))
        );
        let auth = with("ITK_ACTS_AUTH");
        assert!(auth.auth && auth.extended_card == ExtendedCard::Guarded);
    }
}
