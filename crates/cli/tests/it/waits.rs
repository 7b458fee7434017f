//! Waiting: blocking, by looking again, following, and being interrupted.

use crate::place::Place;
use sabir_testkit::patiently;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

#[tokio::test]
async fn a_task_started_at_once_can_be_waited_for() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let started = place.a2a(&["send", "-a", puppet.url(), "--async", "slow 1"]).await.ok();
    let id = started.task_id();
    assert!(!started.out.contains("completed"), "{}", started.out);
    let args = ["task", "get", "-a", puppet.url(), &id, "--wait", "--poll-interval", "50ms"];
    let done = place.a2a(&args).await.ok();
    assert!(done.out.contains("Status:   completed"), "{}", done.out);
}

#[tokio::test]
async fn a_running_task_can_be_followed_to_its_end() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let id = place.a2a(&["send", "-a", puppet.url(), "--async", "slow 1"]).await.ok().task_id();
    let text = place.a2a(&["task", "subscribe", "-a", puppet.url(), &id]).await.ok();
    assert!(text.out.starts_with("Task:     "), "{}", text.out);
    assert!(text.out.contains("\n[status] completed"), "{}", text.out);
    let id = place.a2a(&["send", "-a", puppet.url(), "--async", "slow 1"]).await.ok().task_id();
    let args = ["task", "subscribe", "-a", puppet.url(), &id, "-o", "json"];
    let task = place.a2a(&args).await.ok().json();
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    let args = ["task", "subscribe", "-a", puppet.url(), &id, "-o", "json"];
    let over = place.a2a(&args).await;
    assert_eq!(
        (over.code, over.json()["error"]["a2aCode"].clone()),
        (1, "UNSUPPORTED_OPERATION".into())
    );
}

#[tokio::test]
async fn a_subscription_ends_for_people_when_the_task_waits_for_them() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let id = place.a2a(&["send", "-a", puppet.url(), "ask"]).await.ok().task_id();
    let ran = place.a2a(&["task", "subscribe", "-a", puppet.url(), &id]).await.ok();
    assert!(ran.out.contains(&format!("Resume:     a2a send --task-id {id}")), "{}", ran.out);
}

#[tokio::test]
async fn an_asked_agent_is_answered_on_the_same_task() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let id = place.a2a(&["send", "-a", puppet.url(), "ask"]).await.ok().task_id();
    let done = place.a2a(&["send", "-a", puppet.url(), "--task-id", &id, "echo yes"]).await.ok();
    assert_eq!(done.task_id(), id);
    assert!(done.out.contains("Status:   completed"), "{}", done.out);
}

#[tokio::test]
async fn a_running_task_is_canceled() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let id = place.a2a(&["send", "-a", puppet.url(), "--async", "slow 60"]).await.ok().task_id();
    let ran = place.a2a(&["task", "cancel", "-a", puppet.url(), &id]).await.ok();
    assert!(ran.out.contains("Status:   canceled"), "{}", ran.out);
}

#[cfg(unix)]
async fn interrupt(child: &Child) {
    let pid = child.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().await.unwrap().success());
}

#[cfg(unix)]
#[tokio::test]
async fn whoever_interrupts_a_wait_learns_how_to_go_on() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let mut child = place.start(&["send", "-a", puppet.url(), "--stream", "slow 60"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = patiently("the task", lines.next_line()).await.unwrap().unwrap();
    let id = first.strip_prefix("Task:     ").unwrap().to_owned();
    interrupt(&child).await;
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).await.unwrap();
    let status = patiently("the end", child.wait()).await.unwrap();
    assert_eq!(status.code(), Some(130), "{said}");
    assert!(said.contains(&format!("a2a task get --wait {id}")), "{said}");

    let mut child = place.start(&["task", "get", "-a", puppet.url(), &id, "--wait", "-v"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    loop {
        let line = patiently("a look", lines.next_line()).await.unwrap().unwrap();
        if line.contains("looking at task") {
            break;
        }
    }
    interrupt(&child).await;
    assert_eq!(patiently("the end", child.wait()).await.unwrap().code(), Some(130));
}

#[cfg(unix)]
#[tokio::test]
async fn output_that_nobody_reads_ends_a_stream_quietly() {
    let place = Place::new();
    let puppet = place.puppet(&["--quiet"]).await;
    let mut child = place.start(&["send", "-a", puppet.url(), "--stream", "slow 60"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    patiently("the task", lines.next_line()).await.unwrap();
    drop(lines);
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).await.unwrap();
    assert_eq!(patiently("the end", child.wait()).await.unwrap().code(), Some(141), "{said}");
    assert_eq!(said, "");
}
