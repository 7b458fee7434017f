//! Damaged input: nothing panics, and whatever is still read can be written again.

use crate::strategy;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert_eq, prop_oneof, proptest,
};
use proptest::test_runner::TestCaseError;
use sabir_types::{AgentCard, ProtoMessage, SendMessageRequest, Task, jsonrpc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

#[derive(Clone, Debug)]
enum Damage {
    Set(usize, u8),
    Flip(usize, u8),
    Insert(usize, u8),
    Remove(usize),
    Truncate(usize),
    Double(usize, usize),
}

fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let at = any::<usize>;
    let one = prop_oneof![
        (at(), any::<u8>()).prop_map(|(i, b)| Damage::Set(i, b)),
        (at(), 0..8_u8).prop_map(|(i, b)| Damage::Flip(i, b)),
        (at(), any::<u8>()).prop_map(|(i, b)| Damage::Insert(i, b)),
        // What JSON is made of does more harm than any byte.
        (at(), prop_oneof![Just(b'"'), Just(b'{'), Just(b'['), Just(b','), Just(b':'), Just(b'1')])
            .prop_map(|(i, b)| Damage::Set(i, b)),
        at().prop_map(Damage::Remove),
        at().prop_map(Damage::Truncate),
        (at(), 1..40_usize).prop_map(|(i, n)| Damage::Double(i, n)),
    ];
    proptest::collection::vec(one, 1..5)
}

fn damaged(mut bytes: Vec<u8>, damage: &[Damage]) -> Vec<u8> {
    for damage in damage {
        if bytes.is_empty() {
            break;
        }
        let len = bytes.len();
        match *damage {
            Damage::Set(i, b) => bytes[i % len] = b,
            Damage::Flip(i, b) => bytes[i % len] ^= 1 << b,
            Damage::Insert(i, b) => bytes.insert(i % len, b),
            Damage::Remove(i) => {
                bytes.remove(i % len);
            }
            Damage::Truncate(i) => bytes.truncate(i % len),
            Damage::Double(i, n) => {
                let at = i % len;
                let piece = bytes[at..(at + n).min(len)].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}

fn survives<T>(value: &T, damage: &[Damage]) -> Result<(), TestCaseError>
where
    T: ProtoMessage + Serialize + DeserializeOwned + PartialEq + Debug,
{
    if let Ok(read) = T::decode(&damaged(value.encode_to_vec(), damage)[..]) {
        writes_again(&read)?;
    }
    let json = serde_json::to_vec(value).expect("it can be written");
    if let Ok(read) = serde_json::from_slice::<T>(&damaged(json, damage)) {
        writes_again(&read)?;
    }
    Ok(())
}

fn writes_again<T>(read: &T) -> Result<(), TestCaseError>
where
    T: ProtoMessage + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let bytes = read.encode_to_vec();
    prop_assert_eq!(bytes.len(), read.encoded_len());
    let again = T::decode(&bytes[..]).expect("what we write is read");
    prop_assert_eq!(again.encode_to_vec(), bytes);
    // A message that is out of JSON's reach is reported.
    match serde_json::to_vec(read) {
        Ok(json) => {
            let again: T = serde_json::from_slice(&json).expect("what we write is read");
            prop_assert_eq!(serde_json::to_vec(&again).expect("as before"), json);
        }
        Err(_) => assert!(read.missing().is_some()),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn damaged_tasks_do_no_harm(value in strategy::task(), damage in damage()) {
        survives::<Task>(&value, &damage)?;
    }

    #[test]
    fn damaged_cards_do_no_harm(value in strategy::card(), damage in damage()) {
        survives::<AgentCard>(&value, &damage)?;
    }

    #[test]
    fn damaged_requests_do_no_harm(value in strategy::send_request(), damage in damage()) {
        survives::<SendMessageRequest>(&value, &damage)?;
        let json = serde_json::to_vec(&value).expect("it can be written");
        let request = jsonrpc::request(&jsonrpc::Id::number(1), "SendMessage", &json);
        // Any answer will do, as long as there is one.
        let _ = jsonrpc::Request::decode(&damaged(request, &damage)).map(|request| request.id);
        let response = jsonrpc::success(&jsonrpc::Id::number(1), &json);
        let _ = jsonrpc::Response::decode(&damaged(response, &damage)).map(|response| response.id);
    }
}
