//! The OpenAPI document of the HTTP+JSON binding, made of the table of operations and of the types.

mod operation;
mod schema;
mod security;

use crate::auth::Security;
use sabir_types::{AgentCard, Capability, Operation};
use schema::Schemas;
use serde_json::{Map, Value, json};

/// The version of OpenAPI, whose schemas are JSON Schema 2020-12.
const OPENAPI: &str = "3.1.1";

/// Describes what an agent with this card answers below its base URL.
pub(crate) fn document(card: &AgentCard, security: &Security, base: &str) -> Value {
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    let declared: Vec<_> =
        Operation::ALL.into_iter().filter(|operation| declares(card, *operation)).collect();
    for operation in declared.iter().copied() {
        let path = paths.entry(operation.path()).or_insert_with(|| json!({}));
        for verb in operation.verbs() {
            let described = operation::describe(operation, *verb, &declared, &mut schemas);
            path[verb.as_str().to_ascii_lowercase()] = described;
        }
    }
    let mut components = json!({
        "schemas": schemas.into_components(),
        "responses": {"Error": error_response()},
    });
    let mut document = json!({
        "openapi": OPENAPI,
        "info": {
            "title": card.name,
            "description": card.description,
            "version": card.version,
        },
        "servers": [{"url": base}],
        "paths": paths,
    });
    if !security.schemes.is_empty() {
        components["securitySchemes"] = security::schemes(security);
        document["security"] = security::requirements(security);
    }
    document["components"] = components;
    document
}

fn declares(card: &AgentCard, operation: Operation) -> bool {
    match operation.capability() {
        Capability::None => true,
        Capability::Streaming => card.capabilities.streams(),
        Capability::PushNotifications => card.capabilities.pushes(),
        Capability::ExtendedAgentCard => card.capabilities.extends_card(),
    }
}

/// `google.rpc.Status` as §11.6 writes it.
fn error_response() -> Value {
    let detail = json!({
        "type": "object",
        "required": ["@type"],
        "properties": {
            "@type": {"type": "string"},
            "reason": {"type": "string"},
            "domain": {"type": "string"},
        },
    });
    let error = json!({
        "type": "object",
        "required": ["code", "status", "message", "details"],
        "properties": {
            "code": {"type": "integer", "description": "The status of HTTP."},
            "status": {"type": "string", "description": "The name of the gRPC code."},
            "message": {"type": "string"},
            "details": {"type": "array", "minItems": 1, "items": detail},
        },
    });
    let schema = json!({"type": "object", "required": ["error"], "properties": {"error": error}});
    json!({
        "description": "It was refused, or it failed; the reason stands in the first detail.",
        "content": {"application/json": {"schema": schema}},
    })
}
