//! What is answered is on the disk: the system calls say so.

#![cfg(target_os = "linux")]

use crate::caller::Caller;
use crate::send::Send;
use crate::task;
use sabir_testkit::{DataDir, Program, patiently};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The calls that write to the log of the database, sync it, and write to a caller.
const CALLS: &str = "trace=pwrite64,fsync,fdatasync,write,writev,sendto,sendmsg";
const ANSWERS: usize = 20;

#[tokio::test]
#[ignore = "long"]
async fn nothing_is_answered_before_it_is_synced_long() {
    if !can_trace() {
        println!("skipped: strace is not installed, or may not trace");
        return;
    }
    let data = DataDir::new();
    let trace = DataDir::new();
    let file = trace.join("calls");
    // As a grandchild it traces a process that stays the child of this test.
    let strace = Program::new("strace").args(["-D", "-f", "-y", "-s", "64", "-e", CALLS, "-o"]);
    let sabir = [env!("CARGO_BIN_EXE_sabir"), "server", "--puppet", "--port", "0", "--data"];
    let server = strace.arg(&file).args(sabir).arg(data.path()).start().await;
    let [caller, rest] = Caller::both(&server);
    for number in 0..ANSWERS / 4 {
        let echo = Send::new(format!("echo {number}"));
        caller.send(&echo).await.unwrap();
        rest.send(&echo).await.unwrap();
        let asked = caller.send(&Send::new("ask")).await.unwrap();
        rest.cancel(task::id(task::of(&asked))).await.unwrap();
    }
    server.kill().await;
    let calls = patiently("the trace", whole(&file)).await;
    let answers = check(&calls);
    println!("{answers} answers, each after the sync of what it answers");
    assert_eq!(answers, ANSWERS);
}

fn can_trace() -> bool {
    let mut run = Command::new("strace");
    let run = run.args(["-e", "trace=none", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    run.status().is_ok_and(|status| status.success())
}

/// The trace, once the traced process has ended in it.
async fn whole(file: &Path) -> String {
    loop {
        let calls = std::fs::read_to_string(file).unwrap();
        if calls.contains("+++ killed by SIGKILL +++") {
            return calls;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Requires a sync between the last append and each answer; gives the number of answers.
fn check(calls: &str) -> usize {
    let (mut synced, mut answers) = (true, 0);
    for call in calls.lines() {
        if call.contains("pwrite64(") && call.contains("-wal>") {
            synced = false;
        } else if call.contains("sync") && call.trim_end().ends_with("= 0") {
            synced = true;
        } else if call.contains("HTTP/1.1 200") {
            assert!(synced, "answered before the sync:\n{call}");
            answers += 1;
        }
    }
    answers
}
