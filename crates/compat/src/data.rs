//! Data that is no object, which 0.3 cannot hold as it is.
//!
//! It travels as `{"value": …}`, and the metadata says so by a flag, which all kits of A2A know.

use sabir_types::JsonObject;
use serde_json::Value;

const FLAG: &str = "data_part_compat";
const VALUE: &str = "value";

/// Data as 0.3 holds it, with the metadata of its part.
pub(crate) fn wrap(data: Value, metadata: Option<JsonObject>) -> (JsonObject, Option<JsonObject>) {
    match data {
        Value::Object(object) => (object, metadata),
        other => {
            let mut metadata = metadata.unwrap_or_default();
            metadata.insert(FLAG.to_owned(), Value::Bool(true));
            (JsonObject::from_iter([(VALUE.to_owned(), other)]), Some(metadata))
        }
    }
}

/// Data as it was before it was [wrapped](wrap), with the metadata of its part.
pub(crate) fn unwrap(data: Value, metadata: Option<JsonObject>) -> (Value, Option<JsonObject>) {
    let flagged = metadata.as_ref().is_some_and(|all| all.get(FLAG) == Some(&Value::Bool(true)));
    match data {
        Value::Object(mut object) if flagged && object.contains_key(VALUE) => {
            let metadata = metadata
                .map(|mut all| {
                    all.remove(FLAG);
                    all
                })
                .filter(|all| !all.is_empty());
            (object.remove(VALUE).unwrap_or_default(), metadata)
        }
        data => (data, metadata),
    }
}
