//! A refusal, read from any binding and checked against the table of errors.

use sabir::types::{DOMAIN, Error, ErrorKind};
use serde_json::{Value, json};

/// What was refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    /// The fields that are wrong.
    pub(crate) fields: Vec<String>,
}

impl Fault {
    /// Reads `error.data` of JSON-RPC or `error.details` of HTTP+JSON.
    pub(crate) fn read(details: &Value, message: &Value) -> Self {
        let info = &details[0];
        assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo", "{details}");
        assert_eq!(info["domain"], DOMAIN, "{details}");
        let reason = info["reason"].as_str().expect("a reason");
        let details = details.as_array().expect("details are an array");
        let violations = details.iter().filter_map(|detail| detail["fieldViolations"].as_array());
        Self {
            kind: ErrorKind::from_reason(reason).expect(reason),
            message: message.as_str().expect("a message").to_owned(),
            fields: violations
                .flatten()
                .map(|violation| violation["field"].as_str().expect("a field").to_owned())
                .collect(),
        }
    }

    /// In 0.3 only gRPC names the fields, the message does so everywhere.
    pub(crate) fn without_fields(mut self) -> Self {
        self.fields.clear();
        self
    }

    /// For the transcript.
    pub(crate) fn to_json(&self) -> Value {
        json!({"refused": self.kind.reason(), "message": self.message, "fields": self.fields})
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind(),
            message: error.message().to_owned(),
            fields: error.violations().iter().map(|violation| violation.field.clone()).collect(),
        }
    }
}
