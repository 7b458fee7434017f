//! Identifiers: cheap to clone, never mistaken for one another.

use crate::wire::{self, Buf, BufMut, DecodeContext, DecodeError, Field, WireType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The text of an id; `None` is the empty one.
///
/// Not an empty `Arc<str>`: all of those share one counter, which every thread would fight for.
#[derive(Clone, Default, PartialEq, Eq)]
struct Id(Option<Arc<str>>);

impl Id {
    fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl From<Arc<str>> for Id {
    fn from(id: Arc<str>) -> Self {
        Self(Some(id).filter(|id| !id.is_empty()))
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        ///
        /// Opaque to everyone but its maker. The default is empty, which means unset.
        #[derive(Clone, Default, PartialEq, Eq)]
        pub struct $name(Id);

        impl $name {
            /// An id with this text.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(Id::from(id.into()))
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }

            /// Whether the id is unset.
            pub fn is_empty(&self) -> bool {
                self.0.0.is_none()
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self::new(id)
            }
        }

        impl From<String> for $name {
            fn from(id: String) -> Self {
                Self::new(id)
            }
        }

        impl From<Arc<str>> for $name {
            fn from(id: Arc<str>) -> Self {
                Self::new(id)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.as_str().to_owned()
            }
        }

        impl From<$name> for Arc<str> {
            fn from(id: $name) -> Self {
                id.0.0.unwrap_or_default()
            }
        }

        impl From<&$name> for $name {
            fn from(id: &$name) -> Self {
                id.clone()
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.as_str().cmp(other.as_str())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        // As of its text, because it can be borrowed as one.
        impl Hash for $name {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.as_str().hash(state);
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                self.as_str()
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
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
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(self.as_str(), f)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                wire::shared_text(d).map(Self::new)
            }
        }

        impl Field for $name {
            fn shape() -> wire::Shape {
                wire::Shape::String
            }

            fn is_absent(&self) -> bool {
                self.is_empty()
            }

            fn put(&self, number: u32, buf: &mut impl BufMut) {
                wire::put_text(number, self.as_str(), buf);
            }

            fn size(&self, number: u32) -> usize {
                wire::text_size(number, self.as_str())
            }

            fn merge(
                &mut self,
                wire_type: WireType,
                buf: &mut impl Buf,
                ctx: DecodeContext,
            ) -> Result<(), DecodeError> {
                wire::merge_text(wire_type, buf, ctx).map(|id| *self = id.into())
            }

            fn to_json<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }

            fn from_json<'de, D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                wire::shared_text(d).map(Self::new)
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
