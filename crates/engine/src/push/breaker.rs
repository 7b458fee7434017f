//! Leaves a receiver alone that did not answer lately.

use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row after which a receiver is left alone.
const FAILURES: u32 = 5;
/// How long it is left alone then.
const PAUSE: Duration = Duration::from_secs(30);
/// Receivers remembered at most.
const RECEIVERS: usize = 4_096;

/// Counts failures by receiver: by host where no connection could be made, by URL for answers.
#[derive(Debug, Default)]
pub(super) struct Breaker {
    receivers: BTreeMap<String, (u32, Instant)>,
}

impl Breaker {
    /// How long the receiver is still left alone.
    pub(super) fn pause(&self, url: &str) -> Option<Duration> {
        let now = Instant::now();
        [url, host(url)]
            .iter()
            .filter_map(|name| self.receivers.get(*name))
            .filter(|(failures, _)| *failures >= FAILURES)
            .filter_map(|(_, until)| until.checked_duration_since(now))
            .max()
    }

    pub(super) fn succeeded(&mut self, url: &str) {
        self.receivers.remove(url);
        self.receivers.remove(host(url));
    }

    /// The receiver answered that it cannot.
    pub(super) fn answered(&mut self, url: &str) {
        self.receivers.remove(host(url));
        self.failed(url);
    }

    /// No connection could be made.
    pub(super) fn unreachable(&mut self, url: &str) {
        self.failed(host(url));
    }

    fn failed(&mut self, name: &str) {
        let until = Instant::now() + PAUSE;
        if self.receivers.len() >= RECEIVERS && !self.receivers.contains_key(name) {
            let now = Instant::now();
            self.receivers.retain(|_, (_, until)| *until > now);
        }
        let (failures, at) = self.receivers.entry(name.to_owned()).or_insert((0, until));
        *failures += 1;
        *at = until;
    }
}

/// Scheme, host and port of a URL.
fn host(url: &str) -> &str {
    let from = url.find("://").map_or(0, |at| at + 3);
    let to = url[from..].find(['/', '?', '#']).map_or(url.len(), |at| from + at);
    &url[..to]
}
