//! What we want to come out. Nothing fails here: the machine may have been busy.

use crate::measure::{Measure, Sample};
use crate::results::Results;
use std::fmt::Write;

/// A ratio that we want: of what, to whom, and its bound.
struct Target {
    what: &'static str,
    ours: &'static str,
    theirs: &'static str,
    measure: Measure,
    value: fn(&Sample) -> f64,
    bound: Bound,
}

enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

const fn target(
    what: &'static str,
    [ours, theirs]: [&'static str; 2],
    measure: Measure,
    value: fn(&Sample) -> f64,
    bound: Bound,
) -> Target {
    Target { what, ours, theirs, measure, value, bound }
}

const BARE: [&str; 2] = ["sabir", "bare"];
const OFFICIAL: [&str; 2] = ["sabir", "official"];
const GRPC: [&str; 2] = ["sabir-grpc", "official-grpc"];
const DURABLE: [&str; 2] = ["sabir-sqlite", "tomtom215-sqlite"];

const TARGETS: [Target; 8] = [
    target("SendMessage", BARE, Measure::Send16, |s| s.rate, Bound::AtLeast(0.65)),
    target("streams", BARE, Measure::Stream16, |s| s.rate, Bound::AtLeast(0.65)),
    target("SendMessage", OFFICIAL, Measure::Send16, |s| s.rate, Bound::AtLeast(1.7)),
    target("streams", OFFICIAL, Measure::Stream16, |s| s.rate, Bound::AtLeast(1.7)),
    target("CPU of SendMessage", OFFICIAL, Measure::Send16, |s| s.cpu_us, Bound::AtMost(0.6)),
    target("CPU of streams", OFFICIAL, Measure::Stream16, |s| s.cpu_us, Bound::AtMost(0.6)),
    target("SendMessage", GRPC, Measure::Send16, |s| s.rate, Bound::AtLeast(1.1)),
    target("durable SendMessage", DURABLE, Measure::Send16, |s| s.rate, Bound::AtLeast(8.0)),
];

/// One line for each target that was measured.
pub(crate) fn of(results: &Results) -> String {
    let mut out = String::new();
    for target in TARGETS {
        let Target { what, ours, theirs, measure, value, bound } = target;
        let Some(ratio) = results.ratio(ours, theirs, measure, value) else { continue };
        let (word, limit, met) = match bound {
            Bound::AtLeast(limit) => ("at least", limit, ratio >= limit),
            Bound::AtMost(limit) => ("at most", limit, ratio <= limit),
        };
        let verdict = if met { "holds" } else { "does not hold" };
        let _ = writeln!(
            out,
            "{what}, {ours} : {theirs}: {ratio:.2}, wanted {word} {limit}: {verdict}"
        );
    }
    out
}
