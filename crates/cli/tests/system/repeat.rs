//! The same message many times: one task, one start, the same answer to everybody.

use crate::agent::{puppet_on, starts};
use crate::caller::{BINDINGS, Binding, Caller, Failure};
use crate::dice;
use crate::events::{Event, ends};
use crate::send::Send;
use crate::task;
use sabir_testkit::{DataDir, Running};
use serde_json::Value;
use std::time::Duration;
use tokio::task::JoinSet;

/// How many send the same message at once.
const SENDERS: usize = 100;

/// What one of them got.
#[derive(Debug)]
enum Got {
    Answer(Value),
    Events(Vec<Event>),
}

#[tokio::test]
async fn a_message_that_is_repeated_is_one_task_with_one_start() {
    for binding in BINDINGS {
        repeat(&[binding], "chunks a|b|c").await;
    }
    repeat(&BINDINGS, "slow 1").await;
    repeat(&BINDINGS, "ask").await;
    repeat(&BINDINGS, "fail-before").await;
}

/// At once, again afterwards, and again after a crash.
async fn repeat(bindings: &[Binding], script: &str) {
    let data = DataDir::new();
    let program = puppet_on(&data);
    let server = program.start().await;
    let send = Send::new(script);
    let at_once = one(all(&server, bindings, &send).await);
    let afterwards = one(all(&server, bindings, &send).await);
    assert_eq!(afterwards, at_once, "{script}: afterwards");
    server.kill().await;
    let server = program.start().await;
    let restarted = one(all(&server, bindings, &send).await);
    assert_eq!(restarted, at_once, "{script}: after a crash");
    assert_eq!(starts(&data, &send.id), 1, "{script}");
    assert_eq!(tasks(&server).await, 1, "{script}");
}

#[tokio::test]
async fn a_bare_reply_that_is_repeated_is_one_start() {
    let data = DataDir::new();
    let program = puppet_on(&data);
    let send = Send::new("msg hello");
    let mut replies = Vec::new();
    for _ in 0..2 {
        let server = program.start().await;
        for got in all(&server, &BINDINGS, &send).await {
            replies.push(match got {
                Ok(Got::Answer(answer)) => answer,
                Ok(Got::Events(events)) => {
                    assert_eq!(events.len(), 1, "{events:?}");
                    events[0].value()
                }
                Err(failure) => panic!("{failure:?}"),
            });
        }
        assert_eq!(tasks(&server).await, 0);
        server.kill().await;
    }
    assert_eq!(replies.len(), 2 * SENDERS);
    assert!(replies[0].get("message").is_some(), "{}", replies[0]);
    assert!(replies.iter().all(|reply| *reply == replies[0]), "{replies:#?}");
    assert_eq!(starts(&data, &send.id), 1);
}

#[tokio::test]
async fn a_message_that_is_repeated_after_a_crash_in_between_starts_once() {
    crash_in_between(6).await;
}

#[tokio::test]
#[ignore = "long"]
async fn a_message_that_is_repeated_after_a_crash_in_between_starts_once_long() {
    crash_in_between(100).await;
}

/// The server is killed while everybody's message is under way, and everybody sends it again.
async fn crash_in_between(rounds: usize) {
    let data = DataDir::new();
    let program = puppet_on(&data);
    let (mut before, mut states) = (0, Vec::new());
    for round in 0..rounds {
        let send = Send::new(dice::one_of(&["echo x", "chunks a|b|c", "slow 1", "burst 50"]));
        let server = program.start().await;
        let callers = Caller::both(&server);
        let crash = async {
            tokio::time::sleep(dice::time_below(Duration::from_millis(120))).await;
            server.kill().await;
        };
        // Who was answered before the crash must be answered the same after it.
        let (answered, ()) = tokio::join!(send_all(callers, &send), crash);
        let answered: Vec<_> = answered.into_iter().filter_map(Result::ok).collect();
        before += usize::from(!answered.is_empty());

        let server = program.start().await;
        let again = one(all(&server, &BINDINGS, &send).await);
        if !answered.is_empty() {
            let answered = one(answered.into_iter().map(Ok).collect());
            assert_eq!(answered.answer.or(again.answer.clone()), again.answer, "round {round}");
            assert_eq!(answered.events.or(again.events.clone()), again.events, "round {round}");
        }
        let state = again.state();
        let started = starts(&data, &send.id);
        // A crash between the commit of the start and the start leaves none, and never two.
        assert!(started == 1 || (started == 0 && state == "FAILED"), "{started} starts, {state}");
        states.push(state);
        server.kill().await;
    }
    let failed = states.iter().filter(|state| *state == "FAILED").count();
    println!(
        "{rounds} crashes among {SENDERS} senders: {before} times somebody had been answered, \
         {failed} tasks were cut by the crash"
    );
}

/// What all senders got who got the same.
#[derive(Debug, PartialEq)]
struct One {
    answer: Option<Value>,
    events: Option<Vec<Event>>,
}

impl One {
    fn state(&self) -> String {
        let answer = self.answer.as_ref().map(|task| task::state(task).to_owned());
        answer.or_else(|| self.events.as_ref()?.last()?.state()).unwrap()
    }
}

/// Requires that all got the same.
#[track_caller]
fn one(got: Vec<Result<Got, Failure>>) -> One {
    let mut one = One { answer: None, events: None };
    for got in got {
        match got.unwrap_or_else(|failure| panic!("{failure:?}")) {
            Got::Answer(answer) => {
                let task = task::of(&answer).clone();
                assert_eq!(one.answer.get_or_insert_with(|| task.clone()), &task);
            }
            Got::Events(events) => {
                assert!(ends(&events) <= 1, "{events:#?}");
                assert_eq!(one.events.get_or_insert_with(|| events.clone()), &events);
            }
        }
    }
    if let (Some(task), Some(events)) = (&one.answer, &one.events) {
        assert_eq!(task::id(task), task::id(&events[0].task()));
        assert_eq!(events.iter().rev().find_map(Event::state).unwrap(), task::state(task));
    }
    one
}

/// Sends a message many times at once, blocking and streaming.
async fn all(server: &Running, bindings: &[Binding], send: &Send) -> Vec<Result<Got, Failure>> {
    let callers = [bindings[0], bindings[bindings.len() - 1]];
    send_all(callers.map(|binding| Caller::new(server, binding)), send).await
}

async fn send_all(callers: [Caller; 2], send: &Send) -> Vec<Result<Got, Failure>> {
    let mut senders = JoinSet::new();
    for number in 0..SENDERS {
        let (caller, send) = (callers[number % 2], send.clone());
        senders.spawn(async move {
            if number % 4 < 2 {
                return caller.send(&send).await.map(Got::Answer);
            }
            caller.stream(&send).await?.rest().await.map(Got::Events)
        });
    }
    senders.join_all().await
}

/// How many tasks there are, in all states.
async fn tasks(server: &Running) -> u64 {
    let caller = Caller::new(server, Binding::JsonRpc);
    caller.count("TASK_STATE_UNSPECIFIED").await.unwrap()
}
