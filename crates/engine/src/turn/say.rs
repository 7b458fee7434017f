//! What an agent says with a status: nothing, a text, parts, or a whole message.

use sabir_types::{Message, Part};

/// What goes into a status message. Made from `()`, text, parts or a [`Message`].
#[derive(Clone, Debug, Default, PartialEq)]
// Boxed, because most say nothing and it passes through many hands.
pub struct Say(pub(crate) Option<Box<Message>>);

impl From<()> for Say {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl From<Message> for Say {
    fn from(message: Message) -> Self {
        Self(Some(Box::new(message)))
    }
}

impl From<Vec<Part>> for Say {
    fn from(parts: Vec<Part>) -> Self {
        Message { parts, ..Message::default() }.into()
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
