//! Ctrl-C and SIGTERM.

use std::future::Future;

/// Waits for Ctrl-C.
pub(crate) async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a handler the system ends the program by itself.
        std::future::pending::<()>().await;
    }
}

/// Waits for Ctrl-C or a request to end.
#[cfg(unix)]
pub(crate) async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                () = interrupted() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => interrupted().await,
    }
}

/// Waits for Ctrl-C or a request to end.
#[cfg(not(unix))]
pub(crate) async fn told_to_end() {
    interrupted().await;
}

/// Runs to the end of `work`, or to Ctrl-C: then `None`.
pub(crate) async fn until_interrupted<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        done = work => Some(done),
        () = interrupted() => None,
    }
}
