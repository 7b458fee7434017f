//! Every row of the table of codes and exit statuses.

use crate::place::{Place, Ran};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A server that gives every request this answer; nothing means that it never answers.
async fn fake(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            if answer.is_empty() {
                held.push(stream);
                continue;
            }
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    url
}

/// An address where nobody listens.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// Requires the code and exit status of both shapes, as documents on stdout with nothing else.
async fn requires(place: &Place, args: &[&str], official: (&str, i32), spec: (&str, i32)) -> Ran {
    let mut last = None;
    for (shape, (code, status)) in [("official", official), ("spec", spec)] {
        let mut all = args.to_vec();
        all.extend(["-o", "json", "--json-shape", shape]);
        let ran = place.a2a(&all).await;
        assert_eq!(ran.json()["error"]["code"], code, "{all:?}: {ran:?}");
        assert_eq!(ran.code, status, "{all:?}: {ran:?}");
        last.get_or_insert(ran);
    }
    last.unwrap()
}

#[tokio::test]
async fn a_wrong_command_line_is_a_usage_failure() {
    let place = Place::new();
    let usage = ("A2ACLI_ERR_USAGE", 2);
    let url = nobody().await;
    for args in [
        vec!["send", "--nope", "hi"],
        vec!["task", "get"],
        vec!["send", "-a", &url],
        vec!["send", "hi"],
        vec!["send", "-a", &url, "--stream", "--async", "hi"],
        vec!["send", "-a", &url, "--metadata", "[1]", "hi"],
        vec!["send", "-a", &url, "--data", "{no"],
        vec!["send", "-a", &url, "--timeout", "soon", "hi"],
        vec!["send", "-a", &url, "--transport", "pigeon", "hi"],
        vec!["send", "-a", &url, "-e", &url, "--transport", "rest", "hi"],
        vec!["send", "-e", &url, "hi"],
        vec!["send", "-a", "ftp://example.org", "hi"],
        vec!["task", "list", "-a", &url, "--status", "done"],
    ] {
        requires(&place, &args, usage, usage).await;
    }
}

#[tokio::test]
async fn an_error_of_the_agent_is_a_protocol_failure_with_its_reason() {
    let place = Place::new();
    let hello = place.serve(&["sample", "hello", "--port", "0"]).await;
    for transport in ["jsonrpc", "rest", "grpc"] {
        let args = ["task", "get", "-a", hello.url(), "nope", "--transport", transport];
        let official = ("A2ACLI_ERR_PROTOCOL", 1);
        let ran = requires(&place, &args, official, ("TaskNotFoundError", 1)).await;
        let error = &ran.json()["error"];
        assert_eq!(error["a2aCode"], "TASK_NOT_FOUND", "{transport}");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("failed to get task nope: "), "{message}");
    }
    let text = place.a2a(&["task", "get", "-a", hello.url(), "nope"]).await;
    assert_eq!(text.out, "");
    assert!(text.err.starts_with("Error: failed to get task nope: "), "{}", text.err);
    assert!(text.err.contains("\nhint: "), "{}", text.err);
}

#[tokio::test]
async fn a_task_that_is_not_there_is_never_made_anew() {
    let place = Place::new();
    let hello = place.serve(&["sample", "hello", "--port", "0"]).await;
    let args = ["send", "-a", hello.url(), "--task-id", "nope", "hi"];
    requires(&place, &args, ("A2ACLI_ERR_PROTOCOL", 1), ("TaskNotFoundError", 1)).await;
    let list = place.a2a(&["task", "list", "-a", hello.url(), "-o", "json"]).await.ok().json();
    assert_eq!(list["totalSize"], 0);
}

#[tokio::test]
async fn an_agent_that_cannot_be_reached_is_an_io_failure() {
    let place = Place::new();
    let url = nobody().await;
    let (official, spec) = (("A2ACLI_ERR_IO", 3), ("A2ACLI_ERR_UNREACHABLE", 3));
    let ran = requires(&place, &["send", "-a", &url, "hi"], official, spec).await;
    let message = ran.json()["error"]["message"].clone();
    assert!(message.as_str().unwrap().starts_with("failed to resolve agent card: "), "{message}");
    let direct = ["send", "-e", &url, "--transport", "jsonrpc", "hi"];
    let ran = requires(&place, &direct, official, spec).await;
    let message = ran.json()["error"]["message"].clone();
    assert!(message.as_str().unwrap().starts_with("failed to send message: "), "{message}");
}

