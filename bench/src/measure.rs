//! What is measured.

use clap::ValueEnum;
use serde::Serialize;

/// One column of the table, or several that come from the same run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Measure {
    /// SendMessage, one connection
    #[value(name = "send-1")]
    Send1,
    /// SendMessage, 16 connections, every hundredth call a GetTask
    #[value(name = "send-16")]
    Send16,
    /// SendStreamingMessage, one connection
    #[value(name = "stream-1")]
    Stream1,
    /// SendStreamingMessage, 16 connections, every hundredth call a GetTask
    #[value(name = "stream-16")]
    Stream16,
    /// One stream with an artifact of 8,000 chunks
    Chunks,
}

/// How many chunks the long stream has.
pub(crate) const CHUNKS: usize = 8000;

/// What one measurement gave.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Sample {
    /// Answers in a second.
    pub(crate) rate: f64,
    /// Time of the processor that the server took for an answer, in microseconds.
    pub(crate) cpu_us: f64,
    /// Memory that the server held in the end, in MiB.
    pub(crate) memory_mib: f64,
    /// Answers that were counted.
    pub(crate) answers: u64,
}

impl Sample {
    /// How long an answer took when there was one connection, in milliseconds.
    pub(crate) fn millis(&self) -> f64 {
        1000.0 / self.rate
    }
}
