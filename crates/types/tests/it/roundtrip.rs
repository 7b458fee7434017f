//! Whatever is written is read as the same value, in both encodings, also by the reference.

use crate::{oracle, strategy};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use proptest::test_runner::TestCaseError;
use prost_reflect::prost::Message as _;
use sabir_types::{ProtoMessage, Timestamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

fn both_encodings<T>(name: &str, value: &T) -> Result<(), TestCaseError>
where
    T: ProtoMessage + Serialize + DeserializeOwned + PartialEq + Debug,
{
    let json = serde_json::to_string(value).expect("it can be written");
    let read: T = serde_json::from_str(&json).expect("what we write is read");
    prop_assert_eq!(&read, value, "JSON: {}", json);

    let bytes = value.encode_to_vec();
    prop_assert_eq!(bytes.len(), value.encoded_len());
    let read = T::decode(&bytes[..]).expect("what we write is read");
    prop_assert_eq!(&read, value, "protobuf");

    // The reference reads the same from both encodings.
    let message = oracle::message(name);
    let of_bytes = oracle::from_protobuf(&message, &bytes);
    // Through bytes: REQUIRED defaults stand in JSON only.
    let of_json = oracle::from_json(&message, &json).encode_to_vec();
    let of_json = oracle::from_protobuf(&message, &of_json);
    prop_assert!(of_json == of_bytes, "{}", json);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn parts_survive(value in strategy::part()) {
        both_encodings("Part", &value)?;
    }

    #[test]
    fn messages_survive(value in strategy::message()) {
        both_encodings("Message", &value)?;
    }

    #[test]
    fn artifacts_survive(value in strategy::artifact()) {
        both_encodings("Artifact", &value)?;
    }

    #[test]
    fn tasks_survive(value in strategy::task()) {
        both_encodings("Task", &value)?;
    }

    #[test]
    fn events_survive(value in strategy::event()) {
        both_encodings("StreamResponse", &value)?;
    }

    #[test]
    fn requests_survive(send in strategy::send_request(), list in strategy::list_request()) {
        both_encodings("SendMessageRequest", &send)?;
        both_encodings("ListTasksRequest", &list)?;
    }

    #[test]
    fn lists_of_tasks_survive(value in strategy::list_response()) {
        both_encodings("ListTasksResponse", &value)?;
    }

    #[test]
    fn cards_survive(value in strategy::card()) {
        both_encodings("AgentCard", &value)?;
    }

    #[test]
    fn a_timestamp_survives_its_text(at in strategy::timestamp()) {
        let text = at.to_string();
        prop_assert_eq!(text.parse::<Timestamp>(), Ok(at));
        if let Ok(reference) = jiff::Timestamp::try_from(at) {
            let digits = text.len() - "2026-08-22T10:15:30.Z".len();
            prop_assert_eq!(text, format!("{reference:.digits$}"));
        }
    }

    #[test]
    fn any_value_survives_through_value(value in strategy::task()) {
        let tree = serde_json::to_value(&value).expect("it can be written");
        prop_assert!(serde_json::from_value::<sabir_types::Task>(tree).expect("it is read") == value);
    }
}
