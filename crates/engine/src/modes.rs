//! Which media types of parts an agent takes.

use crate::config::InputModes;
use sabir_types::{AgentCard, Error, Message};

/// The accepted media types: those of the card and of its skills (OP-06).
#[derive(Debug)]
pub(crate) struct Modes {
    accepted: Option<Vec<String>>,
}

impl Modes {
    pub(crate) fn of(card: &AgentCard, modes: InputModes) -> Self {
        let skills = card.skills.iter().flat_map(|skill| &skill.input_modes);
        let accepted: Vec<_> =
            card.default_input_modes.iter().chain(skills).map(|mode| essence(mode)).collect();
        let closed = modes == InputModes::Card && !accepted.is_empty();
        Self { accepted: closed.then_some(accepted) }
    }

    /// # Errors
    /// `ContentTypeNotSupported` that names the part. A part without a media type is taken.
    pub(crate) fn check(&self, message: &Message) -> Result<(), Error> {
        let Some(accepted) = &self.accepted else { return Ok(()) };
        for (index, part) in message.parts.iter().enumerate() {
            let Some(given) = part.media_type.as_deref().filter(|given| !given.is_empty()) else {
                continue;
            };
            let given = essence(given);
            if !accepted.iter().any(|mode| covers(mode, &given)) {
                return Err(Error::content_type_not_supported(&given).with_message(format!(
                    "message.parts[{index}] is {given}; this agent takes {}",
                    accepted.join(", ")
                )));
            }
        }
        Ok(())
    }
}

/// Type and subtype, without parameters.
fn essence(mode: &str) -> String {
    mode.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// `text/*` covers `text/plain`, and so does the bare word `text` that older cards use.
fn covers(mode: &str, given: &str) -> bool {
    let group = mode.strip_suffix("/*").or_else(|| (!mode.contains('/')).then_some(mode));
    match group {
        Some("*") => true,
        Some(group) => given.split('/').next() == Some(group),
        None => mode == given,
    }
}
