//! One artifact of very many chunks: twice as many take twice as long.

use crate::agent::Store;
use crate::caller::{Binding, Caller};
use crate::events::Event;
use crate::send::Send;
use crate::task;
use std::time::{Duration, Instant};

/// How a caller gets the artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Streaming,
    Blocking,
    /// Blocking, and another caller looks at the task meanwhile.
    Polled,
}

const WAYS: [Way; 3] = [Way::Streaming, Way::Blocking, Way::Polled];
/// Between two looks.
const POLL: Duration = Duration::from_millis(50);

#[tokio::test]
async fn every_chunk_of_a_large_artifact_arrives_once_and_in_order() {
    for store in Store::both() {
        let server = store.puppet().start().await;
        for caller in Caller::both(&server) {
            for way in WAYS {
                let text = blob(&caller, way, 600).await;
                assert!(text == expected(600), "{way:?}, {}: {text}", store.name());
            }
        }
    }
}

#[tokio::test]
#[ignore = "long"]
async fn twice_the_chunks_take_twice_the_time_long() {
    if cfg!(debug_assertions) {
        println!("skipped: only a release build is worth measuring");
        return;
    }
    let mut failed = Vec::new();
    for store in Store::both() {
        let server = store.puppet().start().await;
        let caller = Caller::new(&server, Binding::JsonRpc);
        for way in WAYS {
            let (mut short, mut long) = (Vec::new(), Vec::new());
            // The first run warms up.
            for run in 0..6 {
                for (chunks, times) in [(8_000, &mut short), (16_000, &mut long)] {
                    let begin = Instant::now();
                    let text = blob(&caller, way, chunks).await;
                    times.extend((run > 0).then(|| begin.elapsed()));
                    assert!(text == expected(chunks));
                }
            }
            let (short, long) = (median(short), median(long));
            let ratio = long.as_secs_f64() / short.as_secs_f64();
            let limit = if way == Way::Polled { 2.8 } else { 2.3 };
            let line = format!(
                "blob, {}, {way:?}: 8000 {short:?}, 16000 {long:?}, ratio {ratio:.2} (≤ {limit})",
                store.name()
            );
            println!("{line}");
            failed.extend((ratio > limit).then_some(line));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn expected(chunks: usize) -> String {
    (1..=chunks).map(|number| format!("{number}\n")).collect()
}

/// Has an artifact made, and gives its text.
async fn blob(caller: &Caller, way: Way, chunks: usize) -> String {
    let send = Send::new(format!("blob {chunks}"));
    match way {
        Way::Streaming => {
            let events = caller.stream(&send).await.unwrap().rest().await.unwrap();
            assert_eq!(events.last().unwrap().state().as_deref(), Some("COMPLETED"));
            events.iter().filter_map(Event::chunk).collect()
        }
        Way::Blocking => task::artifacts(task::of(&caller.send(&send).await.unwrap())),
        Way::Polled => {
            let id = caller.start(&format!("blob {chunks}")).await;
            let blocking = async { follow(caller, &id).await };
            let polling = async {
                loop {
                    caller.get(&id).await.unwrap();
                    tokio::time::sleep(POLL).await;
                }
            };
            tokio::select! {
                () = blocking => {}
                () = polling => {}
            }
            task::artifacts(&caller.get(&id).await.unwrap())
        }
    }
}

/// Waits for the end.
async fn follow(caller: &Caller, id: &str) {
    match caller.subscribe(id, None).await {
        Ok(stream) => drop(stream.rest().await.unwrap()),
        Err(failure) => assert_eq!(failure.reason(), Some("UNSUPPORTED_OPERATION")),
    }
}
