//! Servers: where they are, what they keep, and how they end.

use crate::place::Place;
use sabir_testkit::{Running, patiently};
use std::process::Command;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

#[tokio::test]
async fn up_says_where_the_agents_are_and_what_to_type() {
    let place = Place::new();
    let up = place.serve(&["up", "--listen", "127.0.0.1:0", "--memory"]).await;
    let listening = format!("Listening on {}", up.url());
    while !up.printed().contains(&listening) {
        tokio::task::yield_now().await;
    }
    let printed = up.printed();
    for agent in ["hello", "contract-review", "lamp-shop"] {
        let url = format!("{}/agents/{agent}", up.url());
        assert!(printed.contains(&url), "{printed}");
        place.a2a(&["card", "get", &url]).await.ok();
    }
    assert!(printed.contains("I want to buy a lamp"), "{printed}");
    assert!(!place.dir.join(".sabir").exists());
    let origin = place.a2a(&["card", "get", up.url()]).await.ok();
    assert!(origin.out.contains("/agents/hello"), "{}", origin.out);
}

#[tokio::test]
async fn up_keeps_tasks_in_the_working_directory() {
    let place = Place::new();
    let args = ["up", "--listen", "127.0.0.1:0"];
    let up = place.serve(&args).await;
    let agent = |up: &Running| format!("{}/agents/hello", up.url());
    let id = place.a2a(&["send", "-a", &agent(&up), "hi"]).await.ok().task_id();
    assert!(place.dir.join(".sabir").is_dir());
    assert!(up.stop().await.success());
    let up = place.serve(&args).await;
    let again = place.a2a(&["task", "get", "-a", &agent(&up), &id]).await.ok();
    assert!(again.out.contains("Hello! You said: hi"), "{}", again.out);
}

#[tokio::test]
async fn a_second_server_on_the_same_data_is_told_so() {
    let place = Place::new();
    let up = place.serve(&["up", "--listen", "127.0.0.1:0"]).await;
    let second = place.a2a(&["up", "--listen", "127.0.0.1:0"]).await;
    assert_eq!(second.code, 1, "{second:?}");
    assert!(second.err.starts_with("Error: "), "{}", second.err);
    drop(up);
}

#[cfg(unix)]
#[tokio::test]
async fn a_server_that_is_told_to_end_finishes_what_is_under_way() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let mut child = place.start(&["send", "-a", puppet.url(), "--stream", "slow 2"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    patiently("the task", out.read_line(&mut text)).await.unwrap();
    assert!(text.starts_with("Task:"), "{text}");
    let stopping = puppet.stop();
    let following = async {
        out.read_to_string(&mut text).await.unwrap();
        child.wait().await.unwrap()
    };
    let (server, client) = tokio::join!(stopping, following);
    assert!(server.success() && client.success(), "{text}");
    assert!(text.contains("[status] completed"), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_interrupt_ends_a_server_at_once() {
    let place = Place::new();
    let program = place.sabir().args(["server", "--puppet", "--port", "0", "--quiet"]);
    let puppet = program.env("SABIR_DRAIN", "1h").start().await;
    place.a2a(&["send", "-a", puppet.url(), "--async", "slow 600"]).await.ok();
    let pid = puppet.pid().unwrap().to_string();
    let interrupt =
        || assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    interrupt();
    let said = async {
        while !puppet.printed().contains("Stopping") {
            tokio::task::yield_now().await;
        }
    };
    patiently("the server to say that it stops", said).await;
    assert!(puppet.pid().is_some());
    interrupt();
    let gone = async {
        while Command::new("kill").args(["-0", &pid]).output().unwrap().status.success()
            && !is_zombie(&pid)
        {
            tokio::task::yield_now().await;
        }
    };
    patiently("the server to end", gone).await;
}

/// Whether a process has ended and was only not yet asked how.
#[cfg(unix)]
fn is_zombie(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[tokio::test]
async fn a_port_of_nought_is_any_free_one_and_the_card_names_it() {
    let place = Place::new();
    let echo = place.serve(&["server", "--echo", "--port", "0"]).await;
    assert_ne!(echo.addr().port(), 0);
    let card = place.a2a(&["card", "get", echo.url(), "-o", "json"]).await.ok().json();
    assert_eq!(card["supportedInterfaces"][0]["url"], format!("{}/", echo.url()));
    assert_eq!(card["supportedInterfaces"].as_array().unwrap().len(), 3);
    assert_eq!(card["supportedInterfaces"][2]["url"], echo.addr().to_string());
}

#[tokio::test]
async fn a_card_from_a_file_gets_the_servers_address() {
    let place = Place::new();
    let file = place.dir.write(
        "card.json",
        r#"{"name":"Mine","description":"d","version":"3","capabilities":{"streaming":true},
        "defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
        "supportedInterfaces":[]}"#,
    );
    let args = ["server", "--echo", "--port", "0", "--card", file.to_str().unwrap()];
    let echo = place.serve(&args).await;
    let card = place.a2a(&["card", "get", echo.url(), "-o", "json"]).await.ok().json();
    assert_eq!(card["name"], "Mine");
    assert_eq!(card["supportedInterfaces"][0]["url"], format!("{}/", echo.url()));
}

#[tokio::test]
async fn a_mode_is_required_and_only_one() {
    let place = Place::new();
    assert_eq!(place.a2a(&["server"]).await.code, 2);
    assert_eq!(place.a2a(&["server", "--echo", "--puppet"]).await.code, 2);
    assert_eq!(place.a2a(&["sample", "helo"]).await.code, 2);
}
