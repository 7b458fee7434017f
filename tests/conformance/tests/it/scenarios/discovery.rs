//! The card, in every profile.

use crate::world::agent;
use sabir_conformance::Profile;
use sabir_testkit::{Head, RawConnection};
use serde_json::Value;
use std::net::SocketAddr;

async fn card(addr: SocketAddr) -> (Head, Value) {
    let mut connection = RawConnection::open(addr).await;
    connection.request("GET", "/.well-known/agent-card.json", &[], b"").await;
    let head = connection.head().await;
    let card = serde_json::from_slice(&connection.body().await).unwrap();
    (head, card)
}

// acts: CARD-DISC-001, CARD-DISC-002, CARD-DISC-003, CARD-DISC-004, CARD-DISC-005, CARD-DISC-006
// acts: CARD-DISC-007, CARD-SCHEMA-001
// tck: CARD-DISC-001, CARD-PROTO-001, CARD-PROTO-002, CARD-STRUCT-001, BIND-FIELD-001
#[tokio::test]
async fn the_card_is_open_and_complete_in_every_profile() {
    for variable in ["", "ITK_ACTS_REDUCED_CAPABILITIES", "ITK_ACTS_AUTH"] {
        let profile = Profile::default().for_acts(|name| (name == variable).then(|| "1".into()));
        let (_serving, addr) = agent(&profile).await;
        let (head, card) = card(addr).await;
        assert_eq!(head.status, 200);
        for text in ["name", "description", "version"] {
            assert!(card[text].as_str().is_some_and(|text| !text.is_empty()), "{text}");
        }
        for list in ["skills", "defaultInputModes", "defaultOutputModes"] {
            assert!(card[list].as_array().is_some_and(|list| !list.is_empty()), "{list}");
        }
        assert!(card["skills"][0]["id"].is_string() && card["skills"][0]["name"].is_string());
        let interfaces = card["supportedInterfaces"].as_array().unwrap();
        let bindings: Vec<_> = interfaces.iter().map(|one| &one["protocolBinding"]).collect();
        assert_eq!(bindings, ["JSONRPC", "HTTP+JSON", "GRPC"]);
        assert!(interfaces.iter().all(|one| one["protocolVersion"] == "1.0"));
        assert_eq!(interfaces[0]["url"], format!("http://{addr}/"));
        assert_eq!(interfaces[1]["url"], format!("http://{addr}"));
        assert_eq!(interfaces[2]["url"], addr.to_string());
        let (reduced, auth) = (variable.contains("REDUCED"), variable.contains("AUTH"));
        for capability in ["streaming", "pushNotifications", "extendedAgentCard"] {
            assert_eq!(card["capabilities"][capability], !reduced, "{capability}");
        }
        assert_eq!(card.get("securitySchemes").is_some(), auth);
        assert_eq!(card.get("securityRequirements").is_some(), auth);
    }
}

// acts: CARD-CACHE-001
// tck: CARD-CACHE-001, CARD-CACHE-002, CARD-CACHE-003
#[tokio::test]
async fn the_card_may_be_kept_for_a_while() {
    let (_serving, addr) = agent(&Profile::default()).await;
    let (head, _) = card(addr).await;
    assert!(head.header("cache-control").unwrap().contains("max-age="));
    assert!(head.header("etag").is_some() && head.header("last-modified").is_some());
}
