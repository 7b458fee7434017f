//! Spans of time, written as `google.protobuf.Duration`.

use super::{Buf, BufMut, DecodeContext, DecodeError, Field, Shape, Timestamp, WireType};
use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use std::fmt;
use std::time::Duration;

/// A `Duration` has the same two fields as a `Timestamp`.
fn fields(duration: &Duration) -> Timestamp {
    // Half the seconds that a `Duration` holds are out of the protocol's range anyway.
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    Timestamp::raw(seconds, duration.subsec_nanos().cast_signed())
}

/// A span that is negative, which nobody can wait for, reads as none.
impl Field for Duration {
    fn shape() -> Shape {
        Shape::Duration
    }

    fn is_absent(&self) -> bool {
        false
    }

    fn put(&self, number: u32, buf: &mut impl BufMut) {
        fields(self).put(number, buf);
    }

    fn size(&self, number: u32) -> usize {
        fields(self).size(number)
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        let mut raw = fields(self);
        raw.merge(wire_type, buf, ctx)?;
        let seconds = u64::try_from(raw.seconds()).unwrap_or_default();
        let nanos = u32::try_from(raw.nanos()).unwrap_or_default().min(999_999_999);
        *self = Self::new(seconds, nanos);
        Ok(())
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let seconds = self.as_secs();
        match self.subsec_nanos() {
            0 => s.collect_str(&format_args!("{seconds}s")),
            n if n % 1_000_000 == 0 => {
                s.collect_str(&format_args!("{seconds}.{:03}s", n / 1_000_000))
            }
            n => s.collect_str(&format_args!("{seconds}.{n:09}s")),
        }
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(Seconds)
    }
}

/// Reads `1.5s`.
struct Seconds;

impl Visitor<'_> for Seconds {
    type Value = Duration;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a duration such as `1.5s`")
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Duration, E> {
        s.strip_suffix('s')
            .and_then(|number| number.parse::<f64>().ok())
            .and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok())
            .ok_or_else(|| E::invalid_value(de::Unexpected::Str(s), &self))
    }
}
