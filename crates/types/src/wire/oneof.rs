//! Unions: at most one member is set.

use super::{Buf, BufMut, DecodeContext, DecodeError, Field, FieldShape, WireType};
use serde::de::{self, MapAccess};
use serde::ser::SerializeMap;

/// The union behind a `oneof`; derived with `#[derive(ProtoOneof)]`.
///
/// The default variant means that no member is set, or none that this version knows.
pub trait ProtoOneof: Default {
    /// The name of the union, reported when a message that is nothing else leaves it unset.
    const UNION: &'static str;

    /// Field number of a member's JSON key in either spelling; 0 when unknown.
    fn number_of(key: &str) -> u32;

    /// Whether a member has this field number.
    fn has_number(number: u32) -> bool;

    /// The members, from outside, as members of a union of that name.
    fn members(union: &'static str) -> Vec<FieldShape>;

    /// JSON name of the member that is set.
    fn member(&self) -> Option<&'static str>;

    /// Writes the member that is set as its protobuf field.
    fn put(&self, buf: &mut impl BufMut);

    /// How many bytes [`put`](ProtoOneof::put) writes.
    fn size(&self) -> usize;

    /// Merges a protobuf field into the member `number`.
    fn merge_field(
        &mut self,
        number: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError>;

    /// The first missing path in the member that is set; `union` when none is.
    fn first_missing(&self, union: &str) -> Option<String>;

    /// Writes the member that is set as a JSON entry.
    fn put_json<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error>;

    /// Reads the value of the member `number` from the JSON object.
    fn merge_json<'de, A: MapAccess<'de>>(
        &mut self,
        number: u32,
        map: &mut A,
    ) -> Result<(), A::Error>;
}

/// Reads the value of the member `name`; a second member is an error that names both.
pub fn next_member<'de, U: ProtoOneof, T: Field, A: MapAccess<'de>>(
    map: &mut A,
    union: &mut U,
    name: &'static str,
    wrap: fn(T) -> U,
) -> Result<(), A::Error> {
    let Some(value) = T::member_from_json(map)? else { return Ok(()) };
    if let Some(other) = union.member() {
        let both = format_args!("`{other}` and `{name}` are both set; only one of them may be");
        return Err(de::Error::custom(both));
    }
    *union = wrap(value);
    Ok(())
}
