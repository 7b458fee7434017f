//! Who may ask, and in which version.

use crate::way::Way;
use crate::world::{TOKEN, World, everywhere, everywhere_as, says};
use sabir::types::{ErrorKind, Operation};
use sabir_conformance::{ExtendedCard, Profile};
use serde_json::{Value, json};

const INSUFFICIENT: &str = "itk-insufficient-token";

fn guarded() -> Profile {
    Profile::default().for_acts(|name| (name == "ITK_ACTS_AUTH").then(|| "1".to_owned()))
}

/// Every operation that is answered once, with a request that would be fine.
fn requests() -> Vec<(Operation, Value)> {
    let task = || json!({"id": "t"});
    let config = || json!({"taskId": "t", "id": "c"});
    let webhook = json!({"taskId": "t", "url": "http://127.0.0.1:1/"});
    vec![
        (Operation::SendMessage, says("tck-complete-task")),
        (Operation::GetTask, task()),
        (Operation::ListTasks, json!({})),
        (Operation::CancelTask, task()),
        (Operation::CreateTaskPushNotificationConfig, webhook),
        (Operation::GetTaskPushNotificationConfig, config()),
        (Operation::ListTaskPushNotificationConfigs, json!({"taskId": "t"})),
        (Operation::DeleteTaskPushNotificationConfig, config()),
        (Operation::GetExtendedAgentCard, json!({})),
    ]
}

// acts: SEC-AUTH-001, SEC-AUTH-002, SEC-AUTH-004, SEC-AUTH-006
// tck: AUTH-SERVER-002, AUTH-SCOPE-001, BIND-EQUIV-004
#[tokio::test]
async fn every_operation_needs_a_credential_where_the_card_says_so() {
    everywhere_as(guarded(), |w| async move {
        w.send("tck-complete-task").await;
        for (token, kind) in [
            (None, ErrorKind::Unauthenticated),
            (Some("unknown"), ErrorKind::Unauthenticated),
            (Some(INSUFFICIENT), ErrorKind::Forbidden),
        ] {
            let other = w.with(|terms| terms.token = token);
            for (operation, request) in requests() {
                other.refused_as(kind, operation, request).await;
            }
            let request = says("tck-stream-basic");
            other.follow_refused_as(kind, Operation::SendStreamingMessage, request).await;
            let request = json!({"id": "t"});
            other.follow_refused_as(kind, Operation::SubscribeToTask, request).await;
        }
    })
    .await;
}

// acts: SEC-AUTH-003, CORE-ERR-009
// tck: AUTH-SCOPE-002, AUTH-SCOPE-003, CORE-LIST-001
#[tokio::test]
async fn a_task_of_somebody_else_is_like_none() {
    everywhere_as(guarded(), |w| async move {
        for id in ["00000000-0000-0000-0000-0000000000ff", "nobody-knows-this"] {
            let request = json!({ "id": id });
            w.refused_as(ErrorKind::TaskNotFound, Operation::GetTask, request).await;
        }
    })
    .await;
}

// acts: SEC-EXTCARD-001, SEC-EXTCARD-002, SEC-EXTCARD-004, CARD-EXT-001
// tck: CARD-EXT-001
#[tokio::test]
async fn the_extended_card_is_for_those_with_a_credential() {
    everywhere(|w| async move {
        let card = w.unseen().get(Operation::GetExtendedAgentCard, json!({})).await;
        assert_eq!(card["skills"][1]["id"], "confide");
        assert!(!card["description"].as_str().unwrap().is_empty());
        for (token, kind) in
            [(None, ErrorKind::Unauthenticated), (Some(INSUFFICIENT), ErrorKind::Forbidden)]
        {
            let other = w.with(|terms| terms.token = token);
            other.refused_as(kind, Operation::GetExtendedAgentCard, json!({})).await;
            // Nothing else is guarded, and all callers are one.
            other.send("tck-complete-task").await;
        }
    })
    .await;
}

// tck: CARD-EXT-001, CARD-EXT-002
#[tokio::test]
async fn the_extended_card_can_be_for_everybody() {
    let profile = Profile { extended_card: ExtendedCard::Open, ..Profile::default() };
    everywhere_as(profile, |w| async move {
        let anonymous = w.with(|terms| terms.token = None);
        let card = anonymous.get(Operation::GetExtendedAgentCard, json!({})).await;
        assert_eq!(card["skills"].as_array().unwrap().len(), 2);
    })
    .await;
}

async fn refused_version(w: &World, version: Option<&'static str>) {
    let old = w.with(|terms| terms.version = version);
    let kind = ErrorKind::VersionNotSupported;
    old.refused_as(kind, Operation::SendMessage, says("version default")).await;
    old.follow_refused_as(kind, Operation::SendStreamingMessage, says("x")).await;
}

// acts: VER-NEG-001, VER-NEG-002
// tck: VER-SERVER-001, VER-SERVER-002, VER-SERVER-003, VER-CLIENT-002
#[tokio::test]
async fn a_version_that_is_not_served_is_refused_and_a_patch_number_does_not_matter() {
    everywhere(|w| async move {
        w.with(|terms| terms.version = Some("1.0.7")).send("tck-complete-task").await;
        // The client says its own version.
        if let Way::Raw(_) = w.way {
            let seen = w.unseen();
            for version in [Some("99.0"), Some("0.3"), Some(""), None] {
                refused_version(&seen, version).await;
            }
        }
        assert_eq!(w.terms.token, Some(TOKEN));
    })
    .await;
}
