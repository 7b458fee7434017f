//! Calls again what may be called again, a bounded number of times, with growing pauses.

use std::time::Duration;

/// How often and how patiently a call is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a call is made in all; 1 means it is not repeated.
    pub attempts: u32,
    /// The pause before the first repetition; it doubles with each.
    pub pause: Duration,
    /// The longest pause. A server that asks for a longer one is not asked again.
    pub max_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let (pause, max_pause) = (Duration::from_millis(200), Duration::from_secs(10));
        Self { attempts: 3, pause, max_pause }
    }
}

impl RetryPolicy {
    /// Never calls twice.
    pub const NEVER: Self = Self { attempts: 1, pause: Duration::ZERO, max_pause: Duration::ZERO };

    /// The pause after that many attempts, or `None` when it was the last. What the server asked
    /// for is kept; otherwise half of the pause is up to chance, so that callers spread out.
    pub(crate) fn pause_after(
        &self,
        attempts: u32,
        asked: Option<Duration>,
        chance: u64,
    ) -> Option<Duration> {
        if attempts >= self.attempts {
            return None;
        }
        if let Some(asked) = asked {
            return (asked <= self.max_pause).then_some(asked);
        }
        let doubled = 2_u32.saturating_pow(attempts.saturating_sub(1));
        let pause = self.pause.saturating_mul(doubled).min(self.max_pause);
        let share = (chance % 1024) as u32;
        Some(pause / 2 + (pause / 2).saturating_mul(share) / 1024)
    }
}

/// Chance, good enough to spread callers out.
pub(crate) fn chance() -> u64 {
    uuid::Uuid::now_v7().as_u64_pair().1
}

/// Makes a call until it succeeds, fails for good, or has been made often enough.
pub(crate) async fn with_retry<T, E, F: Future<Output = Result<T, E>>>(
    policy: &RetryPolicy,
    may_retry: impl Fn(&E) -> bool,
    asked: impl Fn(&E) -> Option<Duration>,
    mut call: impl FnMut() -> F,
) -> Result<T, E> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let error = match call().await {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if !may_retry(&error) {
            return Err(error);
        }
        match policy.pause_after(attempts, asked(&error), chance()) {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RetryPolicy;
    use std::time::Duration;

    #[test]
    fn pauses_double_up_to_the_longest_and_end() {
        let policy = RetryPolicy {
            attempts: 5,
            pause: Duration::from_millis(100),
            max_pause: Duration::from_millis(300),
        };
        let most = |attempts| policy.pause_after(attempts, None, 1023).map(|p| p.as_millis());
        assert_eq!([1, 2, 3, 4, 5].map(most), [Some(99), Some(199), Some(299), Some(299), None]);
        let least = |attempts| policy.pause_after(attempts, None, 1024).map(|p| p.as_millis());
        assert_eq!([1, 2, 3, 4].map(least), [Some(50), Some(100), Some(150), Some(150)]);
    }

    #[test]
    fn what_the_server_asks_for_is_kept_unless_it_is_too_long() {
        let policy = RetryPolicy::default();
        let asked = |seconds| policy.pause_after(1, Some(Duration::from_secs(seconds)), 5);
        assert_eq!(asked(7), Some(Duration::from_secs(7)));
        assert_eq!(asked(11), None);
        assert_eq!(RetryPolicy::NEVER.pause_after(1, Some(Duration::ZERO), 0), None);
    }
}
