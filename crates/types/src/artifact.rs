//! Artifacts: what tasks produce.

use crate::part::texts;
use crate::{ArtifactId, JsonObject, Part};
use sabir_wire_derive::ProtoMessage;
use serde_json::Value;

/// Something a task produced.
///
/// ```
/// use sabir_types::Artifact;
///
/// let artifact = Artifact::new("findings").text("Two offers.").data(serde_json::json!([120, 95]));
/// assert_eq!(artifact.to_text(), "Two offers.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Artifact {
    /// Unique within the task.
    #[field(1, required)]
    pub artifact_id: ArtifactId,
    /// A name for people.
    #[field(2)]
    pub name: Option<String>,
    /// A description for people.
    #[field(3)]
    pub description: Option<String>,
    /// The content; at least one part.
    #[field(4, required)]
    pub parts: Vec<Part>,
    /// Anything else, by key.
    #[field(5)]
    pub metadata: Option<JsonObject>,
    /// The extensions that had a part in it, by URI.
    #[field(6)]
    pub extensions: Vec<String>,
}

impl Artifact {
    /// An artifact with that name, still without content; its id is empty until the engine fills it
    /// in.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), ..Self::default() }
    }

    /// The same with one more part that is text.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(Part::text(text))
    }

    /// The same with one more part that is a JSON value.
    #[must_use]
    pub fn data(self, value: impl Into<Value>) -> Self {
        self.part(Part::data(value))
    }

    /// The same with one more part.
    #[must_use]
    pub fn part(mut self, part: impl Into<Part>) -> Self {
        self.parts.push(part.into());
        self
    }

    /// The same with an id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<ArtifactId>) -> Self {
        self.artifact_id = id.into();
        self
    }

    /// The same with a description.
    #[must_use]
    pub fn with_description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The same with metadata.
    #[must_use]
    pub fn with_metadata(mut self, metadata: JsonObject) -> Self {
        self.metadata = Some(metadata);
        self
    }

    /// The texts among the parts, one below the other.
    pub fn to_text(&self) -> String {
        texts(&self.parts)
    }
}
