//! Messages and their parts.

use crate::data;
use crate::value::{Kind, KindRole};
use bytes::Bytes;
use sabir_types as v1;
use sabir_types::wire::{ProtoMessage, ProtoOneof};
use sabir_types::{ContextId, JsonObject, MessageId, TaskId};
use serde_json::Value;

/// What a client and an agent say to each other.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct Message {
    #[field(1, required, may_be_empty)]
    kind: Kind,
    #[field(2, required)]
    message_id: MessageId,
    #[field(3, required)]
    role: KindRole,
    #[field(4, required)]
    parts: Vec<Part>,
    #[field(5)]
    context_id: Option<ContextId>,
    #[field(6)]
    task_id: Option<TaskId>,
    #[field(7)]
    reference_task_ids: Vec<TaskId>,
    #[field(8)]
    extensions: Vec<String>,
    #[field(9)]
    metadata: Option<JsonObject>,
}

impl Message {
    pub(crate) fn from_v1(message: v1::Message) -> Self {
        Self {
            kind: Kind("message"),
            message_id: message.message_id,
            role: KindRole(message.role),
            parts: message.parts.into_iter().map(Part::from_v1).collect(),
            context_id: message.context_id,
            task_id: message.task_id,
            reference_task_ids: message.reference_task_ids,
            extensions: message.extensions,
            metadata: message.metadata,
        }
    }

    pub(crate) fn into_v1(self) -> v1::Message {
        v1::Message {
            message_id: self.message_id,
            role: self.role.0,
            parts: self.parts.into_iter().map(Part::into_v1).collect(),
            context_id: self.context_id,
            task_id: self.task_id,
            reference_task_ids: self.reference_task_ids,
            extensions: self.extensions,
            metadata: self.metadata,
        }
    }
}

/// A piece of content. What it is, its members say; `kind` only repeats it.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(crate) struct Part {
    #[field(1, required, may_be_empty)]
    kind: Kind,
    #[field(oneof)]
    content: Content,
    #[field(5)]
    metadata: Option<JsonObject>,
}

#[derive(Clone, Debug, Default, PartialEq, ProtoOneof)]
enum Content {
    #[default]
    Unset,
    #[field(2)]
    Text(String),
    #[field(3)]
    File(File),
    #[field(4)]
    Data(Value),
}

/// A file: its bytes, or where they are.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
struct File {
    #[field(oneof)]
    content: FileContent,
    #[field(3)]
    mime_type: Option<String>,
    #[field(4)]
    name: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, ProtoOneof)]
enum FileContent {
    #[default]
    Unset,
    #[field(1)]
    Bytes(Bytes),
    #[field(2)]
    Uri(String),
}

impl Part {
    pub(crate) fn from_v1(part: v1::Part) -> Self {
        let file = |content| {
            Content::File(File { content, mime_type: part.media_type, name: part.filename })
        };
        let (kind, content, metadata) = match part.content {
            v1::Content::Text(text) => ("text", Content::Text(text), part.metadata),
            v1::Content::Raw(bytes) => ("file", file(FileContent::Bytes(bytes)), part.metadata),
            v1::Content::Url(url) => ("file", file(FileContent::Uri(url)), part.metadata),
            v1::Content::Data(data) => {
                let (data, metadata) = data::wrap(data, part.metadata);
                ("data", Content::Data(data.into()), metadata)
            }
            _ => ("", Content::Unset, part.metadata),
        };
        Self { kind: Kind(kind), content, metadata }
    }

    pub(crate) fn into_v1(self) -> v1::Part {
        let mut part = v1::Part { metadata: self.metadata, ..v1::Part::default() };
        part.content = match self.content {
            Content::Unset => v1::Content::Unset,
            Content::Text(text) => v1::Content::Text(text),
            Content::Data(value) => {
                let (value, metadata) = data::unwrap(value, part.metadata.take());
                part.metadata = metadata;
                v1::Content::Data(value)
            }
            Content::File(file) => {
                part.media_type = file.mime_type;
                part.filename = file.name;
                match file.content {
                    FileContent::Unset => v1::Content::Unset,
                    FileContent::Bytes(bytes) => v1::Content::Raw(bytes),
                    FileContent::Uri(uri) => v1::Content::Url(uri),
                }
            }
        };
        part
    }
}
