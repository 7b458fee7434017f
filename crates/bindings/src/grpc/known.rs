//! The files of Google that the service's messages need, as far as it needs them.

use super::descriptor::{field, map_entry, oneof};
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto,
};

pub(super) const EMPTY: &str = ".google.protobuf.Empty";
pub(super) const STRUCT: &str = ".google.protobuf.Struct";
pub(super) const TIMESTAMP: &str = ".google.protobuf.Timestamp";
pub(super) const VALUE: &str = ".google.protobuf.Value";
const LIST: &str = ".google.protobuf.ListValue";
const NULL: &str = ".google.protobuf.NullValue";

/// `empty.proto`, `struct.proto` and `timestamp.proto`.
pub(super) fn files() -> Vec<FileDescriptorProto> {
    let single = |name, number, kind| field(name, number, Label::Optional, kind, "");
    let seconds = single("seconds", 1, Type::Int64);
    let timestamp = message("Timestamp", vec![seconds, single("nanos", 2, Type::Int32)]);
    let mut structs = file("struct", vec![object(), value(), list()]);
    structs.enum_type.push(EnumDescriptorProto {
        name: Some("NullValue".to_owned()),
        value: vec![EnumValueDescriptorProto {
            name: Some("NULL_VALUE".to_owned()),
            number: Some(0),
            options: None,
        }],
        ..Default::default()
    });
    vec![
        file("empty", vec![message("Empty", Vec::new())]),
        structs,
        file("timestamp", vec![timestamp]),
    ]
}

fn object() -> DescriptorProto {
    let entry = format!("{STRUCT}.FieldsEntry");
    let fields = vec![field("fields", 1, Label::Repeated, Type::Message, &entry)];
    let entry = map_entry("FieldsEntry".to_owned(), Type::Message, VALUE);
    DescriptorProto { nested_type: vec![entry], ..message("Struct", fields) }
}

fn value() -> DescriptorProto {
    let members = [
        ("null_value", Type::Enum, NULL),
        ("number_value", Type::Double, ""),
        ("string_value", Type::String, ""),
        ("bool_value", Type::Bool, ""),
        ("struct_value", Type::Message, STRUCT),
        ("list_value", Type::Message, LIST),
    ];
    let member = |(number, (name, kind, of)): (u32, (&str, Type, &str))| FieldDescriptorProto {
        oneof_index: Some(0),
        ..field(name, number, Label::Optional, kind, of)
    };
    let members = (1..).zip(members).map(member).collect();
    DescriptorProto { oneof_decl: vec![oneof("kind")], ..message("Value", members) }
}

fn list() -> DescriptorProto {
    message("ListValue", vec![field("values", 1, Label::Repeated, Type::Message, VALUE)])
}

fn message(name: &str, field: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto { name: Some(name.to_owned()), field, ..Default::default() }
}

fn file(name: &str, message_type: Vec<DescriptorProto>) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(format!("google/protobuf/{name}.proto")),
        package: Some("google.protobuf".to_owned()),
        message_type,
        syntax: Some("proto3".to_owned()),
        ..Default::default()
    }
}
