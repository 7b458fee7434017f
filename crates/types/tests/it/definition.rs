//! Holds the hand-written model to `a2a.proto`: names, numbers, REQUIRED marks, presence, in both
//! encodings.

use crate::oracle::{self, is_member, is_required};
use prost_reflect::prost::Message as _;
use prost_reflect::{Cardinality, Kind, MessageDescriptor, Value};
use sabir_types::wire::{Field, Shape, prost};
use sabir_types::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface,
    AgentProvider, AgentSkill, ApiKeySecurityScheme, Artifact, AuthenticationInfo,
    AuthorizationCodeOAuthFlow, CancelTaskRequest, ClientCredentialsOAuthFlow,
    DeleteTaskPushNotificationConfigRequest, DeviceCodeOAuthFlow, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, HttpAuthSecurityScheme,
    ImplicitOAuthFlow, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse, Message,
    MutualTlsSecurityScheme, OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme, Part,
    PasswordOAuthFlow, ProtoEnum, ProtoMessage, Role, SecurityRequirement, SecurityScheme,
    SendMessageConfiguration, SendMessageRequest, SendMessageResponse, StreamResponse, StringList,
    SubscribeToTaskRequest, Task, TaskArtifactUpdateEvent, TaskPushNotificationConfig, TaskState,
    TaskStatus, TaskStatusUpdateEvent,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fmt::Debug;

/// Required by the definition, and yet right when empty, or the same as absent (DM-03, §8.4.1).
const MAY_BE_EMPTY: [&str; 12] = [
    "AgentCard.capabilities",
    "AgentCard.default_input_modes",
    "AgentCard.default_output_modes",
    "AgentCard.skills",
    "AgentSkill.tags",
    "AuthorizationCodeOAuthFlow.scopes",
    "ClientCredentialsOAuthFlow.scopes",
    "DeviceCodeOAuthFlow.scopes",
    "ListTasksResponse.tasks",
    "ListTasksResponse.next_page_token",
    "ListTasksResponse.page_size",
    "ListTasksResponse.total_size",
];

trait Model: ProtoMessage + Serialize + DeserializeOwned + Debug + PartialEq + Clone + 'static {}
impl<T: ProtoMessage + Serialize + DeserializeOwned + Debug + PartialEq + Clone + 'static> Model
    for T
{
}

/// Runs a check for every message; gives the names in the definition.
macro_rules! for_every_message {
    ($check:ident) => {
        for_every_message! { $check;
            Task, TaskStatus, Part, Message, Artifact, TaskStatusUpdateEvent,
            TaskArtifactUpdateEvent, AuthenticationInfo, AgentInterface, AgentCard, AgentProvider,
            AgentCapabilities, AgentExtension, AgentSkill, AgentCardSignature,
            TaskPushNotificationConfig, StringList, SecurityRequirement, SecurityScheme,
            ApiKeySecurityScheme as "APIKeySecurityScheme",
            HttpAuthSecurityScheme as "HTTPAuthSecurityScheme",
            OAuth2SecurityScheme, OpenIdConnectSecurityScheme, MutualTlsSecurityScheme, OAuthFlows,
            AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, ImplicitOAuthFlow,
            PasswordOAuthFlow, DeviceCodeOAuthFlow, SendMessageConfiguration, SendMessageRequest,
            GetTaskRequest, ListTasksRequest, ListTasksResponse, CancelTaskRequest,
            SubscribeToTaskRequest, GetTaskPushNotificationConfigRequest,
            DeleteTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
            ListTaskPushNotificationConfigsResponse, GetExtendedAgentCardRequest,
            SendMessageResponse, StreamResponse,
        }
    };
    ($check:ident; $($ty:ident $(as $name:literal)?,)*) => {{
        let mut names = BTreeSet::new();
        $(
            let name = [$($name,)? stringify!($ty)][0];
            $check::<$ty>(&oracle::message(name));
            names.insert(name.to_owned());
        )*
        names
    }};
}

#[test]
fn every_message_of_the_protocol_has_a_rust_type() {
    fn nothing<T: Model>(_: &MessageDescriptor) {}
    let ours = for_every_message!(nothing);
    let theirs: BTreeSet<_> = oracle::messages().map(|m| m.name().to_owned()).collect();
    assert_eq!(ours, theirs);
    assert_eq!(ours.len(), 44);
}

/// The list above is not shorter than the crate.
#[test]
fn every_message_type_of_the_crate_is_checked() {
    fn nothing<T: Model>(_: &MessageDescriptor) {}
    let checked: BTreeSet<_> =
        for_every_message!(nothing).iter().map(|name| name.to_lowercase()).collect();
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for file in std::fs::read_dir(sources).unwrap() {
        let file = file.unwrap().path();
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        for derive in text.split("\n#[derive(").skip(1) {
            let (traits, rest) = derive.split_once(')').unwrap();
            if !traits.contains("ProtoMessage") {
                continue;
            }
            let item = rest.split_once("pub ").unwrap().1;
            let name = item.split([' ', '{']).nth(1).unwrap();
            assert!(checked.contains(&name.to_lowercase()), "{name} in {}", file.display());
        }
    }
}

