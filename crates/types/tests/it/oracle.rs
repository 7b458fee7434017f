//! The official definition, `a2a.proto`, as the crate `a2a-pb` carries it, and sample messages made
//! from it.

use prost_reflect::{
    Cardinality, DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MapKey,
    MessageDescriptor, SerializeOptions, Value,
};
use std::path::PathBuf;
use std::sync::LazyLock;

const PACKAGE: &str = "lf.a2a.v1";

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    let proto = definition();
    let mut compiler = protox::Compiler::new([&proto]).expect("the folder exists");
    compiler.include_imports(true);
    compiler.open_file(proto.join("a2a.proto")).expect("the definition compiles");
    DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice())
        .expect("the descriptors are valid")
});

/// Where cargo keeps the sources of `a2a-pb`, in the version that Cargo.lock names.
///
/// `cargo metadata` would say it too, but wants every package of the workspace at hand.
fn definition() -> PathBuf {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock"))
        .expect("the workspace is locked");
    let version = lock
        .split_once("name = \"a2a-pb\"\nversion = \"")
        .and_then(|(_, rest)| rest.split('"').next())
        .expect("a2a-pb is a dev-dependency");
    let cargo = std::env::var_os("CARGO_HOME")
        .map_or_else(|| std::env::home_dir().expect("a home").join(".cargo"), PathBuf::from);
    let registries = std::fs::read_dir(cargo.join("registry/src")).expect("cargo's registry");
    registries
        .map(|entry| entry.expect("a folder").path().join(format!("a2a-pb-{version}/proto")))
        .find(|proto| proto.is_dir())
        .expect("the sources of a2a-pb, from which this test was built")
}

/// The message of that name.
pub(crate) fn message(name: &str) -> MessageDescriptor {
    POOL.get_message_by_name(&format!("{PACKAGE}.{name}"))
        .unwrap_or_else(|| panic!("{name} is no message of the protocol"))
}

/// The enum of that name.
pub(crate) fn enumeration(name: &str) -> EnumDescriptor {
    POOL.get_enum_by_name(&format!("{PACKAGE}.{name}"))
        .unwrap_or_else(|| panic!("{name} is no enum of the protocol"))
}

/// Every message of the protocol.
pub(crate) fn messages() -> impl Iterator<Item = MessageDescriptor> {
    POOL.all_messages().filter(|m| m.package_name() == PACKAGE && !m.is_map_entry())
}

/// Every enum of the protocol.
pub(crate) fn enums() -> impl Iterator<Item = EnumDescriptor> {
    POOL.all_enums().filter(|e| e.package_name() == PACKAGE)
}

/// The service's methods: name, request, response, whether it streams, verb and path.
pub(crate) fn methods() -> Vec<Method> {
    let service = POOL.get_service_by_name(&format!("{PACKAGE}.A2AService")).expect("the service");
    let http = POOL.get_extension_by_name("google.api.http").expect("the annotation");
    service
        .methods()
        .map(|method| {
            let options = method.options();
            let rule = options.get_extension(&http);
            let rule = rule.as_message().expect("a rule");
            let (verb, path) = ["get", "post", "delete"]
                .iter()
                .find_map(|verb| {
                    let path = rule.get_field_by_name(verb)?;
                    let path = path.as_str()?.to_owned();
                    (!path.is_empty()).then(|| (verb.to_uppercase(), path))
                })
                .expect("a verb");
            Method {
                name: method.name().to_owned(),
                request: method.input().name().to_owned(),
                response: method.output().name().to_owned(),
                streams: method.is_server_streaming(),
                body: rule.get_field_by_name("body").is_some_and(|b| b.as_str() == Some("*")),
                verb,
                path,
            }
        })
        .collect()
}

/// A method of the service.
pub(crate) struct Method {
    pub(crate) name: String,
    pub(crate) request: String,
    pub(crate) response: String,
    pub(crate) streams: bool,
    pub(crate) body: bool,
    pub(crate) verb: String,
    pub(crate) path: String,
}

