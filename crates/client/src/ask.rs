//! What a client sends, from a word to a whole request.

use sabir_types::{Message, MessageId, Part, Role, SendMessageRequest};
use uuid::Uuid;

/// What is sent to an agent: text, parts, a message, or a whole request.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask(pub(crate) SendMessageRequest);

impl From<&str> for Ask {
    fn from(text: &str) -> Self {
        Message::user(Part::text(text)).into()
    }
}

impl From<String> for Ask {
    fn from(text: String) -> Self {
        Message::user(Part::text(text)).into()
    }
}

impl From<Part> for Ask {
    fn from(part: Part) -> Self {
        Message::user(part).into()
    }
}

impl From<Vec<Part>> for Ask {
    fn from(parts: Vec<Part>) -> Self {
        Message::user(parts).into()
    }
}

impl From<Message> for Ask {
    fn from(message: Message) -> Self {
        Self(SendMessageRequest::new(message))
    }
}

impl From<SendMessageRequest> for Ask {
    fn from(request: SendMessageRequest) -> Self {
        Self(request)
    }
}

/// Gives a message what only its sender can: an id, if it has none, and the role of the user.
///
/// A message that already has an id keeps it: sending it again is the caller's explicit retry, and
/// servers that know the id start nothing twice.
pub(crate) fn sign(message: &mut Message) {
    if message.message_id.is_empty() {
        message.message_id = MessageId::from(Uuid::now_v7().to_string());
    }
    if message.role == Role::Unspecified {
        message.role = Role::User;
    }
}
