//! The `google.rpc` messages that carry an error, in JSON and in protobuf.

use super::{DOMAIN, Error, ErrorTable};
use crate::wire::{ProtoMessage as Wire, prost::Message as _};
use bytes::Bytes;
use sabir_wire_derive::ProtoMessage;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// `google.rpc.Status`, as it stands in `grpc-status-details-bin`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct Status {
    #[field(1)]
    pub(super) code: i32,
    #[field(2)]
    pub(super) message: String,
    #[field(3)]
    pub(super) details: Vec<Any>,
}

/// `google.protobuf.Any`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct Any {
    #[field(1)]
    pub(super) type_url: String,
    #[field(2)]
    pub(super) value: Bytes,
}

/// `google.rpc.ErrorInfo`: the reason, and facts for programs.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct ErrorInfo {
    #[field(1)]
    pub(super) reason: String,
    #[field(2)]
    pub(super) domain: String,
    #[field(3)]
    pub(super) metadata: BTreeMap<String, String>,
}

/// `google.rpc.BadRequest`: what is wrong with the request.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct BadRequest {
    #[field(1)]
    pub(super) field_violations: Vec<FieldViolation>,
}

/// `google.rpc.BadRequest.FieldViolation`.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct FieldViolation {
    #[field(1)]
    pub(super) field: String,
    #[field(2)]
    pub(super) description: String,
}

/// `google.rpc.RetryInfo`: when to ask again.
#[derive(Clone, Debug, Default, PartialEq, ProtoMessage)]
pub(super) struct RetryInfo {
    #[field(1)]
    pub(super) retry_delay: Option<Duration>,
}

/// A message that may stand in an `Any`.
pub(super) trait Detail: Wire {
    /// The last segment of its type URL.
    const NAME: &'static str;
}

impl Detail for ErrorInfo {
    const NAME: &'static str = "google.rpc.ErrorInfo";
}

impl Detail for BadRequest {
    const NAME: &'static str = "google.rpc.BadRequest";
}

impl Detail for RetryInfo {
    const NAME: &'static str = "google.rpc.RetryInfo";
}

fn type_url<D: Detail>() -> String {
    format!("type.googleapis.com/{}", D::NAME)
}

/// One detail as a JSON object, its type beside its fields.
fn to_json<D: Detail + serde::Serialize>(detail: &D) -> Value {
    let mut out = serde_json::to_value(detail).expect("strings and durations are always JSON");
    out["@type"] = type_url::<D>().into();
    out
}

fn to_any<D: Detail>(detail: &D) -> Any {
    Any { type_url: type_url::<D>(), value: detail.encode_to_vec().into() }
}

impl Error {
    fn error_info(&self) -> ErrorInfo {
        ErrorInfo {
            reason: self.kind().reason().to_owned(),
            domain: DOMAIN.to_owned(),
            metadata: self.metadata().clone(),
        }
    }

    fn bad_request(&self) -> Option<BadRequest> {
        let field_violations: Vec<_> = self
            .violations()
            .iter()
            .map(|v| FieldViolation { field: v.field.clone(), description: v.description.clone() })
            .collect();
        (!field_violations.is_empty()).then_some(BadRequest { field_violations })
    }

    fn retry_info(&self) -> Option<RetryInfo> {
        self.retry_after().map(|delay| RetryInfo { retry_delay: Some(delay) })
    }

    /// The details as JSON objects with `@type`: the `ErrorInfo` first, then what is wrong with the
    /// request, then when to ask again.
    pub fn details(&self) -> Vec<Value> {
        let mut out = vec![to_json(&self.error_info())];
        out.extend(self.bad_request().as_ref().map(to_json));
        out.extend(self.retry_info().as_ref().map(to_json));
        out
    }

    /// The body of an error in HTTP+JSON: `{"error": {"code", "status", "message", "details"}}`.
    pub fn to_status_json(&self, table: ErrorTable) -> Value {
        json!({"error": {
            "code": self.kind().http_status(table),
            "status": self.kind().grpc_code(table).name(),
            "message": self.message(),
            "details": self.details(),
        }})
    }

    /// The error object of JSON-RPC: `{"code", "message", "data"}`. It is the same by both tables.
    pub fn to_jsonrpc_json(&self) -> Value {
        json!({
            "code": self.kind().jsonrpc_code(),
            "message": self.message(),
            "data": self.details(),
        })
    }

    /// `google.rpc.Status` in protobuf, for the trailer `grpc-status-details-bin`.
    pub fn to_status_protobuf(&self, table: ErrorTable) -> Vec<u8> {
        let mut details = vec![to_any(&self.error_info())];
        details.extend(self.bad_request().as_ref().map(to_any));
        details.extend(self.retry_info().as_ref().map(to_any));
        let code = self.kind().grpc_code(table).number();
        Status { code, message: self.message().to_owned(), details }.encode_to_vec()
    }
}
