//! Chance, for the moments at which something is cut.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// A number below `limit`.
pub(crate) fn below(limit: u64) -> u64 {
    // The keys of a hash map are random, and that is enough here.
    RandomState::new().hash_one(()) % limit
}

/// A time below `limit`, to the microsecond.
pub(crate) fn time_below(limit: Duration) -> Duration {
    Duration::from_micros(below(u64::try_from(limit.as_micros()).unwrap()))
}

/// One of these.
pub(crate) fn one_of<T: Copy>(of: &[T]) -> T {
    of[usize::try_from(below(of.len() as u64)).unwrap()]
}
