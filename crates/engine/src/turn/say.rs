//! What an agent says with a status: nothing, a text, parts, or a whole message.

use sabir_types::{Message, Part};

/// What goes into a status message. Made from `()`, text, parts or a [`Message`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Say(pub(crate) Option<Message>);

impl From<()> for Say {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl From<Message> for Say {
    fn from(message: Message) -> Self {
        Self(Some(message))
    }
}

impl From<Vec<Part>> for Say {
    fn from(parts: Vec<Part>) -> Self {
        Self(Some(Message { parts, ..Message::default() }))
    }
}

impl From<Part> for Say {
    fn from(part: Part) -> Self {
        vec![part].into()
    }
}

impl From<String> for Say {
    fn from(text: String) -> Self {
        Part::text(text).into()
    }
}

impl From<&str> for Say {
    fn from(text: &str) -> Self {
        Part::text(text).into()
    }
}
