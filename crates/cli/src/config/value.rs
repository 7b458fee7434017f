//! The kinds of values that settings have, each read from what people write.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time: `30s`, `5m`, `1h 30m`, `30d`, or a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl Span {
    /// What a value of this kind looks like.
    pub(crate) const LOOKS_LIKE: &str = "a time such as `30s`, `5m` or `24h`";
}

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Ok(seconds) = text.parse::<f64>() {
            return Duration::try_from_secs_f64(seconds)
                .map(Self)
                .map_err(|_| format!("`{text}` is not {}", Self::LOOKS_LIKE));
        }
        text.parse::<jiff::Span>()
            .and_then(|span| span.to_duration(jiff::SpanRelativeTo::days_are_24_hours()))
            .ok()
            .and_then(|duration| Duration::try_from(duration).ok())
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not {}", Self::LOOKS_LIKE))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::SignedDuration::try_from(self.0) {
            Ok(duration) => write!(f, "{duration:#}"),
            Err(_) => write!(f, "{}s", self.0.as_secs()),
        }
    }
}

/// A number of bytes: `10 MiB`, `64KB`, or a plain number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

impl Size {
    /// What a value of this kind looks like.
    pub(crate) const LOOKS_LIKE: &str = "a size such as `10 MiB` or a number of bytes";
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not {}", Self::LOOKS_LIKE);
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let number: u64 = text[..end].parse().map_err(|_| wrong())?;
        let unit: u64 = match text[end..].trim().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "k" | "kib" => 1 << 10,
            "kb" => 1_000,
            "m" | "mib" => 1 << 20,
            "mb" => 1_000_000,
            "g" | "gib" => 1 << 30,
            "gb" => 1_000_000_000,
            _ => return Err(wrong()),
        };
        number.checked_mul(unit).map(Self).ok_or_else(wrong)
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self.0 != 0 && self.0.trailing_zeros() >= shift {
                return write!(f, "{} {unit}", self.0 >> shift);
            }
        }
        write!(f, "{} B", self.0)
    }
}

/// An address to listen on: `127.0.0.1:7420`, `:7420`, or a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listen {
    /// The host's name or address.
    pub(crate) host: String,
    /// The port; 0 for any that is free.
    pub(crate) port: u16,
}

impl Listen {
    /// What a value of this kind looks like.
    pub(crate) const LOOKS_LIKE: &str = "an address such as `127.0.0.1:7420`";

    pub(crate) fn new(host: impl Into<String>, port: u16) -> Self {
        Self { host: host.into(), port }
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not {}", Self::LOOKS_LIKE);
        let (host, port) = text.rsplit_once(':').unwrap_or(("", text));
        let port = port.parse().map_err(|_| wrong())?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let host = match bare.unwrap_or(host) {
            "" => "127.0.0.1",
            // Without brackets it cannot be told where an IPv6 address ends.
            host if bare.is_none() && host.contains(':') => return Err(wrong()),
            host => host,
        };
        Ok(Self::new(host, port))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// A list: of its own kind, or as text with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct List(pub(crate) Vec<String>);

impl List {
    /// What a value of this kind looks like.
    pub(crate) const LOOKS_LIKE: &str = "a list such as `[\"a.example\", \"b.example\"]`";
}

impl FromStr for List {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        Ok(Self(items.map(str::to_owned).collect()))
    }
}

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// Text that is never shown.
#[derive(Clone, PartialEq, Eq, serde::Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(super::REDACTED)
    }
}

/// Reads a value from a number or from text, by its `FromStr`.
struct Scalar<T>(&'static str, std::marker::PhantomData<T>);

impl<'de, T: FromStr<Err = String>> Visitor<'de> for Scalar<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut items: A) -> Result<T, A::Error> {
        let mut texts = Vec::new();
        while let Some(text) = items.next_element::<String>()? {
            texts.push(text);
        }
        let joined = texts.join(",");
        joined.parse().map_err(|_| de::Error::invalid_value(de::Unexpected::Str(&joined), &self))
    }
}

macro_rules! scalar {
    ($($kind:ident)*) => {$(
        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                d.deserialize_any(Scalar::<Self>(Self::LOOKS_LIKE, std::marker::PhantomData))
            }
        }
    )*};
}
scalar! { Span Size Listen List }

#[cfg(test)]
mod tests {
    use super::{List, Listen, Size, Span};
    use std::time::Duration;

    #[test]
    fn times_are_read_as_people_write_them() {
        let table = [
            ("30s", 30_000),
            ("500ms", 500),
            ("5m", 300_000),
            ("1h30m", 5_400_000),
            ("2h0m0s", 7_200_000),
            ("30d", 30 * 86_400_000),
            ("2", 2_000),
            ("0.25", 250),
        ];
        for (text, millis) in table {
            assert_eq!(text.parse(), Ok(Span(Duration::from_millis(millis))), "{text}");
        }
        for text in ["", "soon", "-5s", "-1", "5 parsecs"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        assert_eq!(Span(Duration::from_secs(86_400)).to_string(), "24h");
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let table = [("10 MiB", 10 << 20), ("64KB", 64_000), ("1k", 1024), ("12", 12)];
        for (text, bytes) in table {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        assert!("ten".parse::<Size>().is_err());
        assert!("99999999999 GiB".parse::<Size>().is_err());
        assert_eq!(Size(10 << 20).to_string(), "10 MiB");
        assert_eq!(Size(1500).to_string(), "1500 B");
    }

    #[test]
    fn addresses_may_leave_out_the_host() {
        assert_eq!("7420".parse(), Ok(Listen::new("127.0.0.1", 7420)));
        assert_eq!(":0".parse(), Ok(Listen::new("127.0.0.1", 0)));
        assert_eq!("[::1]:80".parse(), Ok(Listen::new("::1", 80)));
        assert_eq!(Listen::new("::1", 80).to_string(), "[::1]:80");
        assert!("localhost".parse::<Listen>().is_err());
        assert!("::1:80".parse::<Listen>().is_err());
        assert!("127.0.0.1:99999".parse::<Listen>().is_err());
    }

    #[test]
    fn lists_may_be_text_with_commas() {
        assert_eq!("a, b,".parse(), Ok(List(vec!["a".into(), "b".into()])));
    }
}
