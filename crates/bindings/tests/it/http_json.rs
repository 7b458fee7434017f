//! The HTTP+JSON binding.

use crate::wire::{Fixture, message};
use serde_json::json;

#[tokio::test]
async fn parameters_of_a_query_are_read_as_their_fields() {
    let fixture = Fixture::new().await;
    let query = "contextId=a%2Bb+c&status=TASK_STATE_WORKING&pageSize=7&historyLength=0\
                 &includeArtifacts=true&statusTimestampAfter=2026-01-01T01%3A00%3A00%2B01:00\
                 &pageToken=x%3D%3D&unknown=1";
    let reply = fixture.call("GET", &format!("/tasks?{query}")).await;
    assert_eq!(reply.status(), 200, "{reply:?}");
    let expected = json!({
        "contextId": "a+b c",
        "status": "TASK_STATE_WORKING",
        "pageSize": 7,
        "historyLength": 0,
        "includeArtifacts": true,
        "statusTimestampAfter": "2026-01-01T00:00:00.000Z",
        "pageToken": "x==",
    });
    assert_eq!(fixture.stub.last().request, expected);
    fixture.call("GET", "/tasks?page_size=5&context_id=c").await;
    assert_eq!(fixture.stub.last().request, json!({"contextId": "c", "pageSize": 5}));
    fixture.call("GET", "/tasks/t-1/pushNotificationConfigs?pageSize=3&pageToken=n").await;
    let expected = json!({"taskId": "t-1", "pageSize": 3, "pageToken": "n"});
    assert_eq!(fixture.stub.last().request, expected);
}

