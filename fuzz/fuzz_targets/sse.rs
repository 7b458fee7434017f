//! Any bytes as an event stream: nothing panics, and how they are cut makes no difference.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sabir_client::sse::{SseEvent, SseParser};

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let whole = read(bytes.len().max(1), bytes);
    assert_eq!(read(usize::from(size).max(1), bytes), whole);
    assert_eq!(read(1, bytes), whole);
});

fn read(size: usize, bytes: &[u8]) -> Vec<SseEvent> {
    let mut parser = SseParser::new();
    let mut events = Vec::new();
    for chunk in bytes.chunks(size) {
        parser.push(chunk).expect("less than an event may have");
        events.extend(std::iter::from_fn(|| parser.next_event()));
    }
    events
}
