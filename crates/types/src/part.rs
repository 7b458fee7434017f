//! Parts: the pieces of content that messages and artifacts are made of.

use crate::JsonObject;
use bytes::Bytes;
use sabir_wire_derive::{ProtoMessage, ProtoOneof};
use serde_json::Value;

/// A piece of content, with its name and media type.
///
/// ```
/// use sabir_types::Part;
///
/// let part = Part::text("name,price").with_media_type("text/csv").with_filename("offers.csv");
/// assert_eq!(part.as_text(), Some("name,price"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Part {
    /// The content itself.
    #[field(oneof)]
    pub content: Content,
    /// Anything else, by key.
    #[field(5)]
    pub metadata: Option<JsonObject>,
    /// A name for a file.
    #[field(6)]
    pub filename: Option<String>,
    /// What kind of content it is, such as `text/markdown`.
    #[field(7)]
    pub media_type: Option<String>,
}

/// What a part carries.
#[derive(Clone, Debug, Default, PartialEq, ProtoOneof)]
#[non_exhaustive]
pub enum Content {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// Text.
    #[field(1)]
    Text(String),
    /// The bytes of a file; base64 in JSON.
    #[field(2)]
    Raw(Bytes),
    /// Where a file is to be found.
    #[field(3)]
    Url(String),
    /// Any JSON value, `null` included.
    ///
    /// Over JSON every integer is exact. Protobuf knows only doubles: above 2^53 integers are
    /// rounded there, and NaN and the infinities, which JSON does not have, read as `null`.
    #[field(4)]
    Data(Value),
}

impl Part {
    /// A part that is text.
    pub fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into()).into()
    }

    /// A part that is the bytes of a file.
    pub fn raw(bytes: impl Into<Bytes>) -> Self {
        Content::Raw(bytes.into()).into()
    }

    /// A part that says where a file is.
    pub fn url(url: impl Into<String>) -> Self {
        Content::Url(url.into()).into()
    }

    /// A part that is a JSON value.
    pub fn data(value: impl Into<Value>) -> Self {
        Content::Data(value.into()).into()
    }

    /// The same with a media type.
    #[must_use]
    pub fn with_media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The same with a file name.
    #[must_use]
    pub fn with_filename(mut self, filename: impl Into<String>) -> Self {
        self.filename = Some(filename.into());
        self
    }

    /// The same with metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The text, if the part is text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            Content::Unset | Content::Raw(_) | Content::Url(_) | Content::Data(_) => None,
        }
    }

    /// The value, if the part is data.
    pub fn as_data(&self) -> Option<&Value> {
        match &self.content {
            Content::Data(value) => Some(value),
            Content::Unset | Content::Text(_) | Content::Raw(_) | Content::Url(_) => None,
        }
    }
}

impl From<Content> for Part {
    fn from(content: Content) -> Self {
        Self { content, ..Self::default() }
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<Value> for Part {
    fn from(value: Value) -> Self {
        Self::data(value)
    }
}

/// What can be said in a message: text, one part, or several.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts(pub Vec<Part>);

impl<T: Into<Part>> From<T> for Parts {
    fn from(part: T) -> Self {
        Self(vec![part.into()])
    }
}

impl From<Vec<Part>> for Parts {
    fn from(parts: Vec<Part>) -> Self {
        Self(parts)
    }
}

impl<const N: usize> From<[Part; N]> for Parts {
    fn from(parts: [Part; N]) -> Self {
        Self(parts.into())
    }
}

/// The texts among the parts, one below the other.
pub(crate) fn texts(parts: &[Part]) -> String {
    let texts: Vec<_> = parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}
