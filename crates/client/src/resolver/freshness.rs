//! How long an answer may be used without asking again (RFC 9111).

use crate::http::text;
use http::header::{AGE, CACHE_CONTROL, HeaderMap};
use std::time::Duration;

/// What an answer says about its reuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Freshness {
    /// Whether it may be kept at all.
    pub(super) may_keep: bool,
    /// How long it may be used without asking; zero where the answer does not say.
    pub(super) lifetime: Duration,
}

impl Freshness {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let mut out = Self { may_keep: true, lifetime: Duration::ZERO };
        let mut always_ask = false;
        for value in headers.get_all(CACHE_CONTROL).iter().filter_map(|v| v.to_str().ok()) {
            for directive in value.split(',').map(|d| d.trim().to_ascii_lowercase()) {
                match directive.split_once('=').unwrap_or((&directive, "")) {
                    ("no-store", _) => out.may_keep = false,
                    ("no-cache", _) => always_ask = true,
                    ("max-age", seconds) => {
                        let seconds = seconds.trim_matches('"').parse().unwrap_or(0);
                        out.lifetime = Duration::from_secs(seconds);
                    }
                    _ => {}
                }
            }
        }
        let age = text(headers, AGE.as_str()).and_then(|age| age.trim().parse().ok()).unwrap_or(0);
        out.lifetime = out.lifetime.saturating_sub(Duration::from_secs(age));
        if always_ask {
            out.lifetime = Duration::ZERO;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::Freshness;
    use http::HeaderMap;
    use std::time::Duration;

    #[test]
    fn cache_control_says_how_long() {
        for (cache_control, age, may_keep, seconds) in [
            (None, None, true, 0),
            (Some("public, max-age=60"), None, true, 60),
            (Some("Max-Age=\"60\""), Some("45"), true, 15),
            (Some("max-age=60"), Some("90"), true, 0),
            (Some("max-age=60, no-cache"), None, true, 0),
            (Some("max-age=60, no-store"), None, false, 60),
            (Some("max-age=soon"), None, true, 0),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("cache-control", cache_control), ("age", age)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().expect("header"));
                }
            }
            let expected = Freshness { may_keep, lifetime: Duration::from_secs(seconds) };
            assert_eq!(Freshness::of(&headers), expected, "{cache_control:?} {age:?}");
        }
    }
}
