//! What reflection tells of the service: its messages, made from the types that carry them.

use super::known;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, MethodDescriptorProto,
    OneofDescriptorProto, ServiceDescriptorProto,
};
use sabir_types::Operation;
use sabir_types::wire::{EnumShape, FieldShape, MessageShape, Shape};
use std::collections::BTreeMap;

const PACKAGE: &str = "lf.a2a.v1";

/// Messages whose names in Rust are written otherwise.
const RENAMED: [(&str, &str); 2] = [
    ("ApiKeySecurityScheme", "APIKeySecurityScheme"),
    ("HttpAuthSecurityScheme", "HTTPAuthSecurityScheme"),
];

/// The service, its messages, and the files of Google that these need.
pub(super) fn files() -> FileDescriptorSet {
    let mut found = Found::default();
    let method = |operation: Operation| MethodDescriptorProto {
        name: Some(operation.name().to_owned()),
        input_type: Some(found.type_name(&operation.request_shape())),
        output_type: Some(found.type_name(&operation.response_shape())),
        server_streaming: Some(operation.streams()),
        ..Default::default()
    };
    let method = Operation::ALL.map(method).to_vec();
    let name = Operation::GRPC_SERVICE.strip_prefix("lf.a2a.v1.").map(str::to_owned);
    let service = ServiceDescriptorProto { name, method, options: None };
    let known = known::files();
    let file = FileDescriptorProto {
        name: Some("a2a.proto".to_owned()),
        package: Some(PACKAGE.to_owned()),
        dependency: known.iter().filter_map(|file| file.name.clone()).collect(),
        message_type: found.messages.into_values().collect(),
        enum_type: found.enums.into_values().collect(),
        service: vec![service],
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    };
    FileDescriptorSet { file: known.into_iter().chain([file]).collect() }
}

/// What the service was found to need.
#[derive(Default)]
struct Found {
    messages: BTreeMap<&'static str, DescriptorProto>,
    enums: BTreeMap<&'static str, EnumDescriptorProto>,
}

impl Found {
    /// The full name of a message or an enum, which is noted.
    fn type_name(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Message(message) if message.name == "Empty" => known::EMPTY.to_owned(),
            Shape::Message(message) => format!(".{PACKAGE}.{}", self.message(message)),
            Shape::Enum(values) => format!(".{PACKAGE}.{}", self.enumeration(values)),
            Shape::Any => known::VALUE.to_owned(),
            Shape::Object => known::STRUCT.to_owned(),
            Shape::Timestamp => known::TIMESTAMP.to_owned(),
            // The others are scalars, or made of what was handled here.
            _ => String::new(),
        }
    }

    fn message(&mut self, shape: &MessageShape) -> &'static str {
        let renamed = RENAMED.iter().find(|(ours, _)| *ours == shape.name);
        let name = renamed.map_or(shape.name, |(_, theirs)| theirs);
        if !self.messages.contains_key(name) {
            // Noted first: a message may hold itself.
            self.messages.insert(name, DescriptorProto::default());
            let message = self.describe(name, (shape.fields)());
            self.messages.insert(name, message);
        }
        name
    }

    fn describe(&mut self, name: &str, mut fields: Vec<FieldShape>) -> DescriptorProto {
        fields.sort_by_key(|field| field.number);
        let mut message = DescriptorProto { name: Some(name.to_owned()), ..Default::default() };
        if let Some(union) = fields.iter().find_map(|field| field.union) {
            message.oneof_decl.push(oneof(union));
        }
        for shape in fields {
            let mut field = self.field(&shape, name, &mut message.nested_type);
            if shape.union.is_some() {
                field.oneof_index = Some(0);
            }
            if shape.optional {
                // proto3 has presence by a union of one member.
                field.proto3_optional = Some(true);
                field.oneof_index = i32::try_from(message.oneof_decl.len()).ok();
                message.oneof_decl.push(oneof(&format!("_{}", shape.snake)));
            }
            message.field.push(field);
        }
        message
    }

    fn field(
        &mut self,
        shape: &FieldShape,
        message: &str,
        nested: &mut Vec<DescriptorProto>,
    ) -> FieldDescriptorProto {
        let number = shape.number;
        let (label, kind, type_name) = match &shape.shape {
            Shape::List(items) => (Label::Repeated, kind(items), self.type_name(items)),
            Shape::Map(values) => {
                let entry = entry_name(shape.snake);
                let type_name = format!(".{PACKAGE}.{message}.{entry}");
                nested.push(map_entry(entry, kind(values), &self.type_name(values)));
                (Label::Repeated, Type::Message, type_name)
            }
            single => (Label::Optional, kind(single), self.type_name(single)),
        };
        let mut field = field(shape.snake, number, label, kind, &type_name);
        field.json_name = Some(shape.name.to_owned());
        field
    }

    fn enumeration(&mut self, shape: &EnumShape) -> &'static str {
        // Their numbers count from nought.
        let value = |(name, number): (&&str, i32)| EnumValueDescriptorProto {
            name: Some((*name).to_owned()),
            number: Some(number),
            options: None,
        };
        let value = shape.values.iter().zip(0..).map(value).collect();
        let name = Some(shape.name.to_owned());
        let described = EnumDescriptorProto { name, value, ..Default::default() };
        self.enums.insert(shape.name, described);
        shape.name
    }
}

fn kind(shape: &Shape) -> Type {
    match shape {
        Shape::Bool => Type::Bool,
        Shape::Int32 => Type::Int32,
        Shape::String => Type::String,
        Shape::Bytes => Type::Bytes,
        Shape::Enum(_) => Type::Enum,
        _ => Type::Message,
    }
}

/// The name of the message that protobuf makes for the entries of a map.
fn entry_name(field: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    field.split('_').filter(|word| !word.is_empty()).map(capital).collect::<String>() + "Entry"
}

pub(super) fn map_entry(name: String, value: Type, type_name: &str) -> DescriptorProto {
    DescriptorProto {
        name: Some(name),
        field: vec![
            field("key", 1, Label::Optional, Type::String, ""),
            field("value", 2, Label::Optional, value, type_name),
        ],
        options: Some(MessageOptions { map_entry: Some(true), ..Default::default() }),
        ..Default::default()
    }
}

pub(super) fn oneof(name: &str) -> OneofDescriptorProto {
    OneofDescriptorProto { name: Some(name.to_owned()), options: None }
}

pub(super) fn field(
    name: &str,
    number: u32,
    label: Label,
    kind: Type,
    type_name: &str,
) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: i32::try_from(number).ok(),
        label: Some(label.into()),
        r#type: Some(kind.into()),
        type_name: (!type_name.is_empty()).then(|| type_name.to_owned()),
        ..Default::default()
    }
}
