//! Errors on their way out, and in the shapes of others.

use sabir_compat::error;
use sabir_types::jsonrpc::Id;
use sabir_types::{Error, ErrorKind, ErrorTable, GrpcCode};

#[test]
fn an_error_has_a_code_a_message_and_in_http_json_a_name() {
    let error = Error::task_not_found(&"t1".into());
    let body = String::from_utf8(error::body(&error)).unwrap();
    assert_eq!(
        body,
        r#"{"code":-32001,"message":"task not found: t1","type":"TaskNotFoundError"}"#
    );
    let failure = String::from_utf8(error::failure(&Id::string("a"), &error)).unwrap();
    assert_eq!(
        failure,
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32001,"message":"task not found: t1"}}"#
    );
    let newer = Error::extension_support_required("urn:x");
    assert!(String::from_utf8(error::body(&newer)).unwrap().starts_with(r#"{"code":-32603"#));
}

#[test]
fn every_shape_of_error_body_is_understood() {
    let google = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
    for (status, body, names_task, kind) in [
        (404, google, true, ErrorKind::TaskNotFound),
        (500, r#"{"code":-32001,"message":"no","data":null}"#, true, ErrorKind::TaskNotFound),
        (400, r#"{"code":-32004,"message":"no"}"#, false, ErrorKind::UnsupportedOperation),
        (404, r#"{"message":"no"}"#, true, ErrorKind::TaskNotFound),
        (404, r#"{"message":"no"}"#, false, ErrorKind::MethodNotFound),
        (409, r#"{"message":"no"}"#, true, ErrorKind::TaskNotCancelable),
        (415, r#"{"message":"no"}"#, false, ErrorKind::ContentTypeNotSupported),
        (422, r#"{"message":"no"}"#, false, ErrorKind::InvalidParams),
        (501, r#"{"message":"no"}"#, false, ErrorKind::UnsupportedOperation),
        (500, r#"{"message":"no"}"#, false, ErrorKind::Internal),
        (502, r#"{"message":"no"}"#, false, ErrorKind::Remote),
    ] {
        let error = error::read_http_json(status, body.as_bytes(), names_task);
        assert_eq!((error.kind(), error.message()), (kind, "no"), "{status} {body}");
    }
}

#[test]
fn a_name_before_the_message_of_a_grpc_status_decides() {
    let error =
        error::read_grpc(GrpcCode::Unimplemented, "TaskNotCancelableError: it is done", &[]);
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotCancelable, "it is done"));
    // Ours is written so too, with details that say the same.
    let error = Error::task_not_found(&"t".into());
    let (message, details) =
        (error::grpc_message(&error), error.to_status_protobuf(ErrorTable::V1_0_1));
    assert_eq!(message, "TaskNotFoundError: task not found: t");
    let read = error::read_grpc(GrpcCode::NotFound, &message, &details);
    assert_eq!((read.kind(), read.message()), (error.kind(), error.message()));
    let error = error::read_grpc(GrpcCode::NotFound, "no: such task", &[]);
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotFound, "no: such task"));
}
