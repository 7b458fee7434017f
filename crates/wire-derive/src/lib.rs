//! Derives both encodings of a protocol type, protobuf and ProtoJSON, from one list of field numbers.
//!
//! Three derives, all meant for the crate `sabir-types` and the crates that name it:
//!
//! - [`macro@ProtoMessage`] for a message: a struct, or an enum when the message is one `oneof`;
//! - [`macro@ProtoOneof`] for the union behind a `oneof` that stands among other fields;
//! - [`macro@ProtoEnum`] for a protocol enum.
//!
//! ```ignore
//! #[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
//! struct Task {
//!     #[field(1, required)]
//!     id: TaskId,
//!     #[field(4)]
//!     artifacts: Vec<Artifact>,
//! }
//! ```
//!
//! The **type** of a field chooses its codec, through the trait `sabir_types::wire::Field`; the
//! attribute says only what the type cannot:
//!
//! | in `#[field(…)]` | means |
//! |--|--|
//! | `4` | the field number, 1 to 63 |
//! | `required` | always written, and reported by `missing()` when absent |
//! | `may_be_empty` | with `required`: always written, and never reported for being empty |
//! | `optional` | has presence of its own (proto3's `optional`): `Some(false)` is written |
//! | `name = "snake_case"` | the name in the protocol, when the Rust name does not give it |
//! | `json_name = "camelCase"` | the name in JSON, when the name in the protocol does not give it |
//! | `oneof` | the field is a union; its members' numbers stand in its type |
//! | `unrecognized` | on one variant of an enum: what an unknown name or number reads as |
//!
//! Generated code names nothing but `::sabir_types::wire`.

mod attribute;
mod case;
mod enumeration;
mod message;
mod oneof;

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{DeriveInput, Error, Result, parse_macro_input};

/// Derives `ProtoMessage`, `Field`, `prost::Message`, `Serialize` and `Deserialize` for a message.
///
/// A struct lists its fields; an enum is a message that is nothing but one `oneof`.
#[proc_macro_derive(ProtoMessage, attributes(field))]
pub fn message(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), message::expand)
}

/// Derives `ProtoOneof` for the union behind a `oneof`; its default variant, without `#[field]`,
/// means that none of the members is set.
#[proc_macro_derive(ProtoOneof, attributes(field))]
pub fn oneof(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), oneof::expand)
}

/// Derives `ProtoEnum` and `Field` for a protocol enum: `TaskState::InputRequired = 6` is
/// `TASK_STATE_INPUT_REQUIRED`.
#[proc_macro_derive(ProtoEnum, attributes(field))]
pub fn enumeration(input: TokenStream) -> TokenStream {
    expand(&parse_macro_input!(input), enumeration::expand)
}

type Derive = fn(&DeriveInput) -> Result<Tokens>;

fn expand(input: &DeriveInput, derive: Derive) -> TokenStream {
    checked(input, derive).unwrap_or_else(Error::into_compile_error).into()
}

fn checked(input: &DeriveInput, derive: Derive) -> Result<Tokens> {
    if input.generics.params.is_empty() {
        derive(input)
    } else {
        Err(Error::new_spanned(&input.generics, "a protocol type has no type parameters"))
    }
}

/// The runtime that generated code calls.
fn wire() -> Tokens {
    quote!(::sabir_types::wire)
}

/// What a mistake is told; what is right is tested where it is used, in `sabir-types`.
#[cfg(test)]
mod tests {
    use super::{Derive, checked, enumeration, message, oneof};
    use syn::{DeriveInput, parse_quote};

    fn refusal(derive: Derive, input: &DeriveInput) -> String {
        checked(input, derive).expect_err("it is a mistake").to_string()
    }

    #[test]
    fn a_field_without_its_number_is_named() {
        let error = refusal(
            message::expand,
            &parse_quote!(
                struct A {
                    x: String,
                }
            ),
        );
        assert_eq!(error, "every field needs #[field(number)]");
        let error = refusal(
            message::expand,
            &parse_quote!(
                struct A {
                    #[field(required)]
                    x: T,
                }
            ),
        );
        assert_eq!(error, "the field number is missing: #[field(4)]");
    }

