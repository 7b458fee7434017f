//! Protocol enums, by name or by number.

use serde::de::{self, Deserializer, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// A protocol enum; derived with `#[derive(ProtoEnum)]`.
pub trait ProtoEnum: Default + Copy + 'static {
    /// Every value that the protocol names, in its order.
    const ALL: &'static [Self];

    /// The name in the protocol, such as `TASK_STATE_WORKING`.
    fn name(self) -> &'static str;

    /// The number in the protocol.
    fn number(self) -> i32;

    /// The value of a name; unknown ones read as the variant marked `unrecognized`, or else as the
    /// default.
    fn from_name(name: &str) -> Self;

    /// The value of a number; unknown ones as in [`from_name`](ProtoEnum::from_name).
    fn from_number(number: i32) -> Self;
}

/// Reads an enum from its name or its number.
pub fn enum_from_json<'de, E: ProtoEnum, D: Deserializer<'de>>(d: D) -> Result<E, D::Error> {
    d.deserialize_any(NameOrNumber(PhantomData))
}

struct NameOrNumber<E>(PhantomData<E>);

impl<E: ProtoEnum> Visitor<'_> for NameOrNumber<E> {
    type Value = E;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an enum name or number")
    }

    fn visit_str<X: de::Error>(self, name: &str) -> Result<E, X> {
        Ok(E::from_name(name))
    }

    fn visit_i64<X: de::Error>(self, number: i64) -> Result<E, X> {
        let number = i32::try_from(number)
            .map_err(|_| X::invalid_value(de::Unexpected::Signed(number), &self))?;
        Ok(E::from_number(number))
    }

    fn visit_u64<X: de::Error>(self, number: u64) -> Result<E, X> {
        let number = i32::try_from(number)
            .map_err(|_| X::invalid_value(de::Unexpected::Unsigned(number), &self))?;
        Ok(E::from_number(number))
    }

    fn visit_f64<X: de::Error>(self, number: f64) -> Result<E, X> {
        if number.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number) {
            // Whole and in range, so nothing is cut off.
            Ok(E::from_number(number as i32))
        } else {
            Err(X::invalid_value(de::Unexpected::Float(number), &self))
        }
    }
}
