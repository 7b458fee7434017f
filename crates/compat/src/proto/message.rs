//! Messages and their parts.

use crate::data;
use crate::file::FileBytes;
use bytes::Bytes;
use sabir_types as v1;
use sabir_types::wire::{ProtoMessage, ProtoOneof};
use sabir_types::{ContextId, JsonObject, MessageId, Role, TaskId};

/// What a client and an agent say to each other; the parts are its `content`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Message {
    /// Made by the sender.
    #[field(1, required)]
    pub message_id: MessageId,
    /// The conversation.
    #[field(2)]
    pub context_id: Option<ContextId>,
    /// The task.
    #[field(3)]
    pub task_id: Option<TaskId>,
    /// Who says it.
    #[field(4, required)]
    pub role: Role,
    /// What is said.
    #[field(5, required)]
    pub content: Vec<Part>,
    /// Anything else.
    #[field(6)]
    pub metadata: Option<JsonObject>,
    /// Extensions, by URI.
    #[field(7)]
    pub extensions: Vec<String>,
}

/// A piece of content.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct Part {
    /// The content.
    #[field(oneof)]
    pub part: Content,
    /// Anything else.
    #[field(4)]
    pub metadata: Option<JsonObject>,
}

/// What a part carries.
#[derive(Clone, Debug, Default, PartialEq, ProtoOneof)]
pub enum Content {
    /// Nothing this version recognises.
    #[default]
    Unset,
    /// Text.
    #[field(1)]
    Text(String),
    /// A file.
    #[field(2)]
    File(FilePart),
    /// A JSON object.
    #[field(3)]
    Data(DataPart),
}

/// A file: its bytes, or where they are.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct FilePart {
    /// The bytes or the place.
    #[field(oneof)]
    pub file: FileContent,
    /// Its media type.
    #[field(3)]
    pub mime_type: Option<String>,
    /// Its name.
    #[field(4)]
    pub name: Option<String>,
}

/// The bytes of a file, or where they are.
#[derive(Clone, Debug, Default, PartialEq, ProtoOneof)]
pub enum FileContent {
    /// Neither.
    #[default]
    Unset,
    /// Where the file is.
    #[field(1)]
    FileWithUri(String),
    /// The bytes, see [`FileBytes`].
    #[field(2)]
    FileWithBytes(Bytes),
}

/// A JSON object.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub struct DataPart {
    /// The object.
    #[field(1)]
    pub data: Option<JsonObject>,
}

impl Message {
    pub(super) fn from_v1(message: v1::Message, bytes: FileBytes) -> Self {
        Self {
            message_id: message.message_id,
            context_id: message.context_id,
            task_id: message.task_id,
            role: message.role,
            content: Part::all_from_v1(message.parts, bytes),
            metadata: message.metadata,
            extensions: message.extensions,
        }
    }

    pub(super) fn into_v1(self, bytes: FileBytes) -> v1::Message {
        v1::Message {
            message_id: self.message_id,
            context_id: self.context_id,
            task_id: self.task_id,
            role: self.role,
            parts: Part::all_into_v1(self.content, bytes),
            metadata: self.metadata,
            extensions: self.extensions,
            reference_task_ids: Vec::new(),
        }
    }
}

impl Part {
    pub(super) fn all_from_v1(parts: Vec<v1::Part>, bytes: FileBytes) -> Vec<Self> {
        parts.into_iter().map(|part| Self::from_v1(part, bytes)).collect()
    }

    pub(super) fn all_into_v1(parts: Vec<Self>, bytes: FileBytes) -> Vec<v1::Part> {
        parts.into_iter().map(|part| part.into_v1(bytes)).collect()
    }

    fn from_v1(part: v1::Part, bytes: FileBytes) -> Self {
        let file = |file| {
            Content::File(FilePart { file, mime_type: part.media_type, name: part.filename })
        };
        let (content, metadata) = match part.content {
            v1::Content::Text(text) => (Content::Text(text), part.metadata),
            v1::Content::Url(url) => (file(FileContent::FileWithUri(url)), part.metadata),
            v1::Content::Raw(raw) => {
                (file(FileContent::FileWithBytes(bytes.write(raw))), part.metadata)
            }
            v1::Content::Data(value) => {
                let (data, metadata) = data::wrap(value, part.metadata);
                (Content::Data(DataPart { data: Some(data) }), metadata)
            }
            _ => (Content::Unset, part.metadata),
        };
        Self { part: content, metadata }
    }

    fn into_v1(self, bytes: FileBytes) -> v1::Part {
        let mut part = v1::Part { metadata: self.metadata, ..v1::Part::default() };
        part.content = match self.part {
            Content::Unset => v1::Content::Unset,
            Content::Text(text) => v1::Content::Text(text),
            Content::Data(DataPart { data }) => {
                let data = data.unwrap_or_default().into();
                let (value, metadata) = data::unwrap(data, part.metadata.take());
                part.metadata = metadata;
                v1::Content::Data(value)
            }
            Content::File(file) => {
                part.media_type = file.mime_type;
                part.filename = file.name;
                match file.file {
                    FileContent::Unset => v1::Content::Unset,
                    FileContent::FileWithUri(uri) => v1::Content::Url(uri),
                    FileContent::FileWithBytes(raw) => v1::Content::Raw(bytes.read(raw)),
                }
            }
        };
        part
    }
}
