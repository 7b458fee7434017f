//! Who is asking, and what the card says about it.

use crate::wire::{Fixture, Reply, envelope, message};
use sabir_bindings::{ServerConfig, StaticTokens};
use sabir_types::Principal;
use serde_json::json;
use std::sync::Arc;

fn users() -> StaticTokens {
    StaticTokens::new()
        .bearer("token-of-alice", Principal::new("alice"))
        .api_key("key-of-bob", Principal::new("bob"))
        .api_key("key-of-alice", Principal::new("alice"))
        .api_key_header("x-key".parse().unwrap())
}

async fn guarded(users: StaticTokens) -> Fixture {
    Fixture::of(ServerConfig::default(), |routes| routes.authenticator(Arc::new(users))).await
}

async fn both(fixture: &Fixture, headers: &[(&str, &str)]) -> [Reply; 2] {
    let ours = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
    let headers: Vec<_> = ours.into_iter().chain(headers.iter().copied()).collect();
    let rpc = envelope("SendMessage", &message("x"));
    [
        fixture.ask("POST", "/", &headers, rpc.as_bytes()).await,
        fixture.ask("POST", "/message:send", &headers, message("x").as_bytes()).await,
    ]
}

#[tokio::test]
async fn a_known_credential_is_its_principal() {
    let fixture = guarded(users()).await;
    for (headers, who) in [
        (vec![("Authorization", "Bearer token-of-alice")], "alice"),
        (vec![("authorization", "bearer  token-of-alice ")], "alice"),
        (vec![("X-Key", "key-of-bob")], "bob"),
        (vec![("Authorization", "Bearer token-of-alice"), ("X-Key", "key-of-alice")], "alice"),
    ] {
        for reply in both(&fixture, &headers).await {
            assert_eq!(reply.status(), 200, "{headers:?}");
            assert_eq!(fixture.stub.last().call.principal.id(), who);
        }
    }
}

#[tokio::test]
async fn a_wrong_or_missing_credential_is_401_with_a_challenge_and_never_anonymous() {
    for users in [users(), users().allow_anonymous()] {
        let fixture = guarded(users).await;
        for headers in [
            vec![("Authorization", "Bearer wrong")],
            vec![("Authorization", "Bearer")],
            vec![("Authorization", "Basic YTpi")],
            vec![("Authorization", "")],
            vec![("X-Key", "wrong")],
            vec![("X-Key", "token-of-alice")],
            vec![("Authorization", "Bearer key-of-bob")],
            vec![("Authorization", "Bearer token-of-alice"), ("X-Key", "wrong")],
            vec![("Authorization", "Bearer token-of-alice"), ("X-Key", "key-of-bob")],
            vec![("X-Key", "key-of-bob"), ("X-Key", "key-of-alice")],
        ] {
            let [rpc, rest] = both(&fixture, &headers).await;
            assert_eq!((rpc.status(), rest.status()), (401, 401), "{headers:?}");
            assert_eq!(rpc.json()["id"], json!(null));
            for reply in [rpc, rest] {
                assert_eq!(reply.reason(), "UNAUTHENTICATED");
                let challenge = reply.header("www-authenticate");
                assert_eq!(challenge, Some("Bearer, ApiKey header=\"x-key\""));
                let shown = String::from_utf8_lossy(&reply.body);
                assert!(!shown.contains("wrong") && !shown.contains("key-of"), "{shown}");
            }
        }
        assert_eq!(fixture.stub.count(), 0);
    }
    let fixture = guarded(users()).await;
    for reply in both(&fixture, &[]).await {
        assert_eq!(reply.status(), 401);
        assert!(reply.message().contains("x-key"), "{}", reply.message());
    }
}

#[tokio::test]
async fn callers_without_a_credential_are_anonymous_where_that_is_allowed() {
    let fixture = guarded(users().allow_anonymous()).await;
    for reply in both(&fixture, &[]).await {
        assert_eq!(reply.status(), 200);
        assert!(fixture.stub.last().call.principal.is_anonymous());
    }
}

#[tokio::test]
async fn who_is_asking_goes_before_everything_else() {
    let fixture = guarded(users()).await;
    for (method, target) in [("GET", "/nothing"), ("PUT", "/tasks"), ("GET", "/tasks")] {
        assert_eq!(fixture.ask(method, target, &[], b"").await.status(), 401, "{target}");
    }
    assert_eq!(fixture.ask("POST", "/", &[], b"{bad").await.status(), 401);
}

#[tokio::test]
async fn the_card_is_public_and_says_how_to_authenticate() {
    let fixture = guarded(users()).await;
    let card = fixture.ask("GET", "/.well-known/agent-card.json", &[], b"").await.json();
    let schemes = json!({
        "bearer": {"httpAuthSecurityScheme": {"scheme": "Bearer"}},
        "apiKey": {"apiKeySecurityScheme": {"location": "header", "name": "x-key"}},
    });
    assert_eq!(card["securitySchemes"], schemes);
    let requirements = json!([{"schemes": {"bearer": {}}}, {"schemes": {"apiKey": {}}}]);
    assert_eq!(card["securityRequirements"], requirements);

    let open = Fixture::new().await;
    let card = open.ask("GET", "/.well-known/agent-card.json", &[], b"").await.json();
    assert_eq!(card.get("securitySchemes"), None);
}

#[tokio::test]
async fn an_empty_credential_is_nobodys_even_where_one_is_configured() {
    let nobody =
        StaticTokens::new().bearer("", Principal::new("x")).api_key("", Principal::new("y"));
    let fixture = guarded(nobody).await;
    for header in [("Authorization", "Bearer "), ("X-API-Key", "")] {
        assert_eq!(both(&fixture, &[header]).await[0].status(), 401, "{header:?}");
    }
}

#[test]
fn credentials_do_not_show() {
    let shown = format!("{:?}", users());
    assert!(!shown.contains("alice") && !shown.contains("key-of"), "{shown}");
}
