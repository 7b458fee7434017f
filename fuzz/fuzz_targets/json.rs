//! Any bytes as JSON: nothing panics, and what is read is written as JSON that reads the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sabir_types::wire::serde::Serialize;
use sabir_types::wire::serde::de::DeserializeOwned;
use sabir_types::{
    AgentCard, Error, ListTasksRequest, ProtoMessage, SendMessageRequest, StreamResponse, Task,
    wire,
};

fuzz_target!(|bytes: &[u8]| {
    round_trip::<Task>(bytes);
    round_trip::<StreamResponse>(bytes);
    round_trip::<SendMessageRequest>(bytes);
    round_trip::<ListTasksRequest>(bytes);
    round_trip::<AgentCard>(bytes);
    Error::from_status_json(500, bytes);
});

fn round_trip<T: ProtoMessage + Serialize + DeserializeOwned>(bytes: &[u8]) {
    // Never trusted alone, but must hold whatever it is given.
    let _ = wire::check_depth(bytes, wire::MAX_DEPTH);
    let Ok(message) = wire::from_json::<T>(bytes) else { return };
    let _ = message.missing();
    let json = wire::to_json(&message).expect("JSON holds what came from JSON");
    let again: T = wire::from_json(&json).expect("what we write is read");
    assert_eq!(wire::to_json(&again).expect("as before"), json);
    let protobuf = message.encode_to_vec();
    assert_eq!(protobuf.len(), message.encoded_len());
    // Protobuf has a limit of its own for nesting.
    if let Ok(again) = T::decode(&protobuf[..]) {
        assert_eq!(again.encode_to_vec(), protobuf);
    }
}
