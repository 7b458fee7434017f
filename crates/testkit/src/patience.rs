//! Bounds every wait of a test.

use std::time::Duration;

/// The longest that a fixture waits for something that should come at once.
///
/// It is generous, because it is only ever spent by a test that fails.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits for `future`, for [`PATIENCE`] at most.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let answer = sabir_testkit::patiently("the answer", async { 42 }).await;
/// assert_eq!(answer, 42);
/// # }
/// ```
///
/// # Panics
/// When the time is over; the text names `what`.
pub async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("waited {} s for {what}", PATIENCE.as_secs()),
    }
}
