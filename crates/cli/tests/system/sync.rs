//! What is answered is on the disk: the system calls say so.

#![cfg(target_os = "linux")]

use crate::caller::Caller;
use crate::send::Send;
use crate::task;
use sabir_testkit::{DataDir, Program, patiently};
use std::collections::BTreeSet;
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
    assert_eq!(unsynced("full").await, 0);
    let without = unsynced("normal").await;
    assert!(without > 0, "this test would not notice a sync that is not there");
    println!("{ANSWERS} answers, each after the sync of what it answers; {without} without FULL");
}

/// How many answers come before the sync of what they answer.
async fn unsynced(synchronous: &str) -> usize {
    let (data, trace) = (DataDir::new(), DataDir::new());
    let file = trace.join("calls");
    // As a grandchild it traces a process that stays the child of this test.
    let strace = Program::new("strace").args(["-D", "-f", "-y", "-s", "64", "-e", CALLS, "-o"]);
    let sabir = [env!("CARGO_BIN_EXE_sabir"), "server", "--puppet", "--port", "0", "--data"];
    let server = strace.arg(&file).args(sabir).arg(data.path());
    let server = server.env("SABIR_SYNCHRONOUS", synchronous).start().await;
    let [caller, rest] = Caller::both(&server);
    for number in 0..ANSWERS / 4 {
        let echo = Send::new(format!("echo {number}"));
        caller.send(&echo).await.unwrap();
        caller.send(&Send::new("msg hello")).await.unwrap();
        let asked = rest.send(&Send::new("ask")).await.unwrap();
        rest.cancel(task::id(task::of(&asked))).await.unwrap();
    }
    server.kill().await;
    let calls = patiently("the trace", whole(&file)).await;
    let answers: Vec<_> = synced(&calls);
    assert_eq!(answers.len(), ANSWERS);
    answers.into_iter().filter(|synced| !synced).count()
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

/// For each answer, whether a sync stands between it and the append before it.
fn synced(calls: &str) -> Vec<bool> {
    let (mut synced, mut answers, mut syncing) = (true, Vec::new(), BTreeSet::new());
    for line in calls.lines() {
        let (process, call) = line.split_once(' ').unwrap();
        let (to_log, done) = (call.contains("-wal>"), call.ends_with("= 0"));
        if call.contains("pwrite64(") && to_log {
            synced = false;
        } else if call.contains("sync(") && to_log {
            synced |= done;
            // Another thread's call was seen meanwhile; the end of this one follows.
            syncing.extend((!done).then_some(process));
        } else if call.contains("sync resumed>") && syncing.remove(process) {
            synced |= done;
        } else if call.contains("HTTP/1.1 200") {
            answers.push(synced);
        }
    }
    answers
}
