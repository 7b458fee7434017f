//! Identifiers: cheap to clone, never mistaken for one another.

use crate::wire::{self, Buf, BufMut, DecodeContext, DecodeError, Field, WireType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        ///
        /// Opaque to everyone but its maker. The default is empty, which means unset.
        #[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// An id with this text.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether the id is unset.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(id.into())
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self(id.into())
            }
        }

        impl From<Arc<str>> for $name {
            fn from(id: Arc<str>) -> Self {
                Self(id)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }

        impl From<$name> for Arc<str> {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.as_str() == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.as_str() == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Field::from_json(d).map(Self)
            }
        }

        impl Field for $name {
            fn shape() -> wire::Shape {
                wire::Shape::String
            }

            fn is_absent(&self) -> bool {
                self.0.is_empty()
            }

            fn put(&self, number: u32, buf: &mut impl BufMut) {
                self.0.put(number, buf);
            }

            fn size(&self, number: u32) -> usize {
                wire::Field::size(&self.0, number)
            }

            fn merge(
                &mut self,
                wire_type: WireType,
                buf: &mut impl Buf,
                ctx: DecodeContext,
            ) -> Result<(), DecodeError> {
                self.0.merge(wire_type, buf, ctx)
            }

            fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                self.0.to_json(s)
            }

            fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                Field::from_json(d).map(Self)
            }
        }
    )*};
}

ids! {
    /// Identifies a task; made by the server.
    TaskId
    /// Groups the tasks and messages of one conversation.
    ContextId
    /// Identifies a message; made by its sender.
    MessageId
    /// Identifies an artifact within its task.
    ArtifactId
}
