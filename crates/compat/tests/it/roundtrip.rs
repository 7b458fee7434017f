//! From 1.0 to 0.3 and back: all is as it was, but for the documented losses.

use crate::losses::Through;
use crate::strategy;
use proptest::prelude::{Strategy, proptest};
use proptest::{prop_assert, prop_assert_eq};
use sabir_compat::proto::{Request, Response};
use sabir_compat::{FileBytes, kind, proto};
use sabir_types::wire::{self, prost::Message as _};
use sabir_types::{AgentCard, AgentInterface, StreamResponse};

fn through_kind<T: kind::Translate>(value: T) -> T {
    let mut json = Vec::new();
    value.write(&mut json).expect("it can be written");
    T::read(&json).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&json)))
}

/// By JSON and by protobuf, which must agree.
fn through_proto<D, T: proto::Translate<D> + Clone + PartialEq + std::fmt::Debug>(
    value: T,
    bytes: FileBytes,
) -> T {
    let mut json = Vec::new();
    value.clone().write(bytes, &mut json).expect("it can be written");
    let by_json = T::read(&json, bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&json)));
    let protobuf = value.into_form(bytes).expect("it has a form").encode_to_vec();
    let form = wire::from_protobuf::<T::Form>(&protobuf[..]).expect("what we write is read");
    assert_eq!(T::from_form(form, bytes), by_json);
    by_json
}

fn spoken_card() -> impl Strategy<Value = AgentCard> {
    let version = proptest::sample::select(vec!["0.3.0", "0.3", "", "0.3.5"]);
    (strategy::card(), version, "[a-z]{0,3}").prop_map(|(card, version, binding)| {
        let interface = AgentInterface::new("https://a.example", binding).with_version(version);
        card.with_interface(interface)
    })
}

proptest! {
    #[test]
    fn a_task_comes_back(task in strategy::task()) {
        prop_assert_eq!(through_kind(task.clone()), Through::Kind.task(task.clone()));
        for bytes in [FileBytes::Text, FileBytes::Plain] {
            let expected = Through::Proto.task(task.clone());
            prop_assert_eq!(through_proto::<Response, _>(task.clone(), bytes), expected);
        }
    }

    #[test]
    fn an_event_comes_back(event in strategy::event()) {
        let expected = Through::Proto.event(event.clone());
        prop_assert_eq!(through_proto::<Response, _>(event.clone(), FileBytes::Text), expected);
        if event != StreamResponse::Unset {
            prop_assert_eq!(through_kind(event.clone()), Through::Kind.event(event));
        }
    }

    #[test]
    fn a_request_comes_back(request in strategy::send_request()) {
        prop_assert_eq!(through_kind(request.clone()), Through::Kind.request(request.clone()));
        let expected = Through::Proto.request(request.clone());
        prop_assert_eq!(through_proto::<Request, _>(request, FileBytes::Text), expected);
    }

    #[test]
    fn a_card_comes_back_and_the_hybrid_card_is_both(card in spoken_card()) {
        prop_assert_eq!(through_kind(card.clone()), Through::Kind.card(card.clone()));
        let expected = Through::Proto.card(card.clone());
        prop_assert_eq!(through_proto::<Response, _>(card.clone(), FileBytes::Text), expected);
        let as_older = Through::Kind.card(card.clone());
        let hybrid = sabir_compat::card::hybrid(card.clone()).expect("it has an interface of 0.3");
        prop_assert_eq!(wire::from_json::<AgentCard>(&hybrid).expect("of 1.0"), card);
        let older = sabir_compat::card::from_json(&hybrid).expect("of 0.3");
        prop_assert_eq!(older, as_older);
    }

    #[test]
    fn nothing_panics_on_other_json(value in strategy::value()) {
        let json = value.to_string();
        let _ = <StreamResponse as kind::Translate>::read(json.as_bytes());
        let _ = <StreamResponse as proto::Translate<Response>>::read(json.as_bytes(), FileBytes::Text);
        prop_assert!(!kind::is_spoken(json.as_bytes()) || json.contains("message"));
    }
}
