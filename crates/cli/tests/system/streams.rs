//! Streams: many at once, several of one task, cut and resumed.

use crate::agent::{Store, puppet};
use crate::caller::{BINDINGS, Binding, Caller};
use crate::events::{Event, ends};
use crate::send::Send;
use crate::task;
use sabir_testkit::Running;
use tokio::task::JoinSet;

#[tokio::test]
async fn five_hundred_streams_at_once_each_tell_their_whole_task() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        five_hundred(&server).await;
    }
}

async fn five_hundred(server: &Running) {
    let mut streams = JoinSet::new();
    for number in 0..500 {
        let caller = Caller::new(server, BINDINGS[number % 2]);
        streams.spawn(async move {
            let text = format!("number {number}");
            let send = Send::new(format!("echo {text}"));
            let events = caller.stream(&send).await.unwrap().rest().await.unwrap();
            let task = events[0].task();
            assert!(!task::is_terminal(task::state(&task)), "{task}");
            let chunks: Vec<_> = events.iter().filter_map(Event::chunk).collect();
            assert_eq!(chunks, [text]);
            assert_eq!(ends(&events), 1);
            assert_eq!(events.last().unwrap().state().as_deref(), Some("COMPLETED"));
            task::id(&task).to_owned()
        });
    }
    let mut ids = streams.join_all().await;
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 500, "a task of its own for each");
}

#[tokio::test]
async fn subscribers_see_the_same_when_one_of_them_is_cut() {
    cut_one_of_five(6, 2).await;
}

#[tokio::test]
#[ignore = "long"]
async fn subscribers_see_the_same_when_one_of_them_is_cut_long() {
    cut_one_of_five(40, 10).await;
}

/// `ticks`, five subscribers, and one of them goes after `cut` events.
async fn cut_one_of_five(ticks: usize, cut: usize) {
    let server = puppet().start().await;
    let id = Caller::new(&server, Binding::Rest).start(&format!("ticks {ticks}")).await;
    let mut subscribers = JoinSet::new();
    for number in 0..5 {
        let (caller, id) = (Caller::new(&server, BINDINGS[number % 2]), id.clone());
        subscribers.spawn(async move {
            let mut stream = caller.subscribe(&id, None).await.unwrap();
            if number > 0 {
                return Some(stream.rest().await.unwrap());
            }
            for _ in 0..cut {
                stream.next().await.unwrap().unwrap();
            }
            None
        });
    }
    let seen = subscribers.join_all().await;
    let seen: Vec<_> = seen.into_iter().flatten().collect();
    assert_eq!(seen.len(), 4);
    for events in &seen {
        assert_follows(events, ticks);
    }
    // They came one after the other, so the beginnings may differ, but never the rest.
    let joined = seen.iter().map(|events| events[0].seq).max().unwrap();
    let after = |events: &Vec<Event>| -> Vec<Event> {
        events.iter().filter(|event| event.seq > joined).cloned().collect()
    };
    let first = after(&seen[0]);
    assert!(!first.is_empty());
    assert!(seen.iter().all(|events| after(events) == first), "{seen:#?}");
}

/// The task as of some tick, then every tick after it, once and in order, then the end.
fn assert_follows(events: &[Event], ticks: usize) {
    let said = task::said(&events[0].task());
    let from: usize = said.split('/').next().and_then(|tick| tick.parse().ok()).unwrap_or(0);
    let said: Vec<_> = events[1..].iter().map(Event::said).collect();
    let mut expected: Vec<_> = (from + 1..=ticks).map(|tick| format!("{tick}/{ticks}")).collect();
    expected.push("done".to_owned());
    assert_eq!(said, expected);
    assert_eq!(ends(events), 1);
}

#[tokio::test]
async fn a_cut_stream_goes_on_without_gap_and_repetition() {
    cut_and_resume(3, 2).await;
}

#[tokio::test]
#[ignore = "long"]
async fn a_cut_stream_goes_on_without_gap_and_repetition_long() {
    cut_and_resume(6, 3).await;
}

/// `slow`, cut at 1 s, resumed when the task is `resume` seconds old, and when it has ended.
async fn cut_and_resume(seconds: usize, resume: usize) {
    for store in Store::both() {
        let server = store.puppet().start().await;
        for caller in Caller::both(&server) {
            let send = Send::new(format!("slow {seconds}"));
            let mut stream = caller.stream(&send).await.unwrap();
            let first = format!("1/{seconds}");
            let before = stream.until(|event| event.said() == first).await;
            drop(stream);
            let id = task::id(&before[0].task()).to_owned();
            let last = before.last().unwrap().seq;

            let mark = format!("{resume}/{seconds}");
            caller.until(&id, |task| task::said(task) == mark).await;
            let subscribed =
                async { caller.subscribe(&id, Some(last)).await.unwrap().rest().await.unwrap() };
            let again = send.clone().resume_after(last);
            let repeated = async { caller.stream(&again).await.unwrap().rest().await.unwrap() };
            let (subscribed, repeated) = tokio::join!(subscribed, repeated);
            assert_eq!(subscribed, repeated);
            assert_whole(&before, &subscribed, seconds);

            let ended = caller.subscribe(&id, Some(last)).await.unwrap().rest().await.unwrap();
            assert_eq!(ended, subscribed, "after the end, on {}", store.name());
            let again = caller.stream(&again).await.unwrap().rest().await.unwrap();
            assert_eq!(again, subscribed, "after the end, on {}", store.name());
        }
    }
}

/// What came before the cut and what came after it are one whole, without gap and repetition.
fn assert_whole(before: &[Event], after: &[Event], seconds: usize) {
    let (last, resumed) = (before.last().unwrap(), &after[0]);
    assert_eq!(resumed.seq, last.seq, "the task as of the last event that was read");
    assert_eq!(task::said(&resumed.task()), last.said());
    let whole: Vec<_> = before.iter().chain(&after[1..]).collect();
    assert!(whole.is_sorted_by(|one, next| one.seq < next.seq), "{whole:#?}");
    let said: Vec<_> =
        whole.iter().map(|event| event.said()).filter(|said| said.contains('/')).collect();
    let expected: Vec<_> = (1..=seconds).map(|second| format!("{second}/{seconds}")).collect();
    assert_eq!(said, expected);
    let chunks: Vec<_> = whole.iter().filter_map(|event| event.chunk()).collect();
    assert_eq!(chunks, ["slow and steady"]);
    assert_eq!(whole.last().unwrap().state().as_deref(), Some("COMPLETED"));
}
