//! A reader that stops reading: it gets everything all the same, and costs little.

use crate::agent::Store;
use crate::caller::{Binding, Caller};
use crate::events::{Event, ends};
use crate::send::Send;
use crate::task;
use sabir_testkit::{Frame, RawConnection, Running};
use std::time::Duration;
use tokio::time::Instant;

/// The slow reader's receive buffer.
const RECEIVE_BUFFER: u32 = 4 << 10;

#[tokio::test]
async fn a_reader_that_pauses_gets_everything_in_order() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        burst(&server, 8_000, None).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[ignore = "long"]
async fn a_reader_that_pauses_gets_everything_in_order_long() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        let idle = memory(&server, "VmRSS");
        let begin = Instant::now();
        burst(&server, 20_000, Some(Duration::from_secs(3))).await;
        let (peak, took) = (memory(&server, "VmHWM"), begin.elapsed());
        let more = peak.saturating_sub(idle) >> 10;
        println!(
            "burst 20000, {}: idle {} MiB, peak {} MiB (+{more} MiB), {took:?}",
            store.name(),
            idle >> 10,
            peak >> 10
        );
        assert!(cfg!(debug_assertions) || more <= 100, "{more} MiB above idle");
    }
}

/// `burst` with a fast reader and one that pauses: for this long and then reads 1 MB/s, or until
/// the fast one has read all.
async fn burst(server: &Running, events: usize, pause: Option<Duration>) {
    let mut slow = RawConnection::open_with_receive_buffer(server.addr(), RECEIVE_BUFFER).await;
    let send = Send::new(format!("burst {events}"));
    slow.post_json("/message:stream", &send.request().to_string()).await;
    assert_eq!(slow.head().await.status, 200);
    let first = slow.event().await.unwrap();
    let (id, seq) = (task::id(&first.json()["task"]).to_owned(), first.id().unwrap().parse());

    let caller = Caller::new(server, Binding::JsonRpc);
    let fast = caller.subscribe(&id, Some(seq.unwrap())).await.unwrap();
    let begin = Instant::now();
    let (fast, slowly) = match pause {
        None => (fast.rest().await.unwrap(), read(&mut slow, None).await),
        Some(pause) => {
            let slowly = async {
                tokio::time::sleep(pause).await;
                read(&mut slow, Some(1_000_000)).await
            };
            let fast = async {
                let events = fast.rest().await.unwrap();
                println!("the fast reader took {:?}", begin.elapsed());
                events
            };
            tokio::join!(fast, slowly)
        }
    };
    assert_all(&fast, events);
    let fast: Vec<_> = fast[1..].iter().map(|event| (event.seq, event.json.clone())).collect();
    let slowly: Vec<_> =
        slowly.iter().map(|frame| (frame.id().unwrap().parse().unwrap(), frame.data())).collect();
    assert!(fast == slowly, "{} and {} events", fast.len(), slowly.len());
}

/// Reads a stream to its end, at most so many bytes a second.
async fn read(connection: &mut RawConnection, per_second: Option<u32>) -> Vec<Frame> {
    let (mut frames, mut bytes, begin) = (Vec::new(), 0, Instant::now());
    while let Some(frame) = connection.event().await {
        bytes += frame.raw.len();
        frames.push(frame);
        if let Some(rate) = per_second {
            tokio::time::sleep_until(
                begin + Duration::from_secs(1) * u32::try_from(bytes).unwrap() / rate,
            )
            .await;
        }
    }
    frames
}

fn assert_all(events: &[Event], count: usize) {
    let said = events[1..].iter().map(Event::said);
    let expected = (1..=count).map(|number| format!("{number}/{count}"));
    assert!(said.eq(expected.chain(["done".to_owned()])), "{} events", events.len());
    assert_eq!(ends(events), 1);
}

/// A line of the process' status, in KiB.
#[cfg(target_os = "linux")]
fn memory(server: &Running, what: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid().unwrap()));
    let status = status.unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}
