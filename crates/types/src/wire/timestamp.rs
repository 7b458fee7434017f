//! Instants, written as `google.protobuf.Timestamp` and RFC 3339.

use super::{Buf, BufMut, DecodeContext, DecodeError, Field, Shape, WireType};
use prost::encoding;
use serde::de::{self, Deserializer, Visitor};
use serde::ser::{self, Serializer};
use std::fmt;
use std::str::FromStr;

/// A UTC instant, from the year 1 to the year 9999, to the nanosecond.
///
/// Protobuf can carry more than that. What is out of range is kept as it came, is reported by
/// [`ProtoMessage::missing`](super::ProtoMessage::missing), and cannot be written as JSON.
///
/// ```
/// use sabir_types::Timestamp;
///
/// let noon: Timestamp = "2026-08-22T14:00:00+02:00".parse()?;
/// assert_eq!(noon.to_string(), "2026-08-22T12:00:00.000Z");
/// # Ok::<(), sabir_types::wire::TimestampError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    seconds: i64,
    nanos: i32,
}

/// Why a timestamp cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimestampError(String);

impl fmt::Display for TimestampError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TimestampError {}

/// 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, as `google.protobuf.Timestamp` defines.
const SECONDS: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

impl Timestamp {
    /// The instant that many seconds and nanoseconds after the start of 1970.
    pub fn new(seconds: i64, nanos: i32) -> Result<Self, TimestampError> {
        let out = Self { seconds, nanos };
        if out.is_valid() { Ok(out) } else { Err(out.out_of_range()) }
    }

    /// Those fields, in range or not.
    pub(super) fn raw(seconds: i64, nanos: i32) -> Self {
        Self { seconds, nanos }
    }

    /// The time of the system's clock, to the millisecond.
    pub fn now() -> Self {
        Self::from_millis(jiff::Timestamp::now().as_millisecond())
    }

    /// The instant that many milliseconds after the start of 1970.
    pub fn from_millis(millis: i64) -> Self {
        // The remainder is below 1,000, so the product fits.
        let nanos = millis.rem_euclid(1_000) as i32 * 1_000_000;
        Self { seconds: millis.div_euclid(1_000), nanos }
    }

    /// Whole milliseconds since the start of 1970.
    pub fn as_millis(self) -> i64 {
        self.seconds.saturating_mul(1_000).saturating_add(i64::from(self.nanos / 1_000_000))
    }

    /// Whole seconds since the start of 1970.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds within the second.
    pub fn nanos(self) -> i32 {
        self.nanos
    }

    /// Whether the instant lies in the range of RFC 3339.
    pub fn is_valid(self) -> bool {
        SECONDS.contains(&self.seconds) && (0..1_000_000_000).contains(&self.nanos)
    }

    fn out_of_range(self) -> TimestampError {
        let Self { seconds, nanos } = self;
        TimestampError(format!("timestamp out of range: {seconds} s and {nanos} ns"))
    }
}

impl From<jiff::Timestamp> for Timestamp {
    fn from(at: jiff::Timestamp) -> Self {
        let (mut seconds, mut nanos) = (at.as_second(), at.subsec_nanosecond());
        if nanos < 0 {
            seconds -= 1;
            nanos += 1_000_000_000;
        }
        Self { seconds, nanos }
    }
}

/// Fails also for the last hours of the year 9999, which `jiff` does not have.
impl TryFrom<Timestamp> for jiff::Timestamp {
    type Error = TimestampError;

    fn try_from(at: Timestamp) -> Result<Self, TimestampError> {
        if !at.is_valid() {
            return Err(at.out_of_range());
        }
        Self::new(at.seconds, at.nanos).map_err(|_| at.out_of_range())
    }
}

/// RFC 3339 with any offset, in either case, with up to nine digits of a second.
impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(s: &str) -> Result<Self, TimestampError> {
        let at = parse(s.as_bytes())
            .ok_or_else(|| TimestampError(format!("`{s}` is not an RFC 3339 timestamp")))?;
        if at.is_valid() { Ok(at) } else { Err(at.out_of_range()) }
    }
}

/// RFC 3339 in UTC with three, six or nine digits of a second.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_valid() {
            return f.write_str(&self.out_of_range().0);
        }
        let mut text = *PATTERN;
        f.write_str(self.write(&mut text))
    }
}

const PATTERN: &[u8; 30] = b"0000-00-00T00:00:00.000000000Z";

