//! Cards both ways, and the hybrid one.

use sabir_compat::{card, is_v0_3, kind::Translate, proto};
use sabir_types::{AgentCard, AgentInterface, ErrorKind, SecurityScheme, wire};
use serde_json::{Value, json};

const OLDER: &str = r#"{"protocolVersion":"0.3.0","name":"Weather","description":"d","version":"2","url":"https://w.example/rpc","preferredTransport":"JSONRPC",
 "additionalInterfaces":[{"url":"https://w.example/rpc","transport":"JSONRPC"},{"url":"https://w.example/rpc","transport":"HTTP+JSON"}],
 "capabilities":{"streaming":true,"stateTransitionHistory":true},"supportsAuthenticatedExtendedCard":true,"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
 "skills":[{"id":"s","name":"S","description":"d","tags":["t"],"security":[{"k":[]}]}],
 "securitySchemes":{"k":{"type":"apiKey","in":"header","name":"X-Key"}},"security":[{"k":[]},{"o":["read"]}],"signatures":[{"protected":"p","signature":"s"}]}"#;

fn older() -> AgentCard {
    AgentCard::read(OLDER.as_bytes()).unwrap()
}

fn json(card: AgentCard) -> Value {
    let mut out = Vec::new();
    Translate::write(card, &mut out).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn a_card_of_0_3_reads_as_one_of_1_0() {
    let mut expected: Value = serde_json::from_str(
        r#"{"name":"Weather","description":"d","version":"2",
         "supportedInterfaces":[{"url":"https://w.example/rpc","protocolBinding":"JSONRPC","protocolVersion":"0.3.0"},{"url":"https://w.example/rpc","protocolBinding":"HTTP+JSON","protocolVersion":"0.3.0"}],
         "capabilities":{"streaming":true,"extendedAgentCard":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
         "skills":[{"id":"s","name":"S","description":"d","tags":["t"],"securityRequirements":[{"schemes":{"k":{}}}]}],
         "securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}},"securityRequirements":[{"schemes":{"k":{}}},{"schemes":{"o":{"list":["read"]}}}]}"#,
    )
    .unwrap();
    assert_eq!(serde_json::to_value(older()).unwrap(), expected);
    // And back, without what does not survive.
    let back = json(older());
    expected = serde_json::from_str(OLDER).unwrap();
    let members = expected.as_object_mut().unwrap();
    members.remove("signatures");
    members["capabilities"].as_object_mut().unwrap().remove("stateTransitionHistory");
    assert_eq!(back, expected);
}

#[test]
fn what_a_card_does_not_say_has_its_default() {
    let card = AgentCard::read(br#"{"name":"A","url":"https://a.example"}"#).unwrap();
    let expected = AgentInterface::new("https://a.example", "JSONRPC").with_version("0.3.0");
    assert_eq!(card.supported_interfaces, [expected]);
    let version = |version: &str| {
        let card = format!(r#"{{"name":"A","url":"u","protocolVersion":"{version}"}}"#);
        let card = AgentCard::read(card.as_bytes()).unwrap();
        card.supported_interfaces[0].protocol_version.clone()
    };
    // What 0.2 calls has the same form.
    assert_eq!(version("0.2.6"), "0.3.0");
    assert_eq!(version("0.3.5"), "0.3.5");
    assert_eq!(version("latest"), "latest");
}

#[test]
fn the_first_of_several_flows_is_kept() {
    let card = AgentCard::read(
        br#"{"securitySchemes":{"o":{"type":"oauth2","flows":{"password":{"tokenUrl":"p"},"clientCredentials":{"tokenUrl":"c"}}}}}"#,
    )
    .unwrap();
    let SecurityScheme::OAuth2(oauth2) = &card.security_schemes["o"] else { panic!("{card:?}") };
    let flow = serde_json::to_value(&oauth2.flows).unwrap();
    assert_eq!(flow, json!({"clientCredentials": {"tokenUrl": "c", "scopes": {}}}));
}

#[test]
fn every_scheme_has_its_form_in_openapi() {
    let schemes = json!({
        "basic": {"type": "http", "scheme": "Basic"},
        "bearer": {"type": "http", "description": "d", "scheme": "Bearer", "bearerFormat": "JWT"},
        "key": {"type": "apiKey", "in": "query", "name": "k"},
        "mtls": {"type": "mutualTLS"},
        "oauth": {"type": "oauth2", "oauth2MetadataUrl": "m",
                  "flows": {"authorizationCode": {"authorizationUrl": "a", "tokenUrl": "t", "scopes": {"s": "d"}}}},
        "oidc": {"type": "openIdConnect", "openIdConnectUrl": "u"},
    });
    let card = json!({"url": "u", "securitySchemes": schemes}).to_string();
    let card = AgentCard::read(card.as_bytes()).unwrap();
    assert_eq!(json(card)["securitySchemes"], schemes);
}

#[test]
fn the_protobuf_dialect_writes_security_as_1_0_does() {
    let mut out = Vec::new();
    proto::Translate::write(older(), Default::default(), &mut out).unwrap();
    let card: Value = serde_json::from_slice(&out).unwrap();
    let scheme = json!({"apiKeySecurityScheme": {"location": "header", "name": "X-Key"}});
    assert_eq!(card["securitySchemes"]["k"], scheme);
    assert_eq!(card["security"][1], json!({"schemes": {"o": {"list": ["read"]}}}));
    assert_eq!(card["url"], "https://w.example/rpc");
    assert_eq!(AgentCard::read(&out).unwrap(), older());
}

#[test]
fn a_hybrid_card_is_both_in_one_and_signs_nothing() {
    let card = older().with_interface(AgentInterface::new("https://w.example/new", "JSONRPC"));
    let hybrid = card::hybrid(card.clone()).unwrap();
    assert_eq!(wire::from_json::<AgentCard>(&hybrid).unwrap(), card);
    assert_eq!(card::from_json(&hybrid).unwrap(), older());
    let hybrid: Value = serde_json::from_slice(&hybrid).unwrap();
    let key = json!({"type": "apiKey", "in": "header", "name": "X-Key",
                     "apiKeySecurityScheme": {"location": "header", "name": "X-Key"}});
    assert_eq!(hybrid["securitySchemes"]["k"], key);
    assert_eq!(hybrid["skills"][0]["security"], json!([{"k": []}]));
    assert_eq!(hybrid["skills"][0]["securityRequirements"], json!([{"schemes": {"k": {}}}]));
    assert_eq!(hybrid.get("signatures"), None);
}

#[test]
fn a_card_without_an_interface_of_0_3_cannot_be_written() {
    let card = AgentCard::new("A", "d").with_interface(AgentInterface::new("u", "JSONRPC"));
    let error = Translate::write(card.clone(), &mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::VersionNotSupported);
    assert!(card::hybrid(card).is_err());
}

#[test]
fn versions_from_0_3_up_to_1_0_are_spoken() {
    for version in ["", "0.3", "0.3.0", "0.3.7", "0.4.1", " 0.3 "] {
        assert!(is_v0_3(version), "{version}");
    }
    for version in ["0.2.6", "1.0", "1.0.0", "99.0", "v0.3", "latest"] {
        assert!(!is_v0_3(version), "{version}");
    }
}
