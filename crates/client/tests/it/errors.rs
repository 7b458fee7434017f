//! Every way to fail, told apart.

use crate::fixture::{
    QUICK, Server, builder, client, cut, json_answer, redirect, status, typed, with_header,
};
use axum::response::Response;
use sabir_client::{Client, Failure, Transport};
use sabir_types::{Error, ErrorKind, ErrorTable};
use serde_json::json;
use std::time::Duration;

/// The error of a GetTask that is answered like this, once.
async fn error_of(transport: Transport, answer: Response) -> Error {
    let server = Server::script(vec![answer]).await;
    let builder = builder(&server, transport).retry(sabir_client::RetryPolicy::NEVER);
    let client = builder.connect().await.expect("set up");
    let error = client.get("t").await.expect_err("an error");
    assert_eq!(server.seen().len(), 1);
    error
}

#[tokio::test]
async fn every_error_of_a_server_arrives_with_its_kind_and_message_over_both_transports() {
    for kind in ErrorKind::all() {
        let sent = Error::new(kind, "what happened").with_metadata("taskId", "t");
        let body = json!({"jsonrpc": "2.0", "id": 1, "error": sent.to_jsonrpc_json()});
        let over_rpc = error_of(Transport::JsonRpc, json_answer(&body)).await;
        let code = kind.http_status(ErrorTable::V1_0_1);
        let body = sent.to_status_json(ErrorTable::V1_0_1).to_string();
        let over_rest = error_of(Transport::HttpJson, typed(code, "application/json", body)).await;
        for got in [over_rpc, over_rest] {
            assert_eq!((got.kind(), got.message()), (kind, "what happened"));
            assert_eq!(got.metadata().get("taskId").map(String::as_str), Some("t"));
            assert_eq!(Failure::of(&got), None);
        }
    }
}

#[tokio::test]
async fn an_error_without_details_is_known_by_its_code() {
    let body = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "gone"}});
    let error = error_of(Transport::JsonRpc, json_answer(&body)).await;
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "gone"));
    let body = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "?"}});
    let error =
        error_of(Transport::JsonRpc, typed(400, "application/json", body.to_string())).await;
    assert_eq!(error.kind(), ErrorKind::ParseError);
}

#[tokio::test]
async fn the_status_decides_what_a_servers_own_code_means() {
    let body = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -31999, "message": "who?"}});
    for (code, kind) in [
        (401, ErrorKind::Unauthenticated),
        (403, ErrorKind::Forbidden),
        (429, ErrorKind::RateLimited),
        (418, ErrorKind::Remote),
    ] {
        let answer = typed(code, "application/json", body.to_string());
        let error = error_of(Transport::JsonRpc, with_header(answer, "retry-after", "7")).await;
        assert_eq!((error.kind(), error.message()), (kind, "who?"), "{code}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)));
    }
}

#[tokio::test]
async fn a_web_page_is_no_answer_and_is_quoted_without_control_characters() {
    for transport in Transport::ALL {
        let page = "<html>\r\n<h1>\x1b[31mBad\x07 Gateway</h1>";
        let error = error_of(transport, status(502, page)).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable);
        let Some(Failure::Status { status: 502, excerpt, .. }) = Failure::of(&error) else {
            panic!("{error:?}")
        };
        assert_eq!(excerpt, "<html> <h1> [31mBad Gateway</h1>");
        assert!(error.message().contains("502 Bad Gateway: <html>"), "{error}");
        let long = "x".repeat(100_000);
        let error = error_of(transport, status(404, &long)).await;
        assert!(error.message().len() < 400, "{}", error.message().len());
        let error = error_of(transport, status(200, page)).await;
        assert_eq!(error.kind(), ErrorKind::InvalidAgentResponse);
        assert!(matches!(Failure::of(&error), Some(Failure::Answer { .. })), "{error:?}");
    }
}

