//! Reading headers of answers, and showing them.

use crate::redact;
use http::header::{HeaderMap, RETRY_AFTER};
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use std::time::Duration;

/// The value of a header, where it is text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// When to ask again, in seconds or by a date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    after(text(headers, RETRY_AFTER.as_str())?.trim(), Timestamp::now())
}

fn after(value: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = DateTimeParser::new().parse_timestamp(value).ok()?;
    Some(Duration::try_from(at.duration_since(now)).unwrap_or_default())
}

/// Headers as they may be logged.
pub(super) fn redacted(headers: &HeaderMap, secrets: &[&str]) -> Vec<(String, String)> {
    headers
        .iter()
        .map(|(name, value)| {
            let value = match value.to_str() {
                _ if value.is_sensitive() => redact::REDACTED.to_owned(),
                Ok(value) => redact::header(name.as_str(), value, secrets).into_owned(),
                Err(_) => redact::excerpt(value.as_bytes()),
            };
            (name.to_string(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::after;
    use std::time::Duration;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = "1994-11-06T08:49:30Z".parse().expect("time");
        for (value, expected) in [
            ("7", Some(7)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(after(value, now), expected.map(Duration::from_secs), "{value}");
        }
    }
}
