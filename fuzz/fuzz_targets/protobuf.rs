//! Any bytes as protobuf: nothing panics, and what is read is written as bytes that read the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sabir_types::wire::serde::Serialize;
use sabir_types::wire::serde::de::DeserializeOwned;
use sabir_types::{
    AgentCard, Error, GrpcCode, ListTasksRequest, ProtoMessage, SendMessageRequest, StreamResponse,
    Task, wire,
};

fuzz_target!(|bytes: &[u8]| {
    round_trip::<Task>(bytes);
    round_trip::<StreamResponse>(bytes);
    round_trip::<SendMessageRequest>(bytes);
    round_trip::<ListTasksRequest>(bytes);
    round_trip::<AgentCard>(bytes);
    Error::from_grpc(GrpcCode::Internal, "", bytes);
});

fn round_trip<T: ProtoMessage + Serialize + DeserializeOwned>(bytes: &[u8]) {
    let Ok(message) = wire::from_protobuf::<T>(bytes) else { return };
    let again = message.encode_to_vec();
    assert_eq!(again.len(), message.encoded_len());
    let read = T::decode(&again[..]).expect("what we write is read");
    assert_eq!(read.encode_to_vec(), again);
    match wire::to_json(&message) {
        Ok(json) => drop(wire::from_json::<T>(&json).expect("what we write is read")),
        Err(_) => assert!(message.missing().is_some(), "what JSON cannot hold is reported"),
    }
}
