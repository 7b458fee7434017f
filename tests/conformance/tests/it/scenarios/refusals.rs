//! What an agent without a capability refuses, and what every agent does.

use crate::world::{everywhere, everywhere_as, says};
use sabir::types::{ErrorKind, Operation};
use sabir_conformance::{ExtendedCard, Profile};
use serde_json::{Value, json};

fn reduced() -> Profile {
    let reduced = |name: &str| (name == "ITK_ACTS_REDUCED_CAPABILITIES").then(|| "1".to_owned());
    Profile::default().for_acts(reduced)
}

// acts: CORE-CAP-001, PUSH-CFG-004
// tck: CORE-CAP-001
#[tokio::test]
async fn an_agent_that_calls_no_webhooks_refuses_them() {
    everywhere_as(reduced(), |w| async move {
        let w = w.with(|terms| terms.by_card = false);
        let task = w.send("tck-complete-task").await;
        let kind = ErrorKind::PushNotificationNotSupported;
        let config = json!({"taskId": task["id"], "url": "http://127.0.0.1:1/webhook"});
        w.refused_as(kind, Operation::CreateTaskPushNotificationConfig, config.clone()).await;
        let one = json!({"taskId": task["id"], "id": "one"});
        w.refused_as(kind, Operation::GetTaskPushNotificationConfig, one.clone()).await;
        w.refused_as(kind, Operation::DeleteTaskPushNotificationConfig, one).await;
        let all = json!({"taskId": task["id"]});
        w.refused_as(kind, Operation::ListTaskPushNotificationConfigs, all).await;
        let mut message = says("tck-complete-task");
        message["configuration"] = json!({"taskPushNotificationConfig": {"url": config["url"]}});
        w.refused_as(kind, Operation::SendMessage, message).await;
    })
    .await;
}

// acts: CORE-CAP-002
// tck: CORE-CAP-002
#[tokio::test]
async fn an_agent_that_does_not_stream_refuses_streams() {
    everywhere_as(reduced(), |w| async move {
        let w = w.with(|terms| terms.by_card = false);
        let kind = ErrorKind::UnsupportedOperation;
        let task = w.send("tck-multi-turn").await;
        w.follow_refused_as(kind, Operation::SendStreamingMessage, says("x")).await;
        w.follow_refused_as(kind, Operation::SubscribeToTask, json!({"id": task["id"]})).await;
    })
    .await;
}

// acts: SEC-EXTCARD-003
// tck: CORE-CAP-003, CARD-EXT-002
#[tokio::test]
async fn an_agent_without_an_extended_card_refuses_it() {
    everywhere_as(reduced(), |w| async move {
        let w = w.with(|terms| terms.by_card = false);
        let kind = ErrorKind::UnsupportedOperation;
        w.refused_as(kind, Operation::GetExtendedAgentCard, json!({})).await;
    })
    .await;
}

// tck: CORE-CAP-004
#[tokio::test]
async fn who_does_not_name_a_required_extension_is_refused() {
    let profile = Profile {
        required_extension: true,
        extended_card: ExtendedCard::Open,
        ..Profile::default()
    };
    everywhere_as(profile, |w| async move {
        let request = says("tck-complete-task");
        let kind = ErrorKind::ExtensionSupportRequired;
        w.refused_as(kind, Operation::SendMessage, request.clone()).await;
        w.follow_refused_as(kind, Operation::SendStreamingMessage, request.clone()).await;
        let named = w.with(|terms| terms.extension = Some("urn:a2a:tck:required-extension"));
        named.get(Operation::SendMessage, request).await;
    })
    .await;
}

/// A request, and the path of what is missing in it.
fn incomplete() -> Vec<(Operation, Value, &'static str)> {
    let send = |message: Value| json!({ "message": message });
    let parts = json!([{"text": "a"}, {"filename": "b"}]);
    vec![
        (Operation::SendMessage, json!({}), "message.messageId"),
        (Operation::SendMessage, send(json!({"messageId": "m"})), "message.role"),
        (
            Operation::SendMessage,
            send(json!({"messageId": "m", "role": "ROLE_USER"})),
            "message.parts",
        ),
        (
            Operation::SendMessage,
            send(json!({"messageId": "m", "role": "ROLE_USER", "parts": parts})),
            "message.parts[1].content",
        ),
        (Operation::ListTasks, json!({"pageSize": 101}), "pageSize"),
        (Operation::ListTasks, json!({"pageToken": "invented"}), "pageToken"),
        (Operation::GetTask, json!({"id": "t", "historyLength": -1}), "historyLength"),
    ]
}

// tck: CORE-ERR-001, CORE-ERR-002, DM-SERIAL-004, DM-PART-001
// acts: CORE-ERR-007
#[tokio::test]
async fn what_is_missing_or_wrong_is_named_by_the_same_path_everywhere() {
    everywhere(|w| async move {
        // Our client gives a message what only its sender can.
        let signs = matches!(w.way, crate::way::Way::Client(_));
        for (operation, request, path) in incomplete() {
            let signed = ["message.messageId", "message.role"].contains(&path);
            if signs && signed {
                continue;
            }
            let seen = if signed { w.unseen() } else { w.clone() };
            let fault = seen.refused(operation, request).await;
            assert_eq!(fault.kind, ErrorKind::InvalidParams, "{fault:?}");
            assert_eq!(fault.fields, [path], "{fault:?}");
        }
        w.send("tck-complete-task").await;
    })
    .await;
}