#[tokio::test]
async fn what_is_no_card_is_a_card_failure() {
    let place = Place::new();
    let official = ("A2ACLI_ERR_CARD_INVALID", 4);
    let invalid = ("A2ACLI_ERR_CARD_INVALID", 1);
    let missing = fake("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    let missing = missing.await;
    let not_found = ("A2ACLI_ERR_CARD_NOT_FOUND", 3);
    requires(&place, &["card", "get", &missing], official, not_found).await;
    let text = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
    requires(&place, &["card", "get", &fake(text).await], official, invalid).await;
    let empty = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    requires(&place, &["card", "get", &fake(empty).await], official, invalid).await;
    let broken = "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    requires(&place, &["card", "get", &fake(broken).await], official, invalid).await;
}

#[tokio::test]
async fn credentials_that_are_missing_or_wrong_are_told_apart() {
    let place = Place::new();
    place.dir.write("sabir.toml", "[[users]]\nname = \"alice\"\ntoken = \"s3cret\"\n");
    let hello = place.serve(&["sample", "hello", "--port", "0"]).await;
    let official = ("A2ACLI_ERR_PROTOCOL", 1);
    let args = ["send", "-a", hello.url(), "hi"];
    let ran = requires(&place, &args, official, ("A2ACLI_ERR_CREDENTIALS_MISSING", 4)).await;
    assert_eq!(ran.json()["error"]["a2aCode"], "UNAUTHENTICATED");
    let args = ["send", "-a", hello.url(), "--bearer", "wrong", "hi"];
    requires(&place, &args, official, ("A2ACLI_ERR_AUTH_FAILED", 4)).await;
    place.a2a(&["send", "-a", hello.url(), "--bearer", "s3cret", "hi"]).await.ok();
    let debug = ["send", "-a", hello.url(), "--bearer", "s3cret", "--debug", "-v", "hi"];
    let debug = place.a2a(&debug).await.ok();
    assert!(debug.err.contains("> POST"), "{}", debug.err);
    assert!(!debug.err.contains("s3cret"), "{}", debug.err);
}

#[tokio::test]
async fn time_that_runs_out_is_a_timeout() {
    let place = Place::new();
    let timeout = ("A2ACLI_ERR_TIMEOUT", 5);
    let silent = fake("").await;
    requires(&place, &["card", "get", &silent, "--timeout", "50ms"], timeout, timeout).await;
    let puppet = place.puppet(&["--quiet"]).await;
    // However slow the machine: one of these is long enough for the task to be known.
    for time in ["500ms", "2s", "8s", "25s"] {
        let args = ["send", "-a", puppet.url(), "--stream", "--timeout", time, "slow 60"];
        let text = place.a2a(&args).await;
        assert_eq!(text.code, 5, "{text:?}");
        if text.out.starts_with("Task:") {
            let id = text.task_id();
            assert!(text.err.contains(&format!("a2a task get --wait {id}")), "{}", text.err);
            break;
        }
        assert_ne!(time, "25s", "{text:?}");
    }
    let args =
        ["send", "-a", puppet.url(), "--stream", "--timeout", "500ms", "slow 60", "-o", "json"];
    let lines = place.a2a(&args).await.lines();
    assert_eq!(lines.last().unwrap()["error"]["code"], "A2ACLI_ERR_TIMEOUT");
}

#[tokio::test]
async fn anything_else_is_internal() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let ran = place.a2a(&["server", "--echo", "--port", &port]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("choose another port"), "{}", ran.err);
}

#[tokio::test]
async fn what_a_task_ended_as_is_no_failure_of_the_call() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    for (say, state, warning) in [
        ("fail-after", "failed", "warning: the task failed"),
        ("reject", "rejected", "warning: the agent rejected the task"),
        ("ask", "input-required", "warning: the task waits for your answer"),
        ("auth", "auth-required", "warning: the task waits for authentication"),
    ] {
        let ran = place.a2a(&["send", "-a", puppet.url(), say]).await.ok();
        assert!(ran.out.contains(&format!("Status:   {state} ")), "{}", ran.out);
        assert!(ran.err.contains(warning), "{}", ran.err);
    }
}

#[tokio::test]
async fn a_call_without_the_version_names_the_header() {
    let place = Place::new();
    let shop = place.serve(&["sample", "lamp-shop", "--port", "0"]).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message":
        {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "I want to buy a lamp"}]}}});
    let body = body.to_string();
    let mut stream = tokio::net::TcpStream::connect(shop.addr()).await.unwrap();
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        shop.addr(),
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("-32009") && answer.contains("A2A-Version"), "{answer}");
}
