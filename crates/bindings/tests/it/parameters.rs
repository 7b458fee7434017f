//! Service parameters: version, extensions, resumption, deadline, trace.

use crate::stub::EXTENSION;
use crate::wire::{Fixture, Reply, envelope, message};
use std::time::Duration;

/// The same message on both bindings, with these headers.
async fn both(fixture: &Fixture, query: &str, headers: &[(&str, &str)]) -> [Reply; 2] {
    let json = [("Content-Type", "application/json")];
    let headers: Vec<_> = json.into_iter().chain(headers.iter().copied()).collect();
    let rpc = envelope("SendMessage", &message("x"));
    [
        fixture.ask("POST", &format!("/{query}"), &headers, rpc.as_bytes()).await,
        fixture
            .ask("POST", &format!("/message:send{query}"), &headers, message("x").as_bytes())
            .await,
    ]
}

#[tokio::test]
async fn only_version_1_0_is_served_whatever_its_patch_number() {
    let fixture = Fixture::new().await;
    for version in ["1.0", "1.0.7", " 1.0 "] {
        for reply in both(&fixture, "", &[("a2a-version", version)]).await {
            assert_eq!(reply.status(), 200);
            assert!(reply.json().get("error").is_none(), "{version:?}: {reply:?}");
        }
    }
    for version in ["99.9", "0.1", "0.3", "2.0", "1.1", "nonsense", "1", "v1.0"] {
        let [rpc, rest] = both(&fixture, "", &[("A2A-Version", version)]).await;
        assert_eq!((rpc.status(), rpc.code()), (200, -32009), "{version}");
        assert_eq!(rpc.json()["id"], 1, "the answer finds its request");
        assert_eq!((rest.status(), &*rest.reason()), (400, "VERSION_NOT_SUPPORTED"), "{version}");
        assert_eq!(rest.json()["error"]["details"][0]["metadata"]["supportedVersions"], "1.0");
    }
}