/// Whether the definition marks the field REQUIRED.
pub(crate) fn is_required(field: &FieldDescriptor) -> bool {
    const REQUIRED: i32 = 2;
    let behavior = POOL.get_extension_by_name("google.api.field_behavior").expect("the annotation");
    let options = field.options();
    options
        .get_extension(&behavior)
        .as_list()
        .is_some_and(|list| list.iter().any(|v| v.as_enum_number() == Some(REQUIRED)))
}

/// The unions of a message, without those behind `optional`.
pub(crate) fn unions(
    message: &MessageDescriptor,
) -> impl Iterator<Item = prost_reflect::OneofDescriptor> {
    message.oneofs().filter(|union| !union.is_synthetic())
}

/// Whether the field is a member of a union.
pub(crate) fn is_member(field: &FieldDescriptor) -> bool {
    field.containing_oneof().is_some_and(|union| !union.is_synthetic())
}

/// A message with every field set, and the `pick`th member of each union.
pub(crate) fn sample(message: &MessageDescriptor, pick: usize) -> DynamicMessage {
    let mut out = DynamicMessage::new(message.clone());
    for field in message.fields() {
        let union = field.containing_oneof().filter(|union| !union.is_synthetic());
        if let Some(union) = union {
            let last = union.fields().len() - 1;
            if union.fields().nth(pick.min(last)).as_ref() != Some(&field) {
                continue;
            }
        }
        out.set_field(&field, value(&field, pick));
    }
    out
}

/// How many samples it takes to see every member of every union of the message.
pub(crate) fn picks(message: &MessageDescriptor) -> usize {
    unions(message).map(|union| union.fields().len()).max().unwrap_or(1)
}

fn value(field: &FieldDescriptor, pick: usize) -> Value {
    if field.is_map() {
        let Kind::Message(entry) = field.kind() else { unreachable!("a map is its entries") };
        let value = one(&entry.map_entry_value_field(), pick);
        return Value::Map([(MapKey::String("k".into()), value)].into());
    }
    match field.cardinality() {
        Cardinality::Repeated => Value::List(vec![one(field, pick), one(field, pick)]),
        Cardinality::Optional | Cardinality::Required => one(field, pick),
    }
}

fn one(field: &FieldDescriptor, pick: usize) -> Value {
    match field.kind() {
        Kind::String => Value::String(format!("{} é \" \u{1}", field.name())),
        Kind::Bool => Value::Bool(true),
        Kind::Int32 => Value::I32(-7),
        Kind::Bytes => Value::Bytes(vec![0, 255, 16].into()),
        Kind::Enum(e) => Value::EnumNumber(e.values().last().expect("an enum has values").number()),
        Kind::Message(message) => {
            let json = match message.full_name() {
                "google.protobuf.Struct" => r#"{"a":1,"b":[true,null,"x",{"c":1.5},[]],"d":{}}"#,
                "google.protobuf.Value" => r#"{"a":[1,null],"b":-0.25}"#,
                "google.protobuf.Timestamp" => r#""2026-08-22T10:15:30.250Z""#,
                _ => return Value::Message(sample(&message, pick)),
            };
            Value::Message(from_json(&message, json))
        }
        other => panic!("{}: no sample of {other:?}", field.full_name()),
    }
}

/// The reference's reading of a JSON text.
pub(crate) fn from_json(message: &MessageDescriptor, json: &str) -> DynamicMessage {
    let mut de = serde_json::Deserializer::from_str(json);
    DynamicMessage::deserialize(message.clone(), &mut de)
        .unwrap_or_else(|e| panic!("{}: {e}: {json}", message.name()))
}

/// The reference's reading of bytes.
pub(crate) fn from_protobuf(message: &MessageDescriptor, bytes: &[u8]) -> DynamicMessage {
    DynamicMessage::decode(message.clone(), bytes).expect("what we write is protobuf")
}

/// The reference's JSON, with the names as they stand in the definition when `snake`.
pub(crate) fn to_json(message: &DynamicMessage, snake: bool) -> String {
    let options = SerializeOptions::new().use_proto_field_name(snake);
    let mut out = serde_json::Serializer::new(Vec::new());
    message.serialize_with_options(&mut out, &options).expect("a sample is JSON");
    String::from_utf8(out.into_inner()).expect("JSON is UTF-8")
}
