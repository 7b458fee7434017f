//! The shapes of results, as text and as JSON.

use crate::place::Place;
use serde_json::json;

#[tokio::test]
async fn send_prints_the_bare_task_or_the_wrapper_of_the_specification() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let send = |say: &'static str, shape: &'static str| {
        let url = puppet.url().to_owned();
        let place = &place;
        async move {
            let args = ["send", "-a", &url, say, "-o", "json", "--json-shape", shape];
            place.a2a(&args).await.ok()
        }
    };
    let bare = send("echo hi", "official").await;
    assert_eq!(bare.json()["artifacts"][0]["parts"], json!([{"text": "hi"}]));
    assert!(bare.out.starts_with("{\n  \"id\": "), "{}", bare.out);
    assert!(bare.out.ends_with("}\n"));
    assert_eq!(
        send("echo hi", "spec").await.json()["task"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    assert_eq!(send("msg hi", "official").await.json()["parts"], json!([{"text": "hi"}]));
    assert_eq!(send("msg hi", "spec").await.json()["message"]["role"], "ROLE_AGENT");
    let text = place.a2a(&["send", "-a", puppet.url(), "msg hi"]).await.ok();
    assert_eq!(text.out, "[agent] hi\n");
}

#[tokio::test]
async fn a_stream_is_one_event_a_line_and_ends_with_where_the_task_is() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let text = place.a2a(&["send", "-a", puppet.url(), "--stream", "chunks a|b|c"]).await.ok();
    let updates: Vec<&str> =
        text.out.lines().filter(|line| line.starts_with("[artifact")).collect();
    assert_eq!(updates, ["[artifact] a", "[artifact+] b", "[artifact+] c"]);
    let end = "\n\nTask:     <id>\nContext:  <id>\nStatus:   completed (<time>)\n  done\n";
    assert!(text.plain().ends_with(end), "{}", text.out);
    let args = ["send", "-a", puppet.url(), "--stream", "chunks a|b|c", "-o", "json"];
    let lines = place.a2a(&args).await.ok().lines();
    assert!(lines[0]["task"].is_object(), "{lines:?}");
    let last = &lines.last().unwrap()["statusUpdate"]["status"]["state"];
    assert_eq!(last, "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn an_agent_that_does_not_stream_is_looked_at_instead() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet", "--no-streaming"]).await;
    let args = [
        "send",
        "-a",
        puppet.url(),
        "--stream",
        "slow 1",
        "-o",
        "jsonl",
        "--poll-interval",
        "100ms",
    ];
    let lines = place.a2a(&args).await.ok().lines();
    assert!(lines[0]["task"].is_object(), "{lines:?}");
    let last = &lines.last().unwrap()["statusUpdate"]["status"]["state"];
    assert_eq!(last, "TASK_STATE_COMPLETED");
    let reply = ["send", "-a", puppet.url(), "--stream", "msg hi", "-o", "json"];
    let lines = place.a2a(&reply).await.ok().lines();
    assert_eq!(lines[0]["message"]["parts"][0]["text"], "hi");
    assert_eq!(lines.len(), 1);
}

#[tokio::test]
async fn a_message_streams_as_one_line() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let args = ["send", "-a", puppet.url(), "--stream", "msg hi", "-o", "json"];
    let ran = place.a2a(&args).await.ok();
    assert_eq!(ran.lines().len(), 1);
    assert_eq!(ran.lines()[0]["message"]["parts"][0]["text"], "hi");
}

#[tokio::test]
async fn tasks_are_listed_with_their_states_and_a_token_for_the_next_page() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    for say in ["echo 1", "ask", "echo 2"] {
        place.a2a(&["send", "-a", puppet.url(), say]).await.ok();
    }
    let all = place.a2a(&["task", "list", "-a", puppet.url()]).await.ok();
    let lines: Vec<&str> = all.out.lines().collect();
    assert_eq!(lines[0], format!("{:<36}  {:<14}  CONTEXT", "ID", "STATUS"));
    assert_eq!(lines.len(), 4);
    let page = ["task", "list", "-a", puppet.url(), "--limit", "2"];
    let page = place.a2a(&page).await.ok();
    let token = page.out.lines().last().unwrap().strip_prefix("Next page token: ").unwrap();
    let rest = ["task", "list", "-a", puppet.url(), "--limit", "2", "--page-token", token];
    assert_eq!(place.a2a(&rest).await.ok().out.lines().count(), 2);
    let args = ["task", "list", "-a", puppet.url(), "--status", "input-required", "-o", "json"];
    assert_eq!(place.a2a(&args).await.ok().json()["totalSize"], 1);
    let args = ["task", "list", "-a", puppet.url(), "-o", "jsonl"];
    assert_eq!(place.a2a(&args).await.ok().lines().len(), 3);
}

#[tokio::test]
async fn text_from_an_agent_cannot_steer_the_terminal() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let say = "echo \u{1b}[31mred\u{7}\nStatus:   completed";
    let ran = place.a2a(&["send", "-a", puppet.url(), say]).await.ok();
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{7}'), "{:?}", ran.out);
    let statuses = ran.out.lines().filter(|line| line.starts_with("Status:")).count();
    assert_eq!(statuses, 1, "{}", ran.out);
}

#[tokio::test]
async fn a_card_is_printed_as_it_was_received() {
    let place = Place::new();
    let file = place.dir.write(
        "card.json",
        r#"{"name":"X","description":"d","version":"1","capabilities":{},"defaultInputModes":["text/plain"],
        "defaultOutputModes":["text/plain"],"skills":[],"x-unknown":[1],
        "supportedInterfaces":[{"url":"http://127.0.0.1:1","protocolBinding":"GRPC","protocolVersion":"1.0"}]}"#,
    );
    let json = place.a2a(&["card", "get", file.to_str().unwrap(), "-o", "json"]).await.ok().json();
    assert_eq!(json["x-unknown"], json!([1]));
}

#[tokio::test]
async fn numbers_are_text_and_flags_may_stand_anywhere() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let url = puppet.url();
    for (args, text) in [
        (vec!["send", "-a", url, "80"], "80"),
        (vec!["-a", url, "send", "80"], "80"),
        (vec!["send", "80", "-a", url], "80"),
        (vec!["send", "-a", url, "--", "-5"], "-5"),
        (vec!["send", "-a", "http://127.0.0.1:1", "-a", url, "80"], "80"),
    ] {
        let ran = place.a2a(&args).await.ok();
        assert!(ran.out.contains(&format!("] {text}\n")), "{args:?}: {}", ran.out);
    }
}

#[tokio::test]
async fn parts_arrive_in_order_with_their_types() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet", "--input-modes", "any"]).await;
    let file = place.dir.write("note.txt", "hello");
    let args = [
        "send",
        "-a",
        puppet.url(),
        "echo",
        "--data",
        r#"{"a":1}"#,
        "--file",
        file.to_str().unwrap(),
        "--text",
        "x",
        "--media-type",
        "text/markdown",
        "-o",
        "json",
        "--metadata",
        r#"{"k":1}"#,
    ];
    let task = place.a2a(&args).await.ok().json();
    let parts = &task["history"][0]["parts"];
    assert_eq!(parts[0]["text"], "echo");
    assert_eq!(parts[1]["data"], json!({"a": 1}));
    assert_eq!(parts[2]["raw"], "aGVsbG8=");
    assert_eq!(parts[2]["filename"], "note.txt");
    assert_eq!(parts[3]["mediaType"], "text/markdown");
}
