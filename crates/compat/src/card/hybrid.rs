//! One document that is a card of 1.0 and of 0.3 at once.

use super::{AgentCard, Style};
use sabir_types as v1;
use sabir_types::Error;
use serde_json::Value;

/// The JSON of a card that clients of 1.0 and of 0.3 both read: the members of both, which differ
/// in name wherever they differ in form. A signature would cover one of them only, so there is none.
///
/// # Errors
/// `VersionNotSupported` when the card has no interface of 0.3.
pub fn hybrid(mut card: v1::AgentCard) -> Result<Vec<u8>, Error> {
    card.signatures.clear();
    let older = to_value(&AgentCard::from_v1(card.clone(), Style::Kind)?)?;
    let mut both = to_value(&card)?;
    merge(&mut both, older);
    serde_json::to_vec(&both).map_err(unwritable)
}

fn to_value(card: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(card).map_err(unwritable)
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn unwritable(error: serde_json::Error) -> Error {
    Error::internal(format!("the card cannot be written: {error}"))
}

/// Adds the members of another object, and those of objects within.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(&key) {
                    Some(known) => merge(known, value),
                    None => {
                        into.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(into), Value::Array(from)) if into.len() == from.len() => {
            for (into, from) in into.iter_mut().zip(from) {
                merge(into, from);
            }
        }
        // The same in both.
        _ => {}
    }
}
