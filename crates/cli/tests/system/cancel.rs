//! Cancellation: CANCELED is never said while a side effect still happens.

use crate::agent::{effects, puppet_on};
use crate::caller::{Caller, Failure};
#[cfg(target_os = "linux")]
use crate::command::Command;
use crate::task;
use sabir_testkit::{DataDir, patiently};
use std::time::Duration;
use tokio::time::sleep;

/// Many times as long as the puppet and the command take from one side effect to the next.
const STILL: Duration = Duration::from_millis(400);

/// Who looks at a counter outside of the server.
type Counter<'a> = &'a dyn Fn() -> usize;

#[tokio::test]
async fn a_stubborn_executor_is_not_canceled_before_it_stops() {
    stubborn(2, "100ms").await;
}

#[tokio::test]
#[ignore = "long"]
async fn a_stubborn_executor_is_not_canceled_before_it_stops_long() {
    stubborn(10, "5s").await;
}

/// The executor goes on for longer than CancelTask waits, which is the grace and a second.
async fn stubborn(seconds: u64, grace: &str) {
    let data = DataDir::new();
    let server = puppet_on(&data).env("SABIR_TASKS__GRACE", grace).start().await;
    let counter = || effects(&data);
    for caller in Caller::both(&server) {
        let before = counter();
        let id = caller.start(&format!("stubborn {seconds}")).await;
        moves(&counter, before).await;
        let answer = watch_cancel(&caller, &id, &counter).await;
        println!("stubborn {seconds}, grace {grace}: CancelTask answered {answer:?}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_command_that_ignores_signals_is_gone_before_its_task_is_canceled() {
    ignoring("300ms").await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "long"]
async fn a_command_that_ignores_signals_is_gone_before_its_task_is_canceled_long() {
    ignoring("5s").await;
}

#[cfg(target_os = "linux")]
async fn ignoring(grace: &str) {
    let command = Command::new();
    let server = command.program().env("SABIR_TASKS__GRACE", grace).start().await;
    let counter = || command.counted();
    for caller in Caller::both(&server) {
        let before = counter();
        let id = caller.start("go").await;
        moves(&counter, before).await;
        let answer = watch_cancel(&caller, &id, &counter).await;
        println!("a deaf command, grace {grace}: CancelTask answered {answer:?}");
        command.gone().await;
    }
}

/// Waits until the counter is beyond `from`.
pub(crate) async fn moves(counter: Counter<'_>, from: usize) {
    let moves = async {
        while counter() <= from {
            sleep(Duration::from_millis(5)).await;
        }
    };
    patiently("a side effect", moves).await;
}

/// Looks at a counter that must not move any more.
pub(crate) async fn assert_still(counter: Counter<'_>, who: &str) {
    let said = counter();
    sleep(STILL).await;
    assert_eq!(counter(), said, "{who} said that it had stopped, and it went on");
}

/// Cancels, and looks at the task in three ways; whoever says CANCELED must be right. Gives the
/// state that CancelTask answered.
async fn watch_cancel(caller: &Caller, id: &str, counter: Counter<'_>) -> Result<String, Failure> {
    let mut stream = caller.subscribe(id, None).await.unwrap();
    let canceling = async {
        let answer = caller.cancel(id).await;
        if answer.as_ref().is_ok_and(|task| task::state(task) == "CANCELED") {
            assert_still(counter, "CancelTask").await;
        }
        answer
    };
    let following = async {
        stream.until(|event| event.state().is_some_and(|state| task::is_terminal(&state))).await;
        assert_still(counter, "the stream").await;
    };
    let polling = async {
        let task = caller.ended(id).await;
        assert_still(counter, "GetTask").await;
        task
    };
    let (answer, (), task) = tokio::join!(canceling, following, polling);
    assert_eq!(task::state(&task), "CANCELED", "{task}");
    assert_eq!(stream.next().await, Ok(None));
    answer.map(|task| task::state(&task).to_owned())
}
