//! The types of the protocol as JSON Schema.

use sabir_types::wire::{EnumShape, FieldShape, MessageShape, Shape};
use serde_json::{Map, Value, json};

/// The messages and enums that were named so far, by their names.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    named: Map<String, Value>,
}

impl Schemas {
    /// Everything that was named, as it stands in `components`.
    pub(super) fn into_components(self) -> Value {
        self.named.into()
    }

    /// The schema of a type; messages and enums are named and referred to.
    pub(super) fn of(&mut self, shape: &Shape) -> Value {
        match shape {
            Shape::Object => json!({"type": "object"}),
            Shape::Bool => json!({"type": "boolean"}),
            Shape::Int32 => json!({"type": "integer", "format": "int32"}),
            Shape::String => json!({"type": "string"}),
            Shape::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
            Shape::Timestamp => json!({"type": "string", "format": "date-time"}),
            Shape::Duration => json!({"type": "string", "pattern": r"^-?\d+(\.\d{1,9})?s$"}),
            Shape::List(items) => json!({"type": "array", "items": self.of(items)}),
            Shape::Map(values) => {
                json!({"type": "object", "additionalProperties": self.of(values)})
            }
            Shape::Enum(values) => self.name(values.name, |_| enumeration(values)),
            Shape::Message(message) => {
                self.name(message.name, |schemas| schemas.message(message, &[]))
            }
            // Any JSON value; whatever else there will be is at least that.
            _ => json!({}),
        }
    }

    /// Refers to a type, which is described the first time.
    fn name(&mut self, name: &str, describe: impl FnOnce(&mut Self) -> Value) -> Value {
        if !self.named.contains_key(name) {
            // Before it is described: what is within may refer to it.
            self.named.insert(name.to_owned(), Value::Null);
            let described = describe(self);
            self.named.insert(name.to_owned(), described);
        }
        json!({"$ref": format!("#/components/schemas/{name}")})
    }

    /// The object that a message is, but for fields that stand elsewhere.
    pub(super) fn message(&mut self, message: &MessageShape, without: &[&str]) -> Value {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut members = Vec::new();
        for field in (message.fields)() {
            if without.contains(&field.name) {
                continue;
            }
            if field.required {
                required.push(field.name);
            }
            if field.union.is_some() {
                members.push(json!({"required": [field.name]}));
            }
            properties.insert(field.name.to_owned(), self.field(&field));
        }
        let mut object = json!({
            "type": "object",
            "description": message.about,
            "properties": properties,
        });
        if !required.is_empty() {
            object["required"] = required.into();
        }
        if !members.is_empty() {
            object["oneOf"] = members.into();
        }
        object
    }

    /// A field, with what it is for.
    pub(super) fn field(&mut self, field: &FieldShape) -> Value {
        let mut schema = self.of(&field.shape);
        schema["description"] = field.about.into();
        if field.filled {
            match &field.shape {
                Shape::String => schema["minLength"] = 1.into(),
                Shape::List(_) => schema["minItems"] = 1.into(),
                // The first value is the one that says nothing.
                Shape::Enum(values) => schema["not"] = json!({"const": values.values[0]}),
                _ => {}
            }
        }
        schema
    }
}

fn enumeration(values: &EnumShape) -> Value {
    json!({"type": "string", "enum": values.values})
}