#[tokio::test]
async fn without_a_version_the_answer_says_which_header_to_send() {
    let fixture = Fixture::new().await;
    for headers in [&[][..], &[("A2A-Version", "")]] {
        let [rpc, rest] = both(&fixture, "", headers).await;
        assert_eq!((rpc.status(), rpc.code()), (200, -32009));
        assert_eq!(rest.status(), 400);
        for reply in [rpc, rest] {
            assert!(reply.message().contains("A2A-Version: 1.0"), "{}", reply.message());
        }
    }
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn the_version_may_stand_in_the_query_but_the_header_goes_first() {
    let fixture = Fixture::new().await;
    for query in ["?A2A-Version=1.0", "?x=1&a2a-version=1.0.3"] {
        for reply in both(&fixture, query, &[]).await {
            assert!(reply.json().get("error").is_none(), "{query}: {reply:?}");
        }
    }
    for reply in both(&fixture, "?A2A-Version=9.9", &[("A2A-Version", "1.0")]).await {
        assert!(reply.json().get("error").is_none(), "{reply:?}");
    }
    for reply in both(&fixture, "?A2A-Version=1.0", &[("A2A-Version", "9.9")]).await {
        assert_eq!(reply.reason(), "VERSION_NOT_SUPPORTED");
    }
}

#[tokio::test]
async fn what_is_wrong_first_is_said_first() {
    let fixture = Fixture::new().await;
    let text = ("Content-Type", "text/plain");
    // Version, then content type, then JSON, then method, then parameters.
    let code = async |headers: &[(&str, &str)], body: &str| {
        fixture.ask("POST", "/", headers, body.as_bytes()).await.code()
    };
    assert_eq!(code(&[text], "{bad").await, -32009);
    let one = ("A2A-Version", "1.0");
    assert_eq!(code(&[one, text], "{bad").await, -32005);
    let json = ("Content-Type", "application/json");
    assert_eq!(code(&[one, json], "{bad").await, -32700);
    assert_eq!(code(&[one, json], &envelope("Explode", "[]")).await, -32602);
    assert_eq!(code(&[one, json], &envelope("Explode", r#"{"id":7}"#)).await, -32601);
    assert_eq!(code(&[one, json], &envelope("GetTask", r#"{"id":7}"#)).await, -32602);
}

#[tokio::test]
async fn extensions_are_read_from_any_spelling_and_the_activated_ones_come_back() {
    let fixture = Fixture::new().await;
    let other = "https://ext.example/b";
    let list = format!("{EXTENSION}, {other}");
    let blanks = format!(" {EXTENSION} ,, {other} ,{EXTENSION}");
    for headers in [
        vec![("A2A-Extensions", &*list)],
        vec![("A2A-Extensions", EXTENSION), ("A2A-Extensions", other)],
        vec![("a2a-extensions", &*blanks)],
        vec![("X-A2A-Extensions", &*list)],
        vec![("A2A-Extensions", EXTENSION), ("X-A2A-Extensions", other)],
    ] {
        let headers: Vec<_> = [("A2A-Version", "1.0")].into_iter().chain(headers).collect();
        for reply in both(&fixture, "", &headers).await {
            assert_eq!(reply.header("a2a-extensions"), Some(EXTENSION), "{headers:?}");
            assert_eq!(fixture.stub.last().call.extensions, [EXTENSION, other]);
        }
    }
    for reply in both(&fixture, "", &[("A2A-Version", "1.0"), ("A2A-Extensions", other)]).await {
        assert_eq!(reply.header("a2a-extensions"), None);
    }
    let headers = [("A2A-Version", "1.0"), ("A2A-Extensions", EXTENSION)];
    let stream = fixture.ask("GET", "/tasks/t:subscribe", &headers, b"").await;
    assert_eq!(stream.header("a2a-extensions"), Some(EXTENSION));
}

#[tokio::test]
async fn a_stream_goes_on_after_the_last_event_id() {
    let fixture = Fixture::new().await;
    let headers = [("A2A-Version", "1.0"), ("Last-Event-ID", "41")];
    fixture.ask("GET", "/tasks/t:subscribe", &headers, b"").await;
    assert_eq!(fixture.stub.last().call.resume_after, Some(41));
    for bad in ["-1", "x", "1.5", "", "99999999999999999999"] {
        let headers =
            [("A2A-Version", "1.0"), ("Content-Type", "application/json"), ("Last-Event-ID", bad)];
        let rest = fixture.ask("POST", "/tasks/t:subscribe", &headers, b"").await;
        let body = envelope("SubscribeToTask", r#"{"id":"t"}"#);
        let rpc = fixture.ask("POST", "/", &headers, body.as_bytes()).await;
        assert_eq!((rest.status(), rpc.code()), (400, -32602), "{bad:?}");
        assert!(rest.message().starts_with("Last-Event-ID:"), "{}", rest.message());
    }
}

#[tokio::test]
async fn a_deadline_and_a_trace_reach_the_agent() {
    let fixture = Fixture::new().await;
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let one = ("A2A-Version", "1.0");
    for _ in
        both(&fixture, "", &[one, ("Sabir-Task-Deadline", "1.5"), ("traceparent", trace)]).await
    {
        let call = fixture.stub.last().call;
        assert_eq!(call.deadline, Some(Duration::from_millis(1500)));
        assert_eq!(call.trace.as_deref(), Some(trace));
    }
    for bad in ["0", "-3", "soon", "inf"] {
        let [rpc, rest] = both(&fixture, "", &[one, ("Sabir-Task-Deadline", bad)]).await;
        assert_eq!((rpc.code(), rest.status()), (-32602, 400), "{bad}");
        assert!(rest.message().starts_with("Sabir-Task-Deadline:"), "{}", rest.message());
    }
    both(&fixture, "", &[one, ("traceparent", "garbage")]).await;
    assert_eq!(fixture.stub.last().call.trace, None);
}

#[tokio::test]
async fn a_repeated_message_is_marked() {
    let fixture = Fixture::new().await;
    let again = message("again");
    for reply in [
        fixture.rpc("SendMessage", &again).await,
        fixture.post("/message:send", &again).await,
        fixture.rpc("SendStreamingMessage", &again).await,
        fixture.post("/message:stream", &again).await,
    ] {
        assert_eq!(reply.header("idempotent-replayed"), Some("true"));
    }
    assert_eq!(
        fixture.post("/message:send", message("x")).await.header("idempotent-replayed"),
        None
    );
}
