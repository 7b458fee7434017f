//! The table.

use crate::measure::{CHUNKS, Measure, Sample};
use crate::results::Results;
use crate::targets;
use clap::ValueEnum;
use std::fmt::Write;

type Read = fn(&Sample) -> f64;

/// A column: its two heads, where its numbers are from, and with how many digits they are written.
struct Column {
    head: [&'static str; 2],
    measure: Measure,
    value: Read,
    digits: usize,
}

const fn column(head: [&'static str; 2], measure: Measure, value: Read, digits: usize) -> Column {
    Column { head, measure, value, digits }
}

const COLUMNS: [Column; 9] = [
    column(["SendMessage/s", "1 conn."], Measure::Send1, |s| s.rate, 0),
    column(["", "16 conn."], Measure::Send16, |s| s.rate, 0),
    column(["", "CPU µs"], Measure::Send16, |s| s.cpu_us, 1),
    column(["", "MiB after"], Measure::Send16, |s| s.memory_mib, 0),
    column(["Streams/s", "1 conn."], Measure::Stream1, |s| s.rate, 0),
    column(["", "16 conn."], Measure::Stream16, |s| s.rate, 0),
    column(["", "CPU µs"], Measure::Stream16, |s| s.cpu_us, 1),
    column(["", "MiB after"], Measure::Stream16, |s| s.memory_mib, 0),
    column(["8,000 chunks", "ms"], Measure::Chunks, Sample::millis, 1),
];

/// What ours is divided by.
const RATIOS: [[&str; 2]; 6] = [
    ["sabir", "bare"],
    ["sabir", "official"],
    ["sabir", "tomtom215"],
    ["sabir-grpc", "official-grpc"],
    ["sabir-sqlite", "tomtom215-sqlite"],
    ["sabir-sqlite-normal", "tomtom215-sqlite"],
];

/// Everything that is printed.
pub(crate) fn of(results: &Results) -> String {
    const { assert!(CHUNKS == 8000, "the head of the column says so") };
    let mut out = String::new();
    let head = |place: usize| COLUMNS.map(|column| column.head[place].to_owned());
    line(&mut out, "", &head(0));
    line(&mut out, "", &head(1));
    for server in &results.servers {
        let cells = COLUMNS.map(|column| cell(results, server, &column));
        line(&mut out, server, &cells);
    }
    out.push('\n');
    for [ours, theirs] in RATIOS {
        let cells = COLUMNS.map(|column| {
            let ratio = results.ratio(ours, theirs, column.measure, column.value);
            ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"))
        });
        if cells.iter().any(|cell| !cell.is_empty()) {
            line(&mut out, &format!("{ours} : {theirs}"), &cells);
        }
    }
    out.push('\n');
    failures(&mut out, results);
    out + &targets::of(results)
}

fn cell(results: &Results, server: &'static str, column: &Column) -> String {
    match results.median(server, column.measure, column.value) {
        Some(value) => format!("{value:.*}", column.digits),
        None if results.failure(server, column.measure).is_some() => "fails".to_owned(),
        None => String::new(),
    }
}

fn line(out: &mut String, name: &str, cells: &[String]) {
    let _ = write!(out, "{name:<38}");
    for cell in cells {
        let _ = write!(out, " {cell:>13}");
    }
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn failures(out: &mut String, results: &Results) {
    for server in &results.servers {
        for &measure in Measure::value_variants() {
            if let Some(failure) = results.failure(server, measure) {
                let _ = writeln!(out, "{server}, {measure:?} fails: {failure}");
            }
        }
    }
}
