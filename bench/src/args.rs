//! What one may ask for.

use crate::measure::Measure;
use clap::Parser;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Measures sabir beside its peers and a bare route, and prints one table
#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// How long each measurement takes
    #[arg(long, value_name = "N", default_value_t = 2.0)]
    pub(crate) seconds: f64,
    /// How often everything is measured; the table has medians
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Only these servers, with commas: bare, sabir, official, tomtom215, sabir-grpc,
    /// official-grpc, sabir-sqlite, sabir-sqlite-normal, tomtom215-sqlite
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Only these measurements, with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) measure: Vec<Measure>,
    /// Measure this program as sabir instead of building it: an older one, or one with a change
    #[arg(long, value_name = "PATH")]
    pub(crate) sabir: Option<PathBuf>,
    /// Print every number as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Instead: the memory that sabir holds after a hundred thousand tasks and after a million
    #[arg(long, conflicts_with_all = ["only", "measure", "rounds"])]
    pub(crate) memory: bool,
    /// How many tasks `--memory` ends with
    #[arg(long, value_name = "N", default_value_t = 1_000_000, requires = "memory")]
    pub(crate) tasks: u64,
    /// Instead: drive a server that runs already, as one does to profile it
    #[arg(long, value_name = "ADDRESS", conflicts_with_all = ["only", "memory", "json"])]
    pub(crate) at: Option<SocketAddr>,
    /// With `--at`: by gRPC instead of JSON-RPC
    #[arg(long, requires = "at")]
    pub(crate) grpc: bool,
}

impl Args {
    /// How long a measurement takes.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// How long a server runs under load before it is measured.
    pub(crate) fn warm_up(&self) -> Duration {
        self.time().mul_f64(0.25).min(Duration::from_secs(1))
    }

    /// Whether a measurement was asked for.
    pub(crate) fn wants(&self, measure: Measure) -> bool {
        self.measure.is_empty() || self.measure.contains(&measure)
    }
}
