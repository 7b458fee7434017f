//! Tasks that take too long, or that nobody reads any more, are stopped.

#![cfg(target_os = "linux")]

use crate::caller::Caller;
use crate::cancel::{assert_still, moves};
use crate::command::Command;
use crate::send::Send;
use crate::task;

#[tokio::test]
async fn a_task_that_passes_its_deadline_is_stopped() {
    let command = Command::new();
    let server = command.program().env("SABIR_TASKS__GRACE", "200ms").start().await;
    let counter = || command.counted();
    for caller in Caller::both(&server) {
        let before = counter();
        let send = Send::new("go").immediately().deadline(1.0);
        let answer = caller.send(&send).await.unwrap();
        let id = task::id(task::of(&answer)).to_owned();
        moves(&counter, before).await;
        let task = caller.ended(&id).await;
        assert_still(&counter, "GetTask").await;
        assert_eq!(task::state(&task), "CANCELED", "{task}");
        assert!(task::said(&task).contains("deadline"), "{task}");
        command.gone().await;
    }
}

#[tokio::test]
async fn a_task_that_nobody_reads_is_stopped() {
    let command = Command::new();
    let server = command.program().env("SABIR_TASKS__ABANDONED", "1s");
    let server = server.env("SABIR_TASKS__GRACE", "200ms").start().await;
    let counter = || command.counted();
    for caller in Caller::both(&server) {
        let before = counter();
        let id = caller.start("go").await;
        moves(&counter, before).await;
        // Nobody looks at the task, only at the process.
        command.gone().await;
        assert_still(&counter, "the process").await;
        let task = caller.ended(&id).await;
        assert_eq!(task::state(&task), "CANCELED", "{task}");
        assert!(task::said(&task).contains("nobody"), "{task}");
    }
}

#[tokio::test]
async fn a_task_that_somebody_reads_is_not_abandoned() {
    let command = Command::new();
    let server = command.program().env("SABIR_TASKS__ABANDONED", "1s");
    let server = server.env("SABIR_TASKS__GRACE", "200ms").start().await;
    let [caller, _] = Caller::both(&server);
    let counter = || command.counted();
    let id = caller.start("go").await;
    let reader = caller.subscribe(&id, None).await.unwrap();
    // Three times the limit, by the counter that moves every 20 ms at most.
    moves(&counter, 150).await;
    assert_eq!(task::state(&caller.get(&id).await.unwrap()), "WORKING");
    drop(reader);
    command.gone().await;
    assert_eq!(task::state(&caller.ended(&id).await), "CANCELED");
}