#[tokio::test]
async fn answers_that_are_json_and_yet_wrong_are_refused() {
    for body in [
        json!({"jsonrpc": "2.0", "id": 1}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"id": "t"}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"id": 7}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": "t"}),
        json!([]),
    ] {
        let error = error_of(Transport::JsonRpc, json_answer(&body)).await;
        assert_eq!(error.kind(), ErrorKind::InvalidAgentResponse, "{body}");
        assert!(matches!(Failure::of(&error), Some(Failure::Answer { .. })), "{error:?}");
    }
    let error = error_of(Transport::HttpJson, json_answer(&json!({"status": 3}))).await;
    assert!(error.message().contains("no Task: status"), "{error}");
    let server = Server::start(|_, _| json_answer(&json!({}))).await;
    let error = client(&server, Transport::HttpJson).await.send("hi").await.expect_err("nothing");
    assert_eq!(error.kind(), ErrorKind::InvalidAgentResponse);
}

#[tokio::test]
async fn an_answer_beyond_the_bound_is_not_read() {
    let server = Server::start(|_, _| status(200, &"x".repeat(2_000))).await;
    let client = builder(&server, Transport::JsonRpc).max_answer(1_000).connect().await;
    let error = client.expect("set up").get("t").await.expect_err("too large");
    assert!(matches!(Failure::of(&error), Some(Failure::Answer { .. })), "{error:?}");
    assert!(error.message().contains("larger than 1000 bytes"), "{error}");
}

#[tokio::test]
async fn a_refused_connection_a_cut_and_a_timeout_are_told_apart() {
    let error = error_of(Transport::JsonRpc, cut()).await;
    assert!(matches!(Failure::of(&error), Some(Failure::Cut { .. })), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("bound"));
    let build = || Client::builder().endpoint(&*url, Transport::JsonRpc).retry(QUICK);
    // It listens, so it connects; nobody accepts, so nobody answers.
    let after = Duration::from_millis(50);
    let silent = build().timeout(after).connect().await.expect("set up");
    let error = silent.get("t").await.expect_err("silent");
    assert!(
        matches!(Failure::of(&error), Some(Failure::Timeout { after: a, .. }) if *a == after),
        "{error:?}"
    );
    let error = silent.send("hi").await.expect_err("silent");
    assert!(matches!(Failure::of(&error), Some(Failure::Timeout { .. })), "{error:?}");
    drop(listener);
    let error = build().connect().await.expect("set up").get("t").await.expect_err("nobody");
    assert!(matches!(Failure::of(&error), Some(Failure::Unreachable { .. })), "{error:?}");
    let nowhere = Client::builder().endpoint("http://no.such.host.invalid", Transport::JsonRpc);
    let nowhere = nowhere.retry(QUICK).connect().await.expect("set up");
    let error = nowhere.get("t").await.expect_err("nobody");
    assert!(matches!(Failure::of(&error), Some(Failure::Unreachable { .. })), "{error:?}");
}

#[tokio::test]
async fn redirects_of_calls_stay_at_home_and_keep_their_method() {
    for (code, location, reason) in [
        (307, "http://127.0.0.2:9/", "another origin"),
        (302, "/elsewhere", "into a GET"),
        (308, "", "not where to"),
        (307, "http://[", "not a URL"),
    ] {
        let error = error_of(Transport::JsonRpc, redirect(code, location)).await;
        let Some(Failure::Redirect { reason: got, .. }) = Failure::of(&error) else {
            panic!("{error:?}")
        };
        assert!(got.contains(reason), "{location}: {got}");
    }
}

#[tokio::test]
async fn a_set_up_that_cannot_work_is_refused() {
    let setups = [
        Client::builder(),
        Client::builder().endpoint("ftp://h/", Transport::JsonRpc),
        Client::builder().endpoint("h", Transport::JsonRpc),
        Client::builder().endpoint("http://h/", Transport::JsonRpc).parameter("a b", "c"),
        Client::builder().endpoint("http://h/", Transport::JsonRpc).parameter("a", "c\r\nd"),
        Client::builder().endpoint("http://h/", Transport::JsonRpc).bearer("a\nb"),
    ];
    for builder in setups {
        let outcome = builder.connect().await;
        assert!(matches!(outcome, Err(Failure::Setup(_))), "{outcome:?}");
    }
}
