//! One operation as a path item has it.

use super::schema::Schemas;
use sabir_types::wire::{FieldShape, MessageShape, Shape};
use sabir_types::{A2A_EXTENSIONS, A2A_VERSION, Operation, Verb, Version};
use serde_json::{Map, Value, json};

/// What it takes and what it answers.
pub(super) fn describe(
    operation: Operation,
    verb: Verb,
    declared: &[Operation],
    schemas: &mut Schemas,
) -> Value {
    let Shape::Message(request) = operation.request_shape() else { return Value::Null };
    let in_path = path_fields(operation.path());
    let mut parameters = header_parameters(operation);
    for field in (request.fields)() {
        if in_path.contains(&field.name) {
            parameters.push(parameter("path", &field, schemas));
        } else if verb != Verb::Post {
            parameters.push(parameter("query", &field, schemas));
        }
    }
    let other_verb = if verb == operation.verb() { "" } else { "ByGet" };
    let mut described = json!({
        "operationId": format!("{operation}{other_verb}"),
        "parameters": parameters,
        "responses": {
            "200": answer(operation, declared, schemas),
            "default": {"$ref": "#/components/responses/Error"},
        },
    });
    if verb == Verb::Post {
        described["requestBody"] = body(operation, &request, &in_path, schemas);
    }
    described
}

fn path_fields(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

fn parameter(place: &str, field: &FieldShape, schemas: &mut Schemas) -> Value {
    let mut schema = schemas.field(field);
    if place == "path" {
        // An empty segment is another path.
        schema["minLength"] = 1.into();
    }
    json!({"name": field.name, "in": place, "required": place == "path", "schema": schema})
}

/// The service parameters.
fn header_parameters(operation: Operation) -> Vec<Value> {
    let header = |name: &str, required: bool, schema: Value| json!({"name": name, "in": "header", "required": required, "schema": schema});
    let version = json!({"type": "string", "enum": [Version::V1_0.to_string()]});
    let extensions = json!({
        "type": "string",
        "description": "The extensions that the client supports, by URI, with commas between.",
    });
    let mut all =
        vec![header(A2A_VERSION, true, version), header(A2A_EXTENSIONS, false, extensions)];
    if operation.streams() {
        let id = json!({
            "type": "string",
            "pattern": "^[0-9]{1,18}$",
            "description": "The id of the last event that arrived: the stream goes on after it.",
        });
        all.push(header("Last-Event-ID", false, id));
    }
    all
}

fn body(
    operation: Operation,
    request: &MessageShape,
    in_path: &[&str],
    schemas: &mut Schemas,
) -> Value {
    let schema = if in_path.is_empty() {
        schemas.of(&Shape::Message(*request))
    } else {
        schemas.message(request, in_path)
    };
    let needed = |field: &FieldShape| field.required && !in_path.contains(&field.name);
    let required = operation.has_body() && (request.fields)().iter().any(needed);
    json!({"required": required, "content": json_content(&schema)})
}

fn answer(operation: Operation, declared: &[Operation], schemas: &mut Schemas) -> Value {
    let schema = schemas.of(&operation.response_shape());
    if !operation.streams() {
        let links = links(operation, declared);
        return json!({
            "description": "The answer.",
            "content": json_content(&schema),
            "links": links,
        });
    }
    let event = json!({
        "type": "object",
        "description": "One server-sent event.",
        "required": ["data"],
        "properties": {
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "contentSchema": schema,
            },
            "id": {"type": "string", "description": "Goes into `Last-Event-ID`."},
        },
    });
    json!({"description": "The stream.", "content": {"text/event-stream": {"schema": event}}})
}

/// What can be asked next about what was made here.
fn links(operation: Operation, declared: &[Operation]) -> Map<String, Value> {
    let (task, config) = match operation {
        Operation::SendMessage => ("$response.body#/task/id", None),
        Operation::CreateTaskPushNotificationConfig => {
            ("$response.body#/taskId", Some("$response.body#/id"))
        }
        _ => return Map::new(),
    };
    let mut links = Map::new();
    for next in declared {
        let known: Option<Map<_, _>> = path_fields(next.path())
            .into_iter()
            .map(|field| {
                let is_task = field == "taskId" || !next.path().contains("{taskId}");
                let value = if is_task { Some(task) } else { config };
                Some((field.to_owned(), value?.into()))
            })
            .collect();
        if let Some(parameters) = known.filter(|known| !known.is_empty()) {
            let link = json!({"operationId": next.name(), "parameters": parameters});
            links.insert(next.name().to_owned(), link);
        }
    }
    links
}

fn json_content(schema: &Value) -> Map<String, Value> {
    let types = ["application/json", "application/a2a+json"];
    types.into_iter().map(|name| (name.to_owned(), json!({"schema": schema}))).collect()
}