    #[test]
    fn a_number_is_used_once_and_in_range() {
        let twice = parse_quote!(
            struct A {
                #[field(1)]
                x: String,
                #[field(1)]
                y: String,
            }
        );
        assert_eq!(refusal(message::expand, &twice), "field number 1 is used twice");
        let twice = parse_quote!(
            enum A {
                Unset,
                #[field(1)]
                X(String),
                #[field(1)]
                Y(String),
            }
        );
        assert_eq!(refusal(oneof::expand, &twice), "field number 1 is used twice");
        for wrong in [
            parse_quote!(
                struct A {
                    #[field(0)]
                    x: String,
                }
            ),
            parse_quote!(
                struct A {
                    #[field(64)]
                    x: String,
                }
            ),
        ] {
            assert_eq!(refusal(message::expand, &wrong), "a field number is between 1 and 63");
        }
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = refusal(
            message::expand,
            &parse_quote!(
                struct A {
                    #[field(1, must)]
                    x: T,
                }
            ),
        );
        assert!(error.starts_with("unknown word `must`; expected a field number, `required`"));
    }

    #[test]
    fn words_that_contradict_each_other_are_refused() {
        for (input, fault) in [
            (
                parse_quote!(
                    struct A {
                        #[field(1, required, optional)]
                        x: T,
                    }
                ),
                "a field is `required` or `optional`, not both",
            ),
            (
                parse_quote!(
                    struct A {
                        #[field(1, may_be_empty)]
                        x: T,
                    }
                ),
                "`may_be_empty` says something only beside `required`",
            ),
            (
                parse_quote!(
                    struct A {
                        #[field(1, oneof)]
                        x: T,
                    }
                ),
                "a `oneof` has no number of its own: its members have",
            ),
            (
                parse_quote!(
                    struct A {
                        #[field(1, unrecognized)]
                        x: T,
                    }
                ),
                "`unrecognized` belongs to a variant of an enum",
            ),
            (
                parse_quote!(
                    struct A {
                        #[field(1)]
                        #[field(2)]
                        x: T,
                    }
                ),
                "a second #[field] on the same item",
            ),
            (
                parse_quote!(
                    struct A {
                        #[field(oneof)]
                        x: T,
                        #[field(oneof)]
                        y: U,
                    }
                ),
                "only one `oneof` in a message is supported",
            ),
        ] {
            assert_eq!(refusal(message::expand, &input), fault);
        }
    }

    #[test]
    fn a_union_needs_an_unset_variant_and_members_of_one_value() {
        let error = refusal(
            oneof::expand,
            &parse_quote!(
                enum A {
                    #[field(1)]
                    X(String),
                }
            ),
        );
        assert!(error.contains("a variant without #[field] that means unset"), "{error}");
        let error = refusal(
            oneof::expand,
            &parse_quote!(
                enum A {
                    Unset,
                    #[field(1)]
                    X,
                }
            ),
        );
        assert_eq!(error, "a member of a oneof holds one value");
        let error = refusal(
            oneof::expand,
            &parse_quote!(
                enum A {
                    Unset,
                    X(String),
                }
            ),
        );
        assert!(error.starts_with("every member needs #[field(number)]"), "{error}");
        let error = refusal(
            oneof::expand,
            &parse_quote!(
                struct A {
                    x: String,
                }
            ),
        );
        assert_eq!(error, "a oneof is an enum with a variant per member");
    }

    #[test]
    fn an_enum_needs_its_numbers() {
        let error = refusal(
            enumeration::expand,
            &parse_quote!(
                enum A {
                    X,
                    Y = 1,
                }
            ),
        );
        assert_eq!(error, "a value has a number and nothing else: `A = 1`");
        let error = refusal(
            enumeration::expand,
            &parse_quote!(
                struct A;
            ),
        );
        assert_eq!(error, "a protocol enum is an enum");
    }

    #[test]
    fn a_message_is_plain() {
        let error = refusal(
            message::expand,
            &parse_quote!(
                struct A(String);
            ),
        );
        assert_eq!(error, "a message has named fields");
        let error = refusal(
            message::expand,
            &parse_quote!(
                struct A<T> {
                    #[field(1)]
                    x: T,
                }
            ),
        );
        assert_eq!(error, "a protocol type has no type parameters");
    }
}