#[test]
fn every_message_survives_both_encodings() {
    for_every_message!(survives);
}

fn survives<T: Model>(message: &MessageDescriptor) {
    for pick in 0..oracle::picks(message) {
        let name = message.name();
        let sample = oracle::sample(message, pick);
        let bytes = sample.encode_to_vec();

        let ours = T::decode(bytes.as_slice()).expect(name);
        let again = prost::Message::encode_to_vec(&ours);
        assert_eq!(oracle::from_protobuf(message, &again), sample, "{name}: protobuf");
        assert_eq!(prost::Message::encoded_len(&ours), again.len(), "{name}: length");

        for snake in [false, true] {
            let json = oracle::to_json(&sample, snake);
            let read: T =
                serde_json::from_str(&json).unwrap_or_else(|e| panic!("{name}: {e}: {json}"));
            // The reference writes 1 as 1.0, so the two are compared as protobuf.
            let read = prost::Message::encode_to_vec(&read);
            assert!(read == again, "{name}: reads JSON: {json}");
        }
        let written = serde_json::to_string(&ours).expect(name);
        assert_eq!(oracle::from_json(message, &written), sample, "{name}: writes JSON");
        // Not only the same to a lenient reader, but the same names.
        let reference: serde_json::Value =
            serde_json::from_str(&oracle::to_json(&sample, false)).unwrap();
        let written: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(keys(&written), keys(&reference), "{name}: names");
    }
}

fn keys(object: &serde_json::Value) -> BTreeSet<&String> {
    object.as_object().expect("an object").keys().collect()
}

#[test]
fn exactly_the_required_fields_are_reported_when_left_out() {
    for_every_message!(reports);
}

fn reports<T: Model>(message: &MessageDescriptor) {
    let full = oracle::sample(message, 0);
    let name = message.name();
    let missing = |m: &prost_reflect::DynamicMessage| {
        T::decode(m.encode_to_vec().as_slice()).expect(name).missing()
    };
    assert_eq!(missing(&full), None, "{name}: complete");
    for field in message.fields().filter(|field| !is_member(field)) {
        let path = format!("{name}.{}", field.name());
        let mut partial = full.clone();
        partial.clear_field(&field);
        // A required message reports its own first required field.
        let inside = format!("{}.", field.json_name());
        let named =
            missing(&partial).is_some_and(|p| p == field.json_name() || p.starts_with(&inside));
        let reported = is_required(&field) && !MAY_BE_EMPTY.contains(&path.as_str());
        assert_eq!(named, reported, "{path}");
    }
    for union in oracle::unions(message) {
        let mut partial = full.clone();
        for member in union.fields() {
            partial.clear_field(&member);
        }
        assert_eq!(missing(&partial).as_deref(), Some(union.name()), "{name}: union");
    }
}

#[test]
fn exactly_the_required_fields_are_written_when_nothing_is_set() {
    fn check<T: Model>(message: &MessageDescriptor) {
        let written = serde_json::to_value(T::default()).unwrap();
        let required: BTreeSet<_> = message
            .fields()
            .filter(is_required)
            .map(|field| field.json_name().to_owned())
            .collect();
        let written: BTreeSet<_> = keys(&written).into_iter().cloned().collect();
        assert_eq!(written, required, "{}", message.name());
        assert!(prost::Message::encoded_len(&T::default()) <= 4, "only empty messages");
    }
    for_every_message!(check);
}

