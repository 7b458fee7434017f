//! The table of errors, and errors in the words of every binding, there and back.

use sabir_types::{DOMAIN, Error, ErrorKind, ErrorTable, GrpcCode, Operation, TaskState, Version};
use serde_json::json;
use std::error::Error as _;
use std::time::Duration;

const TABLES: [ErrorTable; 2] = [ErrorTable::V1_0_0, ErrorTable::V1_0_1];

/// Kind, JSON-RPC, HTTP and gRPC by 1.0.1, HTTP and gRPC by 1.0.0, reason.
#[rustfmt::skip]
const EXPECTED: [(ErrorKind, i32, u16, &str, u16, &str, &str); 20] = [
    (ErrorKind::TaskNotFound, -32001, 404, "NOT_FOUND", 404, "NOT_FOUND", "TASK_NOT_FOUND"),
    (ErrorKind::TaskNotCancelable, -32002, 400, "FAILED_PRECONDITION", 409, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
    (ErrorKind::PushNotificationNotSupported, -32003, 400, "FAILED_PRECONDITION", 400, "UNIMPLEMENTED", "PUSH_NOTIFICATION_NOT_SUPPORTED"),
    (ErrorKind::UnsupportedOperation, -32004, 400, "FAILED_PRECONDITION", 400, "UNIMPLEMENTED", "UNSUPPORTED_OPERATION"),
    (ErrorKind::ContentTypeNotSupported, -32005, 400, "INVALID_ARGUMENT", 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
    (ErrorKind::InvalidAgentResponse, -32006, 500, "INTERNAL", 502, "INTERNAL", "INVALID_AGENT_RESPONSE"),
    (ErrorKind::ExtendedAgentCardNotConfigured, -32007, 400, "FAILED_PRECONDITION", 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
    (ErrorKind::ExtensionSupportRequired, -32008, 400, "FAILED_PRECONDITION", 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"),
    (ErrorKind::VersionNotSupported, -32009, 400, "FAILED_PRECONDITION", 400, "UNIMPLEMENTED", "VERSION_NOT_SUPPORTED"),
    (ErrorKind::ParseError, -32700, 400, "INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", "PARSE_ERROR"),
    (ErrorKind::InvalidRequest, -32600, 400, "INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
    (ErrorKind::MethodNotFound, -32601, 404, "UNIMPLEMENTED", 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND"),
    (ErrorKind::InvalidParams, -32602, 400, "INVALID_ARGUMENT", 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
    (ErrorKind::Internal, -32603, 500, "INTERNAL", 500, "INTERNAL", "INTERNAL_ERROR"),
    (ErrorKind::Unauthenticated, -32051, 401, "UNAUTHENTICATED", 401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
    (ErrorKind::Forbidden, -32052, 403, "PERMISSION_DENIED", 403, "PERMISSION_DENIED", "FORBIDDEN"),
    (ErrorKind::RateLimited, -32053, 429, "RESOURCE_EXHAUSTED", 429, "RESOURCE_EXHAUSTED", "RATE_LIMITED"),
    (ErrorKind::TooLarge, -32054, 413, "RESOURCE_EXHAUSTED", 413, "RESOURCE_EXHAUSTED", "TOO_LARGE"),
    (ErrorKind::Unavailable, -32055, 503, "UNAVAILABLE", 503, "UNAVAILABLE", "UNAVAILABLE"),
    (ErrorKind::Remote, -32056, 502, "UNKNOWN", 502, "UNKNOWN", "REMOTE"),
];

#[test]
fn the_table_is_the_specifications() {
    assert_eq!(ErrorKind::all().len(), EXPECTED.len());
    for (kind, row) in ErrorKind::all().zip(EXPECTED) {
        let (expected, jsonrpc, http, grpc, old_http, old_grpc, reason) = row;
        assert_eq!(kind, expected);
        assert_eq!(kind.jsonrpc_code(), jsonrpc, "{kind:?}");
        assert_eq!(kind.http_status(ErrorTable::V1_0_1), http, "{kind:?}");
        assert_eq!(kind.grpc_code(ErrorTable::V1_0_1).name(), grpc, "{kind:?}");
        assert_eq!(kind.http_status(ErrorTable::V1_0_0), old_http, "{kind:?}");
        assert_eq!(kind.grpc_code(ErrorTable::V1_0_0).name(), old_grpc, "{kind:?}");
        assert_eq!(kind.reason(), reason);
        assert_eq!(ErrorKind::from_reason(reason), Some(kind));
        let message = kind.default_message();
        assert!(!message.ends_with('.') && !message.starts_with(char::is_uppercase), "{message}");
    }
    assert_eq!(ErrorTable::default(), ErrorTable::V1_0_1);
}

#[test]
fn no_two_kinds_share_a_code_or_a_reason() {
    for a in ErrorKind::all() {
        for b in ErrorKind::all().filter(|b| *b != a) {
            assert_ne!(a.jsonrpc_code(), b.jsonrpc_code());
            assert_ne!(a.reason(), b.reason());
        }
    }
}

/// §9.5: the codes of A2A, ours among them, lie within -32001..=-32099.
#[test]
fn our_codes_lie_where_a2a_puts_its_own() {
    for kind in ErrorKind::all() {
        let code = kind.jsonrpc_code();
        let standard = matches!(code, -32700 | -32603..=-32600);
        assert!(standard || (-32099..=-32001).contains(&code), "{kind:?}");
    }
}

#[test]
fn grpc_codes_have_their_numbers_and_names() {
    for (number, code) in GrpcCode::ALL.into_iter().enumerate() {
        assert_eq!(code.number(), i32::try_from(number).unwrap());
        assert_eq!(GrpcCode::from_number(code.number()), code);
        assert_eq!(GrpcCode::from_name(code.name()), Some(code));
    }
    assert_eq!(GrpcCode::NotFound.number(), 5);
    assert_eq!(GrpcCode::from_number(99), GrpcCode::Unknown);
}

fn rich(kind: ErrorKind) -> Error {
    Error::new(kind, "what went wrong")
        .with_violation("message.parts[0]", "must have content")
        .with_violation("metadata", "is too large")
        .with_metadata("taskId", "t1")
        .with_retry_after(Duration::from_millis(1500))
}

fn assert_same(read: &Error, sent: &Error, how: &str) {
    assert_eq!(read.kind(), sent.kind(), "{how}");
    assert_eq!(read.message(), sent.message(), "{how}");
    assert_eq!(read.violations(), sent.violations(), "{how}");
    assert_eq!(read.metadata(), sent.metadata(), "{how}");
    assert_eq!(read.retry_after(), sent.retry_after(), "{how}");
}

#[test]
fn every_kind_survives_every_binding_by_both_tables() {
    for kind in ErrorKind::all() {
        for sent in [rich(kind), Error::from(kind)] {
            let json = sent.to_jsonrpc_json();
            let code = json["code"].as_i64().unwrap();
            let message = json["message"].as_str().unwrap();
            let read = Error::from_jsonrpc(code, message, json.get("data"));
            assert_same(&read, &sent, "JSON-RPC");
            for table in TABLES {
                let http = kind.http_status(table);
                let body = sent.to_status_json(table).to_string();
                let read = Error::from_status_json(http, body.as_bytes());
                assert_same(&read, &sent, "HTTP");

                let status = sent.to_status_protobuf(table);
                let read = Error::from_grpc(kind.grpc_code(table), sent.message(), &status);
                assert_same(&read, &sent, "gRPC");
            }
        }
    }
}

#[test]
fn details_are_google_rpc_objects_with_the_error_info_first() {
    assert_eq!(
        json!(rich(ErrorKind::InvalidParams).details()),
        json!([
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "INVALID_PARAMS",
                "domain": "a2a-protocol.org",
                "metadata": {"taskId": "t1"},
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [
                    {"field": "message.parts[0]", "description": "must have content"},
                    {"field": "metadata", "description": "is too large"},
                ],
            },
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.500s"},
        ]),
    );
    assert_eq!(Error::from(ErrorKind::Internal).details().len(), 1);
    assert_eq!(DOMAIN, "a2a-protocol.org");
}

#[test]
fn an_http_body_says_status_and_code_by_the_table() {
    let error = Error::task_not_cancelable(&"t1".into(), TaskState::Completed);
    let new = error.to_status_json(ErrorTable::V1_0_1);
    assert_eq!(new["error"]["code"], 400);
    assert_eq!(new["error"]["status"], "FAILED_PRECONDITION");
    assert_eq!(new["error"]["message"], "task t1 cannot be canceled: it is completed");
    assert_eq!(error.to_status_json(ErrorTable::V1_0_0)["error"]["code"], 409);
    assert_eq!(new.as_object().unwrap().len(), 1);
    assert_eq!(new["error"].as_object().unwrap().len(), 4);
}

#[test]
fn a_jsonrpc_error_has_three_members() {
    let json = Error::task_not_found(&"t1".into()).to_jsonrpc_json();
    assert_eq!(json["code"], -32001);
    assert_eq!(json["message"], "task not found: t1");
    assert_eq!(json["data"][0]["reason"], "TASK_NOT_FOUND");
    assert_eq!(json.as_object().unwrap().len(), 3);
}

/// `google.rpc.Status` by the types of the official SDK's gRPC stack.
#[test]
fn the_protobuf_status_has_the_numbers_of_google_rpc() {
    let status = Error::new(ErrorKind::TaskNotFound, "m").to_status_protobuf(ErrorTable::V1_0_1);
    let url = b"type.googleapis.com/google.rpc.ErrorInfo";
    let info = [&[0x0a, 14][..], b"TASK_NOT_FOUND", &[0x12, 16], b"a2a-protocol.org"].concat();
    let any = [&[0x0a, url.len() as u8][..], url, &[0x12, info.len() as u8], &info].concat();
    let expected = [&[0x08, 5, 0x12, 1, b'm', 0x1a, any.len() as u8][..], &any].concat();
    assert_eq!(status, expected);
}

#[test]
fn without_a_reason_the_http_status_decides() {
    let bare = |status: u16, google: &str| {
        let body = json!({"error": {"code": status, "status": google, "message": "theirs"}});
        let error = Error::from_status_json(status, body.to_string().as_bytes());
        assert_eq!(error.message(), "theirs");
        error.kind()
    };
    assert_eq!(bare(400, "INVALID_ARGUMENT"), ErrorKind::InvalidParams);
    assert_eq!(bare(400, "FAILED_PRECONDITION"), ErrorKind::UnsupportedOperation);
    assert_eq!(bare(404, "NOT_FOUND"), ErrorKind::TaskNotFound);
    for (status, kind) in [
        (400, ErrorKind::InvalidParams),
        (401, ErrorKind::Unauthenticated),
        (403, ErrorKind::Forbidden),
        (404, ErrorKind::MethodNotFound),
        (405, ErrorKind::MethodNotFound),
        (408, ErrorKind::Unavailable),
        (409, ErrorKind::TaskNotCancelable),
        (413, ErrorKind::TooLarge),
        (415, ErrorKind::ContentTypeNotSupported),
        (418, ErrorKind::Remote),
        (422, ErrorKind::InvalidParams),
        (429, ErrorKind::RateLimited),
        (500, ErrorKind::Internal),
        (501, ErrorKind::MethodNotFound),
        (502, ErrorKind::Remote),
        (503, ErrorKind::Unavailable),
        (504, ErrorKind::Unavailable),
    ] {
        let error = Error::from_status_json(status, b"<html>no</html>");
        assert_eq!(error.kind(), kind, "{status}");
        assert_eq!(error.message(), format!("HTTP {status}"));
    }
}

#[test]
fn the_message_is_found_in_other_peoples_bodies() {
    let message = |body: &str| Error::from_status_json(400, body.as_bytes()).message().to_owned();
    assert_eq!(message(r#"{"type":"x","title":"Bad","detail":"page too big"}"#), "page too big");
    assert_eq!(message(r#"{"title":"Bad"}"#), "Bad");
    assert_eq!(message(r#"{"message":"flat"}"#), "flat");
    assert_eq!(message(r#"{"error":"invalid_token"}"#), "invalid_token");
    assert_eq!(message("[]"), "HTTP 400");
}

#[test]
fn without_a_reason_the_jsonrpc_code_decides() {
    for kind in ErrorKind::all().filter(|kind| *kind < ErrorKind::Unauthenticated) {
        let code = kind.jsonrpc_code().into();
        let error = Error::from_jsonrpc(code, "theirs", None);
        assert_eq!((error.kind(), error.message()), (kind, "theirs"));
        // 0.3 servers put a string there.
        assert_eq!(Error::from_jsonrpc(code, "theirs", Some(&json!("data"))).kind(), kind);
    }
    // Another server means something else by our codes.
    for code in [-32051, -32000, -32099, 1, 0, i64::MAX] {
        assert_eq!(Error::from_jsonrpc(code, "theirs", None).kind(), ErrorKind::Remote, "{code}");
    }
    assert_eq!(Error::from_jsonrpc(-32000, "", None).message(), "error -32000");
}

#[test]
fn a_precondition_alone_is_that_of_the_operation() {
    let json = |status: &str, details: &str| {
        let body =
            format!(r#"{{"error":{{"code":400,"status":"{status}","details":[{details}]}}}}"#);
        Error::from_status_json(400, body.as_bytes())
    };
    let reason = r#"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNSUPPORTED_OPERATION","domain":"a2a-protocol.org"}"#;
    let kind = |error: Error, operation| error.answering(operation).kind();
    let (cancel, send) = (Operation::CancelTask, Operation::SendMessage);
    let (not_cancelable, unsupported) =
        (ErrorKind::TaskNotCancelable, ErrorKind::UnsupportedOperation);
    assert_eq!(kind(json("FAILED_PRECONDITION", ""), cancel), not_cancelable);
    assert_eq!(kind(json("FAILED_PRECONDITION", ""), send), unsupported);
    assert_eq!(kind(json("FAILED_PRECONDITION", reason), cancel), unsupported);
    assert_eq!(kind(json("UNIMPLEMENTED", ""), cancel), unsupported);
    let grpc = || Error::from_grpc(GrpcCode::FailedPrecondition, "", b"");
    assert_eq!((kind(grpc(), cancel), kind(grpc(), send)), (not_cancelable, unsupported));
    let ours = Error::unsupported_operation("no");
    let status = ours.to_status_protobuf(ErrorTable::V1_0_1);
    let named = Error::from_grpc(GrpcCode::FailedPrecondition, "", &status);
    assert_eq!((kind(named, cancel), kind(ours, cancel)), (unsupported, unsupported));
}

#[test]
fn without_a_reason_the_grpc_code_decides() {
    for (code, kind) in [
        (GrpcCode::NotFound, ErrorKind::TaskNotFound),
        (GrpcCode::FailedPrecondition, ErrorKind::UnsupportedOperation),
        (GrpcCode::InvalidArgument, ErrorKind::InvalidParams),
        (GrpcCode::Unimplemented, ErrorKind::MethodNotFound),
        (GrpcCode::Unauthenticated, ErrorKind::Unauthenticated),
        (GrpcCode::PermissionDenied, ErrorKind::Forbidden),
        (GrpcCode::ResourceExhausted, ErrorKind::RateLimited),
        (GrpcCode::Unavailable, ErrorKind::Unavailable),
        (GrpcCode::Internal, ErrorKind::Internal),
        (GrpcCode::Unknown, ErrorKind::Remote),
    ] {
        assert_eq!(Error::from_grpc(code, "theirs", b"").kind(), kind);
        assert_eq!(Error::from_grpc(code, "theirs", b"\xff\xff").kind(), kind, "garbage details");
    }
    assert_eq!(Error::from_grpc(GrpcCode::Unknown, "", b"").message(), "UNKNOWN");
}

#[test]
fn a_reason_of_another_domain_is_not_ours() {
    let info = |domain: &str, reason: &str| json!({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "domain": domain, "reason": reason});
    let proxy = info("proxy.example", "UNAVAILABLE");
    let data = json!([proxy]);
    assert_eq!(Error::from_jsonrpc(-32001, "m", Some(&data)).kind(), ErrorKind::TaskNotFound);
    let data = json!([proxy, info(DOMAIN, "TASK_NOT_CANCELABLE"), {"@type": 5}, null]);
    assert_eq!(Error::from_jsonrpc(-32001, "m", Some(&data)).kind(), ErrorKind::TaskNotCancelable);
    let data = json!([info(DOMAIN, "A_REASON_OF_2031")]);
    assert_eq!(Error::from_jsonrpc(-32001, "m", Some(&data)).kind(), ErrorKind::TaskNotFound);
}

#[test]
fn an_absurd_retry_delay_hides_nothing() {
    for (delay, after) in [
        (json!("2s"), Some(Duration::from_secs(2))),
        (json!("0.25s"), Some(Duration::from_millis(250))),
        (json!("-5s"), Some(Duration::ZERO)),
        (json!("1e300s"), None),
        (json!("soon"), None),
        (json!(5), None),
    ] {
        let data = json!([{"@type": "x/google.rpc.RetryInfo", "retryDelay": delay}]);
        let error = Error::from_jsonrpc(-32055, "m", Some(&data));
        assert_eq!(error.retry_after(), after, "{delay}");
    }
    let huge = Error::from(ErrorKind::Unavailable).with_retry_after(Duration::MAX);
    let status = huge.to_status_protobuf(ErrorTable::V1_0_1);
    assert!(Error::from_grpc(GrpcCode::Unavailable, "", &status).retry_after().is_some());
}

#[test]
fn an_error_says_what_it_is() {
    let cause = std::io::Error::other("disk on fire");
    let error = Error::internal("the store is down").with_source(cause);
    assert_eq!(error.to_string(), "the store is down");
    assert_eq!(error.source().unwrap().to_string(), "disk on fire");
    assert!(format!("{error:?}").contains("disk on fire"));
    assert!(!error.to_jsonrpc_json().to_string().contains("fire"), "a cause is never sent");
    assert_eq!(size_of::<Error>(), size_of::<usize>());

    let error = Error::version_not_supported("2.0", &[Version::V1_0, Version::V0_3]);
    assert_eq!(
        error.message(),
        "A2A version `2.0` is not supported: send the header `A2A-Version: 1.0`",
    );
    assert_eq!(error.metadata()["supportedVersions"], "1.0, 0.3");
    assert_eq!(Error::too_large(10).message(), "larger than 10 bytes");
    assert!(ErrorKind::RateLimited.is_transient() && !ErrorKind::TaskNotFound.is_transient());
    assert!(ErrorKind::TaskNotFound.is_refusal() && !ErrorKind::Internal.is_refusal());
    fn shared<T: Send + Sync + Clone>() {}
    shared::<Error>();
}

#[test]
fn nothing_that_comes_in_as_an_error_panics() {
    for body in ["", "null", "5", "[]", r#"{"error":null}"#, r#"{"error":{"details":5}}"#] {
        Error::from_status_json(0, body.as_bytes());
        let data = serde_json::from_str(body).ok();
        Error::from_jsonrpc(0, "", data.as_ref());
        Error::from_grpc(GrpcCode::Ok, "", body.as_bytes());
    }
    let mut status = rich(ErrorKind::InvalidParams).to_status_protobuf(ErrorTable::V1_0_1);
    while status.pop().is_some() {
        Error::from_grpc(GrpcCode::Internal, "m", &status);
    }
}
