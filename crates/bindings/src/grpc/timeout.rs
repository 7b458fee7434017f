//! The time that a caller gives a call: `grpc-timeout`.

use http::header::HeaderMap;
use sabir_types::Error;
use std::time::Duration;
use tokio::time::Instant;

const GRPC_TIMEOUT: &str = "grpc-timeout";

/// When the call ends at the latest, where the caller said so.
pub(super) fn deadline(headers: &HeaderMap) -> Result<Option<Instant>, Error> {
    let Some(value) = headers.get(GRPC_TIMEOUT) else { return Ok(None) };
    let given = value.to_str().ok().and_then(duration).ok_or_else(|| {
        Error::invalid_params(GRPC_TIMEOUT, "must be at most 8 digits and one of H, M, S, m, u, n")
    })?;
    // What is too far away for a clock is no deadline.
    Ok(Instant::now().checked_add(given))
}

fn duration(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let is_number = matches!(digits.len(), 1..=8) && digits.bytes().all(|b| b.is_ascii_digit());
    let number: u64 = is_number.then(|| digits.parse().ok())??;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::duration;
    use std::time::Duration;

    #[test]
    fn a_timeout_is_digits_and_a_unit() {
        for (text, expected) in [
            ("1H", Some(Duration::from_secs(3600))),
            ("99999999M", Some(Duration::from_secs(99_999_999 * 60))),
            ("5S", Some(Duration::from_secs(5))),
            ("250m", Some(Duration::from_millis(250))),
            ("7u", Some(Duration::from_micros(7))),
            ("0n", Some(Duration::ZERO)),
            ("123456789S", None),
            ("S", None),
            ("", None),
            ("-1S", None),
            ("1.5S", None),
            ("5s", None),
            ("5ü", None),
        ] {
            assert_eq!(duration(text), expected, "{text}");
        }
    }
}
