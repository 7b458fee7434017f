//! Values that 0.3 spells differently: states, roles, times.

use sabir_types::wire::{Buf, BufMut, DecodeContext, DecodeError, Field, WireType};
use sabir_types::{ProtoEnum, Role, TaskState, Timestamp};
use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use std::fmt;

/// The protobuf of a value is that of what it holds.
macro_rules! same_protobuf {
    () => {
        fn put(&self, number: u32, buf: &mut impl BufMut) {
            self.0.put(number, buf);
        }

        fn size(&self, number: u32) -> usize {
            self.0.size(number)
        }

        fn merge(
            &mut self,
            wire_type: WireType,
            buf: &mut impl Buf,
            ctx: DecodeContext,
        ) -> Result<(), DecodeError> {
            self.0.merge(wire_type, buf, ctx)
        }
    };
}

/// A state as kind-JSON has it: `input-required`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindState(pub TaskState);

impl Field for KindState {
    same_protobuf!();

    fn is_absent(&self) -> bool {
        self.0.is_absent()
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(match self.0 {
            TaskState::Unspecified | TaskState::Unrecognized => "unknown",
            state => state.short_name(),
        })
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(AnyState).map(Self)
    }
}

/// A state as the ProtoJSON of 0.3 has it: as in 1.0, but for `TASK_STATE_CANCELLED`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProtoState(pub TaskState);

impl Field for ProtoState {
    same_protobuf!();

    fn is_absent(&self) -> bool {
        self.0.is_absent()
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(match self.0 {
            TaskState::Canceled => "TASK_STATE_CANCELLED",
            state => state.name(),
        })
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(AnyState).map(Self)
    }
}

/// Reads a state in the spelling of any version, or by its number.
struct AnyState;

impl Visitor<'_> for AnyState {
    type Value = TaskState;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task state")
    }

    fn visit_str<E>(self, text: &str) -> Result<TaskState, E> {
        let name = text.strip_prefix("TASK_STATE_").unwrap_or(text);
        let name = name.to_ascii_lowercase().replace('_', "-");
        Ok(match name.as_str() {
            "cancelled" => TaskState::Canceled,
            "unknown" => TaskState::Unspecified,
            name => TaskState::from_short_name(name).unwrap_or(TaskState::Unrecognized),
        })
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<TaskState, E> {
        let number = i32::try_from(number)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))?;
        Ok(TaskState::from_number(number))
    }
}

/// A role as kind-JSON has it: `user`. There is none for a role that is not said; who writes then
/// is the agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindRole(pub Role);

impl Field for KindRole {
    same_protobuf!();

    fn is_absent(&self) -> bool {
        self.0.is_absent()
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(if self.0 == Role::User { "user" } else { "agent" })
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(AnyRole).map(Self)
    }
}

/// Reads a role in the spelling of any version.
struct AnyRole;

impl Visitor<'_> for AnyRole {
    type Value = Role;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a role")
    }

    fn visit_str<E>(self, text: &str) -> Result<Role, E> {
        let name = text.strip_prefix("ROLE_").unwrap_or(text);
        Ok(if name.eq_ignore_ascii_case("user") {
            Role::User
        } else if name.eq_ignore_ascii_case("agent") {
            Role::Agent
        } else {
            Role::Unspecified
        })
    }
}

/// A time: 0.3 says only ISO 8601, so one without a zone is read as UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnyTime(pub Timestamp);

impl Field for AnyTime {
    same_protobuf!();

    fn is_absent(&self) -> bool {
        false
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.to_json(s)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_str(Iso8601).map(Self)
    }

    fn first_missing(&self) -> Option<String> {
        self.0.first_missing()
    }
}

struct Iso8601;

impl Visitor<'_> for Iso8601 {
    type Value = Timestamp;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an ISO 8601 timestamp")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Timestamp, E> {
        text.parse().or_else(|error| format!("{text}Z").parse().map_err(|_| E::custom(error)))
    }
}

/// What a JSON object of kind-JSON says it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kind(pub &'static str);

/// Every kind there is.
const KINDS: [&str; 7] =
    ["task", "message", "status-update", "artifact-update", "text", "file", "data"];

/// It is of JSON alone: nothing stands for it in protobuf.
impl Field for Kind {
    fn is_absent(&self) -> bool {
        self.0.is_empty()
    }

    fn put(&self, _number: u32, _buf: &mut impl BufMut) {}

    fn size(&self, _number: u32) -> usize {
        0
    }

    fn merge(
        &mut self,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        sabir_types::wire::skip_field(wire_type, 1, buf, ctx)
    }

    fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.0)
    }

    fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        String::from_json(d)
            .map(|text| Self(KINDS.into_iter().find(|kind| **kind == text).unwrap_or_default()))
    }
}