impl Timestamp {
    /// Fills in the pattern. Every event carries a timestamp, so it is written digit by digit,
    /// which costs a tenth of what `write!` does.
    fn write(self, text: &mut [u8; 30]) -> &str {
        let (year, month, day) = date_of(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        put_digits(&mut text[0..4], year);
        put_digits(&mut text[5..7], month);
        put_digits(&mut text[8..10], day);
        put_digits(&mut text[11..13], hour);
        put_digits(&mut text[14..16], minute);
        put_digits(&mut text[17..19], second);
        put_digits(&mut text[20..29], i64::from(self.nanos));
        let end = match self.nanos {
            n if n % 1_000_000 == 0 => 23,
            n if n % 1_000 == 0 => 26,
            _ => 29,
        };
        text[end] = b'Z';
        std::str::from_utf8(&text[..=end]).unwrap_or_default()
    }
}

/// Writes a number that fits, with leading zeros.
fn put_digits(text: &mut [u8], mut number: i64) {
    for digit in text.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

const DAY: i64 = 86_400;

/// Exactly the forms of RFC 3339; ISO 8601 has more, which no peer may send.
fn parse(text: &[u8]) -> Option<Timestamp> {
    let (time, rest) = text.split_at_checked(19)?;
    let [year, month, day, hour, minute, second] = numbers(time, b"0000-00-00T00:00:00")?;
    let (nanos, rest) = match rest {
        [b'.', rest @ ..] => fraction(rest)?,
        rest => (0, rest),
    };
    let offset = match rest {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), offset @ ..] => {
            let [hours, minutes] = numbers(offset, b"00:00")?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            let offset = hours * 3600 + minutes * 60;
            if *sign == b'+' { offset } else { -offset }
        }
        _ => return None,
    };
    let days = days_of(year, month, day)?;
    // A leap second is the last second of its minute.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let second = hour * 3600 + minute * 60 + second.min(59);
    Some(Timestamp { seconds: days * DAY + second - offset, nanos })
}

/// The numbers in a text of that shape, where `0` stands for a digit.
fn numbers<const N: usize>(text: &[u8], shape: &[u8]) -> Option<[i64; N]> {
    if text.len() != shape.len() {
        return None;
    }
    let (mut out, mut at) = ([0; N], 0);
    for (byte, shape) in text.iter().zip(shape) {
        match shape {
            b'0' if byte.is_ascii_digit() => {
                let number = out.get_mut(at)?;
                *number = *number * 10 + i64::from(byte - b'0');
            }
            b'0' => return None,
            shape if byte.eq_ignore_ascii_case(shape) => at += 1,
            _ => return None,
        }
    }
    Some(out)
}

/// One to nine digits of a second as nanoseconds, and what follows them.
fn fraction(text: &[u8]) -> Option<(i32, &[u8])> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&count) {
        return None;
    }
    let (digits, rest) = text.split_at(count);
    let digits = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
    Some((digits.fold(0, |nanos, digit| nanos * 10 + i32::from(digit - b'0')), rest))
}

/// Days from 1970-01-01 to a date, if there is such a date.
///
/// Both directions count years from March, so that the leap day is the last of its year, and in
/// eras of 400 years, which are all alike.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(leap),
        _ => 31,
    };
    if !(1..=12).contains(&month) || !(1..=last).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year) = (year.div_euclid(400), year.rem_euclid(400));
    let day = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + year * 365 + year / 4 - year / 100 + day - 719_468)
}

/// The date that many days after 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = (month + 2) % 12 + 1;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

impl Field for Timestamp {
    fn shape() -> Shape {
        Shape::Timestamp
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        encoding::message::encode(number, self, buf);
    }

    fn size(&self, number: u32) -> usize {
        encoding::message::encoded_len(number, self)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        encoding::message::merge(wire_type, self, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.is_valid() {
            s.serialize_str(self.write(&mut { *PATTERN }))
        } else {
            Err(ser::Error::custom(self.out_of_range()))
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(Rfc3339)
    }

    fn first_missing(&self) -> Option<String> {
        (!self.is_valid()).then(String::new)
    }
}

struct Rfc3339;

impl Visitor<'_> for Rfc3339 {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an RFC 3339 timestamp")
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Timestamp, E> {
        s.parse().map_err(E::custom)
    }
}

/// `google.protobuf.Timestamp`.
impl prost::Message for Timestamp {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        if self.seconds != 0 {
            encoding::int64::encode(1, &self.seconds, buf);
        }
        if self.nanos != 0 {
            encoding::int32::encode(2, &self.nanos, buf);
        }
    }

    fn merge_field(
        &mut self,
        number: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match number {
            1 => encoding::int64::merge(wire_type, &mut self.seconds, buf, ctx),
            2 => encoding::int32::merge(wire_type, &mut self.nanos, buf, ctx),
            _ => encoding::skip_field(wire_type, number, buf, ctx),
        }
    }

    fn encoded_len(&self) -> usize {
        let seconds =
            if self.seconds == 0 { 0 } else { encoding::int64::encoded_len(1, &self.seconds) };
        let nanos = if self.nanos == 0 { 0 } else { encoding::int32::encoded_len(2, &self.nanos) };
        seconds + nanos
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}
