//! Health and reflection.

use crate::wire::Fixture;
use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};
use sabir_bindings::{Binding, Drained, ServerConfig};
use sabir_testkit::GrpcConnection;
use sabir_types::Operation;
use sabir_types::wire::prost::Message;
use std::path::PathBuf;
use std::time::Duration;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

const CHECK: &str = "/grpc.health.v1.Health/Check";
const WATCH: &str = "/grpc.health.v1.Health/Watch";
const REFLECT: [&str; 2] = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

fn health(service: &str) -> Vec<u8> {
    HealthCheckRequest { service: service.to_owned() }.encode_to_vec()
}

fn status(message: &[u8]) -> i32 {
    HealthCheckResponse::decode(message).unwrap().status
}

#[tokio::test]
async fn a_server_says_that_it_serves_until_it_closes() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    for service in ["", Operation::GRPC_SERVICE] {
        let answer = connection.call(CHECK, &[], &health(service)).await;
        assert_eq!((answer.code(), status(&answer.messages[0])), (0, 1), "{service}");
    }
    assert_eq!(connection.call(CHECK, &[], &health("x.Y")).await.code(), 5);
    let mut watch = connection.begin(WATCH, &[], &health("")).await;
    assert_eq!(status(&watch.message().await.unwrap()), 1);
    let drained = fixture.shutdown(Duration::from_secs(20)).await;
    assert_eq!(drained, Drained { cut: 0 });
    assert_eq!(status(&watch.message().await.unwrap()), 2);
    assert_eq!(watch.rest().await.code(), 0);
}

#[tokio::test]
async fn health_is_for_those_who_may_ask_and_only_where_grpc_is_served() {
    let fixture = Fixture::new().await;
    let foreign = GrpcConnection::open(fixture.addr()).await.with_authority("evil.example");
    assert_eq!(foreign.call(CHECK, &[], &health("")).await.code(), 7);
    let config = ServerConfig { bindings: vec![Binding::JsonRpc], ..ServerConfig::default() };
    let without = Fixture::with(config).await;
    let connection = GrpcConnection::open(without.addr()).await;
    for path in [CHECK, REFLECT[0]] {
        assert_eq!(connection.call(path, &[], b"").await.code(), 12, "{path}");
    }
}

async fn reflect(connection: &GrpcConnection, path: &str, what: MessageRequest) -> MessageResponse {
    let request = ServerReflectionRequest { message_request: Some(what), ..Default::default() };
    let answer = connection.call(path, &[], &request.encode_to_vec()).await;
    assert_eq!(answer.code(), 0, "{answer:?}");
    let response = ServerReflectionResponse::decode(&answer.messages[0][..]).unwrap();
    response.message_response.unwrap()
}

/// The files that reflection tells of the service, as a tool fetches them.
async fn reflected() -> DescriptorPool {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let mut pool = DescriptorPool::new();
    let names =
        ["empty", "struct", "timestamp"].map(|name| format!("google/protobuf/{name}.proto"));
    let asks = names.map(MessageRequest::FileByFilename);
    let service = MessageRequest::FileContainingSymbol(Operation::GRPC_SERVICE.to_owned());
    for ask in asks.into_iter().chain([service]) {
        match reflect(&connection, REFLECT[0], ask).await {
            MessageResponse::FileDescriptorResponse(response) => {
                for file in response.file_descriptor_proto {
                    pool.decode_file_descriptor_proto(&file[..]).unwrap();
                }
            }
            other => panic!("{other:?}"),
        }
    }
    pool
}

#[tokio::test]
async fn the_service_is_listed_in_both_editions_of_reflection() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    for path in REFLECT {
        let all = MessageRequest::ListServices(String::new());
        let MessageResponse::ListServicesResponse(listed) = reflect(&connection, path, all).await
        else {
            panic!("{path}")
        };
        let names: Vec<_> = listed.service.iter().map(|service| &*service.name).collect();
        assert!(names.contains(&Operation::GRPC_SERVICE), "{names:?}");
    }
}

