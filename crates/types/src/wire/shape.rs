//! What a type looks like from outside, for those who describe it, as the OpenAPI document does.

/// What a type looks like on the wire.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Shape {
    /// Any JSON value, `google.protobuf.Value`.
    Any,
    /// A JSON object, `google.protobuf.Struct`.
    Object,
    /// `bool`.
    Bool,
    /// `int32`.
    Int32,
    /// `string`.
    String,
    /// `bytes`, which is base64 in JSON.
    Bytes,
    /// `google.protobuf.Timestamp`.
    Timestamp,
    /// `google.protobuf.Duration`.
    Duration,
    /// A protocol enum.
    Enum(EnumShape),
    /// Another message.
    Message(MessageShape),
    /// A repeated field.
    List(Box<Self>),
    /// A map with strings as keys.
    Map(Box<Self>),
}

/// A protocol enum, from outside.
#[derive(Clone, Debug)]
pub struct EnumShape {
    /// Its name.
    pub name: &'static str,
    /// The names of its values, in their order.
    pub values: Vec<&'static str>,
}

/// A message, from outside.
#[derive(Clone, Copy, Debug)]
pub struct MessageShape {
    /// Its name.
    pub name: &'static str,
    /// What it is, as its documentation says.
    pub about: &'static str,
    /// Its fields, in the order of their declaration.
    pub fields: fn() -> Vec<FieldShape>,
}

/// A field of a message, from outside.
#[derive(Clone, Debug)]
pub struct FieldShape {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its name in protobuf.
    pub snake: &'static str,
    /// Its number in protobuf.
    pub number: u32,
    /// What it is, as its documentation says.
    pub about: &'static str,
    /// Whether it must be there.
    pub required: bool,
    /// Whether a value that is the default differs from none at all.
    pub optional: bool,
    /// Whether it must not be empty when it must be there.
    pub filled: bool,
    /// The union of which it is a member; exactly one of them must be there.
    pub union: Option<&'static str>,
    /// What it holds.
    pub shape: Shape,
}
