//! Values that get lost easily, there and back.

use crate::way::Way;
use crate::world::{everywhere, holds, in_both_versions};
use sabir::bindings::Binding;
use sabir::client::Transport;
use sabir::types::Operation;
use serde_json::{Value, json};

/// Sends parts and gives back those of the history, which the agent kept as they came.
async fn back(w: &crate::world::World, parts: Value) -> Value {
    let mut request = holds(&parts);
    request["message"]["messageId"] = "tck-complete-task".into();
    request["message"]["metadata"] = json!({"timestamp": "yesterday", "n": null, "": {}});
    let answer = w.get(Operation::SendMessage, request.clone()).await;
    let kept = w.task(&answer["task"]).await["history"][0].clone();
    assert_eq!(kept["metadata"], request["message"]["metadata"]);
    kept["parts"].clone()
}

#[tokio::test]
async fn odd_values_come_back_as_they_went() {
    in_both_versions(|w| async move {
        let parts = json!([
            {"data": null},
            {"data": 0},
            {"data": false},
            {"data": ""},
            {"data": []},
            {"data": [1, null]},
            {"data": {"a": null, "b": {}, "timestamp": "2026-01-01"}},
            {"data": 9_007_199_254_740_992_i64},
            {"data": -0.5},
            {"data": 1e300},
            {"raw": "+//+"},
            {"raw": ""},
            {"text": ""},
            {"text": "\u{0}\u{1F600}\u{2028}"},
            {"url": "https://example.com/?a=b&c#d"},
        ]);
        assert_eq!(back(&w, parts.clone()).await, parts);
    })
    .await;
}

/// `google.protobuf.Value` has doubles and no integers: gRPC rounds above 2^53, JSON does not.
#[tokio::test]
async fn integers_above_2_to_53_are_exact_where_protobuf_is_not_on_the_way() {
    everywhere(|w| async move {
        let exact = json!([{"data": 9_007_199_254_740_993_i64}]);
        let rounded = json!([{"data": 9_007_199_254_740_992_i64}]);
        let by_protobuf = match w.way {
            Way::Raw(binding) | Way::RawV0_3(binding) => binding == Binding::Grpc,
            Way::Client(transport) | Way::ClientV0_3(transport) => {
                transport.binding() == Binding::Grpc.name()
            }
        };
        let expected = if by_protobuf { &rounded } else { &exact };
        assert_eq!(&back(&w.unseen(), exact.clone()).await, expected);
        assert!(Transport::ALL.len() > 1);
        w.send("tck-complete-task").await;
    })
    .await;
}
