//! A server that is running, and how it ends.

use sabir_bindings::ServerHandle;
use sabir_engine::Engine;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

/// A server that is running. Dropping it leaves it running.
#[derive(Debug)]
pub struct Running {
    pub(super) handle: ServerHandle,
    pub(super) engines: Vec<Engine>,
    pub(super) drain: Duration,
}

/// The least time that open calls get to be answered after the turns have ended.
const LAST_ANSWERS: Duration = Duration::from_millis(500);

impl Running {
    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.handle.local_addr()
    }

    /// Where it is reached from this machine, without a slash at the end.
    pub fn url(&self) -> String {
        let mut address = self.address();
        if address.ip().is_unspecified() {
            // What listens everywhere is called by its loopback address.
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let scheme = if self.handle.is_tls() { "https" } else { "http" };
        format!("{scheme}://{address}")
    }

    /// The engines, in the order in which their agents were added.
    pub fn engines(&self) -> &[Engine] {
        &self.engines
    }

    /// Takes no more messages, lets what is under way end within the preset's time, answers what is
    /// still open, and stops.
    pub async fn stop(self) {
        let until = Instant::now() + self.drain;
        for engine in &self.engines {
            let left = engine.drain(until.saturating_duration_since(Instant::now())).await;
            if left > 0 {
                tracing::warn!(turns = left, "stopped while turns were running");
            }
        }
        let rest = until.saturating_duration_since(Instant::now());
        self.handle.shutdown(rest.max(LAST_ANSWERS)).await;
    }
}

/// Waits for Ctrl-C or SIGTERM.
pub(super) async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the system ends the program by itself.
        std::future::pending::<()>().await;
    }
}