/// Proto3's `optional` keeps a default that was set; without it, the default is the same as none.
#[test]
fn a_default_value_is_kept_exactly_where_the_definition_says_optional() {
    fn check<T: Model>(message: &MessageDescriptor) {
        for field in message.fields().filter(|f| f.cardinality() == Cardinality::Optional) {
            let default = match field.kind() {
                Kind::String => Value::String(String::new()),
                Kind::Bytes => Value::Bytes(Vec::new().into()),
                Kind::Bool => Value::Bool(false),
                Kind::Int32 => Value::I32(0),
                Kind::Enum(_) => Value::EnumNumber(0),
                _ => continue,
            };
            let path = format!("{}.{}", message.name(), field.name());
            let mut with_default = prost_reflect::DynamicMessage::new(message.clone());
            with_default.set_field(&field, default);
            let json = match field.kind() {
                Kind::String | Kind::Bytes => r#""""#,
                Kind::Bool => "false",
                _ => "0",
            };
            let json = format!(r#"{{"{}":{json}}}"#, field.json_name());
            let ours: T = serde_json::from_str(&json).expect(&path);
            let bytes = prost::Message::encode_to_vec(&ours);
            let reference = oracle::from_protobuf(message, &bytes);
            assert_eq!(reference.has_field(&field), field.supports_presence(), "{path}: protobuf");
            let written = serde_json::to_value(&ours).unwrap();
            let kept = field.supports_presence() || is_required(&field);
            assert_eq!(written.get(field.json_name()).is_some(), kept, "{path}: JSON");
            if field.supports_presence() {
                let decoded = T::decode(with_default.encode_to_vec().as_slice()).unwrap();
                assert_eq!(decoded, ours, "{path}: both encodings read the same");
            }
        }
    }
    for_every_message!(check);
}

#[test]
fn every_enum_has_the_names_and_numbers_of_the_definition() {
    fn check<E: ProtoEnum + PartialEq + Debug>(name: &str) {
        let theirs = oracle::enumeration(name);
        assert_eq!(E::ALL.len(), theirs.values().len());
        for value in theirs.values() {
            let ours = E::from_number(value.number());
            assert_eq!(ours.name(), value.name());
            assert_eq!(ours.number(), value.number());
            assert_eq!(E::from_name(value.name()), ours);
        }
    }
    check::<TaskState>("TaskState");
    check::<Role>("Role");
    assert_eq!(oracle::enums().count(), 2);
}

/// The official SDK's own types, in place of a descriptor.
#[test]
fn the_official_sdk_reads_what_we_write() {
    use a2a_pb::proto;
    let bytes = oracle::sample(&oracle::message("Task"), 0).encode_to_vec();
    let ours = <Task as prost::Message>::decode(bytes.as_slice()).unwrap();
    let ours = prost::Message::encode_to_vec(&ours);
    let theirs = <proto::Task as prost::Message>::decode(ours.as_slice()).unwrap();
    assert_eq!(theirs.id, "id é \" \u{1}");
    assert_eq!(theirs.history.len(), 2);
    let again = prost::Message::encode_to_vec(&theirs);
    assert_eq!(
        <Task as prost::Message>::decode(again.as_slice()).unwrap(),
        <Task as prost::Message>::decode(ours.as_slice()).unwrap(),
    );
}

/// The checks above are worth something only if they fail.
mod mistakes {
    use super::{oracle, reports, survives};
    use sabir_types::TaskId;
    use sabir_wire_derive::ProtoMessage;

    #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
    struct WrongNumber {
        #[field(1)]
        tenant: Option<String>,
        #[field(2, required)]
        id: TaskId,
        #[field(4, optional)]
        history_length: Option<i32>,
    }

    #[test]
    #[should_panic(expected = "GetTaskRequest: protobuf")]
    fn a_wrong_number_is_found() {
        survives::<WrongNumber>(&oracle::message("GetTaskRequest"));
    }

    #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
    struct WrongName {
        #[field(1)]
        tenant: Option<String>,
        #[field(2, required)]
        id: TaskId,
        #[field(3, optional, name = "history_size")]
        history_length: Option<i32>,
    }

    #[test]
    #[should_panic(expected = "GetTaskRequest: reads JSON")]
    fn a_wrong_name_is_found() {
        survives::<WrongName>(&oracle::message("GetTaskRequest"));
    }

    #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
    struct WrongMark {
        #[field(1)]
        tenant: Option<String>,
        #[field(2)]
        id: TaskId,
        #[field(3, optional)]
        history_length: Option<i32>,
    }

    #[test]
    #[should_panic(expected = "GetTaskRequest.id")]
    fn a_wrong_mark_is_found() {
        reports::<WrongMark>(&oracle::message("GetTaskRequest"));
    }
}

#[test]
fn shapes_are_what_the_definition_says() {
    for_every_message!(looks_right);
}

fn looks_right<T: Model + Field>(message: &MessageDescriptor) {
    let Shape::Message(shape) = T::shape() else { panic!("{}", message.name()) };
    assert!(!shape.about.is_empty());
    let fields = (shape.fields)();
    assert_eq!(fields.len(), message.fields().len(), "{}", message.name());
    for field in fields {
        let path = format!("{}.{}", message.name(), field.name);
        let theirs = message.get_field(field.number).expect(&path);
        assert_eq!((theirs.json_name(), theirs.name()), (field.name, field.snake), "{path}");
        let optional = theirs.field_descriptor_proto().proto3_optional();
        assert_eq!(optional, field.optional, "{path}");
        assert_eq!(is_member(&theirs), field.union.is_some(), "{path}");
        assert_eq!(is_required(&theirs) && !is_member(&theirs), field.required, "{path}");
        assert_eq!(kind(&theirs), name(&field.shape), "{path}");
        assert!(!field.about.is_empty(), "{path}");
    }
}

fn kind(field: &prost_reflect::FieldDescriptor) -> String {
    let of = |field: &prost_reflect::FieldDescriptor| match field.kind() {
        Kind::Message(message) => message.name().to_lowercase(),
        Kind::Enum(values) => values.name().to_lowercase(),
        other => format!("{other:?}").to_lowercase(),
    };
    match field.kind() {
        Kind::Message(entry) if field.is_map() => {
            format!("map of {}", of(&entry.map_entry_value_field()))
        }
        _ if field.is_list() => format!("list of {}", of(field)),
        _ => of(field),
    }
}

fn name(shape: &Shape) -> String {
    let name = match shape {
        Shape::Any => "Value",
        Shape::Object => "Struct",
        Shape::Message(message) => message.name,
        Shape::Enum(values) => values.name,
        Shape::List(items) => return format!("list of {}", name(items)),
        Shape::Map(values) => return format!("map of {}", name(values)),
        other => return format!("{other:?}").to_lowercase(),
    };
    name.to_lowercase()
}
