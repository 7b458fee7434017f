//! The program's log, on stderr.

use tracing_subscriber::EnvFilter;

/// Starts the log; `SABIR_LOG`, else `RUST_LOG`, says what is logged.
pub(crate) fn start(default: &str) {
    let filter = ["SABIR_LOG", "RUST_LOG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok())
        .map_or_else(|| EnvFilter::new(default), EnvFilter::new);
    // A log that runs already, as in a test, stays.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .try_init();
}