/// The official definition.
fn official() -> DescriptorPool {
    let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).unwrap();
    let (_, rest) = lock.split_once("name = \"a2a-pb\"\nversion = \"").unwrap();
    let version = rest.split('"').next().unwrap();
    let cargo = std::env::var_os("CARGO_HOME")
        .map_or_else(|| std::env::home_dir().unwrap().join(".cargo"), PathBuf::from);
    let proto = std::fs::read_dir(cargo.join("registry/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path().join(format!("a2a-pb-{version}/proto")))
        .find(|proto| proto.is_dir())
        .unwrap();
    let mut compiler = protox::Compiler::new([&proto]).unwrap();
    compiler.include_imports(true);
    compiler.open_file(proto.join("a2a.proto")).unwrap();
    DescriptorPool::decode(compiler.encode_file_descriptor_set().as_slice()).unwrap()
}

/// Everything that the wire forms follow from.
fn described(field: &FieldDescriptor) -> String {
    let kind = match field.kind() {
        Kind::Message(message) => message.full_name().to_owned(),
        Kind::Enum(values) => {
            let all: Vec<_> =
                values.values().map(|v| format!("{}={}", v.name(), v.number())).collect();
            format!("{}{all:?}", values.full_name())
        }
        other => format!("{other:?}"),
    };
    let union = field.containing_oneof().map(|oneof| oneof.name().to_owned());
    let (name, json, number) = (field.name(), field.json_name(), field.number());
    let (cardinality, presence) = (field.cardinality(), field.supports_presence());
    format!("{name} {json} {number} {kind} {cardinality:?} {presence} {union:?}")
}

fn fields(message: &MessageDescriptor) -> Vec<String> {
    message.fields().map(|field| described(&field)).collect()
}

#[tokio::test]
async fn what_reflection_tells_is_the_official_definition() {
    let (ours, theirs) = (reflected().await, official());
    let messages = |pool: &DescriptorPool| {
        let mut names: Vec<_> = pool
            .all_messages()
            .filter(|message| message.package_name() == "lf.a2a.v1")
            .map(|message| message.full_name().to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(messages(&ours), messages(&theirs));
    for name in messages(&theirs) {
        let message = |pool: &DescriptorPool| fields(&pool.get_message_by_name(&name).unwrap());
        assert_eq!(message(&ours), message(&theirs), "{name}");
    }
    for known in ["Struct", "Value", "ListValue", "Timestamp", "Empty"] {
        let name = format!("google.protobuf.{known}");
        let message = |pool: &DescriptorPool| fields(&pool.get_message_by_name(&name).unwrap());
        assert_eq!(message(&ours), message(&theirs), "{name}");
    }
    let methods = |pool: &DescriptorPool| -> Vec<_> {
        let service = pool.get_service_by_name(Operation::GRPC_SERVICE).unwrap();
        let mut methods: Vec<_> = service
            .methods()
            .map(|method| {
                let (input, output) = (method.input(), method.output());
                let streams = (method.is_client_streaming(), method.is_server_streaming());
                format!(
                    "{} {} {} {streams:?}",
                    method.name(),
                    input.full_name(),
                    output.full_name()
                )
            })
            .collect();
        methods.sort();
        methods
    };
    assert_eq!(methods(&ours), methods(&theirs));
}

#[tokio::test]
async fn a_reflection_that_is_kept_open_does_not_keep_the_server() {
    let fixture = Fixture::new().await;
    let connection = GrpcConnection::open(fixture.addr()).await;
    let list = MessageRequest::ListServices(String::new());
    let request = ServerReflectionRequest { message_request: Some(list), ..Default::default() };
    let mut open = connection.hold(REFLECT[0], &[], &request.encode_to_vec()).await;
    open.message().await.unwrap();
    let drained = fixture.shutdown(Duration::from_secs(20)).await;
    assert_eq!(drained, Drained { cut: 0 });
    assert_eq!(open.rest().await.code(), 0);
}