#[tokio::test]
async fn a_query_that_cannot_be_read_is_refused_with_the_name_of_the_parameter() {
    let fixture = Fixture::new().await;
    for (query, field) in [
        ("pageSize=many", "pageSize"),
        ("pageSize=", "pageSize"),
        ("pageSize=1&pageSize=2", "pageSize"),
        ("historyLength=1.5", "historyLength"),
        ("includeArtifacts=yes", "includeArtifacts"),
        ("status=WORKING", "status"),
        ("status=TASK_STATE_WORKING&status=TASK_STATE_FAILED", "status"),
        ("statusTimestampAfter=yesterday", "statusTimestampAfter"),
        ("contextId=%FF", "contextId"),
    ] {
        let reply = fixture.call("GET", &format!("/tasks?{query}")).await;
        assert_eq!(reply.status(), 400, "{query}: {reply:?}");
        let error = reply.json();
        let violation = &error["error"]["details"][1]["fieldViolations"][0]["field"];
        assert_eq!(violation, field, "{query}: {error}");
    }
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn a_call_without_a_body_needs_neither_body_nor_type() {
    let fixture = Fixture::new().await;
    let version = ("A2A-Version", "1.0");
    for (headers, body) in [
        (vec![version], ""),
        (vec![version, ("Content-Type", "text/plain")], ""),
        (vec![version, ("Content-Type", "application/json")], ""),
        (vec![version, ("Content-Type", "application/json")], "{}"),
        (vec![version, ("Content-Type", "application/a2a+json")], r#"{"metadata":{"why":"x"}}"#),
    ] {
        let reply = fixture.ask("POST", "/tasks/t:cancel", &headers, body.as_bytes()).await;
        assert_eq!(reply.status(), 200, "{headers:?} {body}: {reply:?}");
        assert_eq!(reply.json()["status"]["state"], "TASK_STATE_CANCELED");
        let reply = fixture.ask("POST", "/tasks/t:subscribe", &headers, body.as_bytes()).await;
        assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    }
    // Where a body is needed, what is missing is named.
    let reply = fixture.call("POST", "/message:send").await;
    assert_eq!((reply.status(), reply.reason()), (400, "INVALID_PARAMS".to_owned()));
    assert!(reply.message().contains("message"), "{}", reply.message());
}

#[tokio::test]
async fn a_body_of_another_type_is_415_in_the_form_of_the_binding() {
    let fixture = Fixture::new().await;
    for media in [Some("text/plain"), Some("application/x-www-form-urlencoded"), None] {
        let mut headers = vec![("A2A-Version", "1.0")];
        headers.extend(media.map(|media| ("Content-Type", media)));
        let reply = fixture.ask("POST", "/message:send", &headers, message("x").as_bytes()).await;
        assert_eq!(reply.status(), 415, "{media:?}");
        assert_eq!(reply.json()["error"]["code"], 415);
        assert_eq!(reply.reason(), "CONTENT_TYPE_NOT_SUPPORTED");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn an_answer_has_the_type_of_its_request_and_an_error_is_always_json() {
    let fixture = Fixture::new().await;
    let (json, a2a) = ("application/json", "application/a2a+json");
    for (headers, expected) in [
        (vec![("Content-Type", json)], json),
        (vec![("Content-Type", a2a)], a2a),
        (vec![("Content-Type", a2a), ("Accept", json)], a2a),
    ] {
        let headers: Vec<_> = [("A2A-Version", "1.0")].into_iter().chain(headers).collect();
        let body = message("x");
        let reply = fixture.ask("POST", "/message:send", &headers, body.as_bytes()).await;
        assert_eq!(reply.header("content-type"), Some(expected), "{headers:?}");
        let body = message("error-INTERNAL_ERROR");
        let reply = fixture.ask("POST", "/message:send", &headers, body.as_bytes()).await;
        assert_eq!((reply.status(), reply.header("content-type")), (500, Some(json)));
    }
    for (accept, expected) in [("*/*", json), (a2a, a2a), ("text/html", json)] {
        let headers = [("A2A-Version", "1.0"), ("Accept", accept)];
        let reply = fixture.ask("GET", "/tasks/t", &headers, b"").await;
        assert_eq!(reply.header("content-type"), Some(expected), "{accept}");
        assert_eq!(reply.header("cache-control"), Some("no-store"));
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_a_parse_error() {
    let fixture = Fixture::new().await;
    for body in [&b"{bad"[..], b"{\"message\":{\"messageId\":\"\xff\xfe\"}}", b"{} {}"] {
        let reply = fixture.post("/message:send", body).await;
        assert_eq!((reply.status(), reply.reason()), (400, "PARSE_ERROR".to_owned()));
    }
}

#[tokio::test]
async fn ids_are_decoded_and_verbs_are_found() {
    let fixture = Fixture::new().await;
    for (method, target, id) in [
        ("GET", "/tasks/a%2Fb%20c", "a/b c"),
        ("GET", "/tasks/a%3Ab", "a:b"),
        ("POST", "/tasks/a:b:cancel", "a:b"),
        ("POST", "/tasks/a%3Acancel", "a"),
        ("GET", "/tasks/%C3%BC:subscribe", "ü"),
    ] {
        let reply = fixture.call(method, target).await;
        assert_eq!(reply.status(), 200, "{target}");
        assert_eq!(fixture.stub.last().request, json!({"id": id}), "{target}");
    }
}

#[tokio::test]
async fn other_paths_are_404_and_other_verbs_405_as_a_status() {
    let fixture = Fixture::new().await;
    for (method, target) in [
        ("GET", "/no-such-thing/at/all"),
        ("POST", "/tasks/t:explode"),
        ("GET", "/tasks/t:explode"),
        ("GET", "/tasks/"),
        ("POST", "/message:sen"),
    ] {
        let reply = fixture.call(method, target).await;
        assert_eq!(reply.status(), 404, "{method} {target}");
        assert_eq!(reply.json()["error"]["code"], 404);
        assert_eq!(reply.json()["error"]["status"], "UNIMPLEMENTED");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    for (method, target, allow) in [
        ("GET", "/message:send", "POST"),
        ("PUT", "/tasks/t/pushNotificationConfigs", "POST, GET"),
        ("DELETE", "/.well-known/agent-card.json", "GET, HEAD"),
        ("PUT", "/", "GET, HEAD, POST"),
    ] {
        let reply = fixture.call(method, target).await;
        assert_eq!(reply.status(), 405, "{method} {target}");
        assert_eq!(reply.json()["error"]["code"], 405);
        assert_eq!(reply.header("allow"), Some(allow));
    }
    // A path that leads nowhere is not about versions.
    assert_eq!(fixture.ask("GET", "/nothing", &[], b"").await.status(), 404);
}

#[tokio::test]
async fn a_tenant_may_stand_in_the_path_the_query_or_the_body_but_not_in_two_ways() {
    let fixture = Fixture::new().await;
    let with_tenant = |tenant: &str| {
        format!(r#"{{"tenant":"{tenant}",{}"#, message("x").strip_prefix('{').unwrap())
    };
    for (target, body) in [
        ("/acme/message:send", message("x")),
        ("/acme/message:send", with_tenant("acme")),
        ("/message:send", with_tenant("acme")),
        ("/message:send?tenant=acme", message("x")),
    ] {
        let reply = fixture.post(target, body).await;
        assert_eq!(reply.status(), 200, "{target}");
        assert_eq!(fixture.stub.last().request["tenant"], "acme", "{target}");
    }
    for target in ["/acme/tasks/t", "/tasks/t?tenant=acme", "/acme/tasks/t?tenant=acme"] {
        assert_eq!(fixture.call("GET", target).await.status(), 200);
        assert_eq!(fixture.stub.last().request, json!({"tenant": "acme", "id": "t"}), "{target}");
    }
    for (method, target, body) in [
        ("POST", "/acme/message:send", with_tenant("other")),
        ("POST", "/message:send?tenant=acme", with_tenant("other")),
        ("GET", "/acme/tasks/t?tenant=other", String::new()),
        ("POST", "/acme/tasks/t:cancel?tenant=other", String::new()),
    ] {
        let headers = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
        let reply = fixture.ask(method, target, &headers, body.as_bytes()).await;
        assert_eq!(
            (reply.status(), reply.reason()),
            (400, "INVALID_PARAMS".to_owned()),
            "{target}"
        );
        assert!(reply.message().starts_with("tenant:"), "{}", reply.message());
    }
}

#[tokio::test]
async fn an_id_that_differs_between_path_and_body_is_refused() {
    let fixture = Fixture::new().await;
    let reply = fixture.post("/tasks/t:cancel", r#"{"id":"u"}"#).await;
    assert_eq!((reply.status(), reply.reason()), (400, "INVALID_PARAMS".to_owned()));
    let hook = r#"{"taskId":"t","url":"https://hook.example"}"#;
    assert_eq!(fixture.post("/tasks/t/pushNotificationConfigs", hook).await.status(), 200);
    assert_eq!(fixture.post("/tasks/u/pushNotificationConfigs", hook).await.status(), 400);
}
