//! The JSON-RPC envelope.

use sabir_types::jsonrpc::{Id, Request, RequestError, Response, failure, request, success};
use sabir_types::{Error, ErrorKind};

fn refusal(json: &str) -> RequestError {
    Request::decode(json.as_bytes()).expect_err(json)
}

#[test]
fn a_request_keeps_its_parameters_as_they_came() {
    let json = br#"{"params": {"id" : 1.0} ,"method":"GetTask","x":[1],"id":7,"jsonrpc":"2.0"}"#;
    let request = Request::decode(json).unwrap();
    assert_eq!(request.method, "GetTask");
    assert_eq!(request.params.unwrap().get(), r#"{"id" : 1.0}"#);
    assert_eq!(request.id, Id::number(7));
}

#[test]
fn an_id_is_kept_exactly_as_it_was_sent() {
    for id in ["1", "1.0", "-3", "1e2", "18446744073709551616", r#""a\u00e9\"b""#, "null", r#""""#]
    {
        let json = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"GetTask"}}"#);
        let request = Request::decode(json.as_bytes()).expect(id);
        assert_eq!(request.id.as_json(), id);
        assert_eq!(
            String::from_utf8(success(&request.id, b"{}")).unwrap(),
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#),
        );
    }
    assert!(Id::NULL.is_null());
    assert_eq!(Id::string("a\"b").as_json(), r#""a\"b""#);
}

/// It stands in every item of a stream.
#[test]
fn an_id_has_a_limit() {
    let json = |n| format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"GetTask"}}"#, "x".repeat(n));
    assert!(Request::decode(json(1022).as_bytes()).is_ok());
    let refusal = refusal(&json(1023));
    assert_eq!(refusal.error.message(), "`id` is too long");
    assert!(refusal.id.is_null());
}

#[test]
fn parameters_may_be_absent() {
    for json in [
        r#"{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"GetExtendedAgentCard","params":null}"#,
    ] {
        assert!(Request::decode(json.as_bytes()).expect(json).params.is_none());
    }
}

#[test]
fn a_method_with_escapes_is_read() {
    let json = br#"{"jsonrpc":"2.0","id":1,"method":"Get\u0054ask"}"#;
    assert_eq!(Request::decode(json).unwrap().method, "GetTask");
}

#[test]
fn what_is_not_json_is_a_parse_error_without_id() {
    for json in ["", "{", "nope", r#"{"jsonrpc":"2.0","id":1,"method":"GetTask"} x"#] {
        let refusal = refusal(json);
        assert_eq!(refusal.error.kind(), ErrorKind::ParseError, "{json}");
        assert!(refusal.id.is_null());
    }
    let error = Request::decode(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}").unwrap_err();
    assert_eq!(error.error.kind(), ErrorKind::ParseError);
}

#[test]
fn every_fault_of_an_envelope_is_named() {
    let batch = "one request object: batches are not supported";
    for (json, kind, id, message) in [
        ("[]", ErrorKind::InvalidRequest, "null", batch),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#,
            ErrorKind::InvalidRequest,
            "null",
            batch,
        ),
        ("5", ErrorKind::InvalidRequest, "null", "one request object"),
        (
            r#"{"id":1,"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "1",
            "`jsonrpc` must be \"2.0\"",
        ),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "1",
            "`jsonrpc`",
        ),
        (
            r#"{"jsonrpc":2.0,"id":1,"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "1",
            "`jsonrpc`",
        ),
        (
            r#"{"jsonrpc":"2.0","method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "null",
            "`id` is missing",
        ),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "null",
            "`id` must be",
        ),
        (
            r#"{"jsonrpc":"2.0","id":[],"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "null",
            "`id` must be",
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "null",
            "`id` must be",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a"}"#,
            ErrorKind::InvalidRequest,
            r#""a""#,
            "`method` is missing",
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":5}"#,
            ErrorKind::InvalidRequest,
            r#""a""#,
            "`method` must be a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask"}"#,
            ErrorKind::InvalidRequest,
            "null",
            "`id` stands twice",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["t"]}"#,
            ErrorKind::InvalidParams,
            "1",
            "by position",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"t"}"#,
            ErrorKind::InvalidParams,
            "1",
            "must be an object",
        ),
    ] {
        let refusal = refusal(json);
        assert_eq!(refusal.error.kind(), kind, "{json}");
        assert_eq!(refusal.id.as_json(), id, "{json}");
        assert!(refusal.error.message().contains(message), "{json}: {}", refusal.error);
        assert!(!refusal.error.message().contains(" line "), "{}", refusal.error);
    }
}

#[test]
fn a_request_that_we_write_is_a_request() {
    let bytes = request(&Id::string("x"), "GetTask", br#"{"id":"t"}"#);
    let read = Request::decode(&bytes).unwrap();
    assert_eq!((read.id, &*read.method), (Id::string("x"), "GetTask"));
    assert_eq!(read.params.unwrap().get(), r#"{"id":"t"}"#);
}

#[test]
fn a_result_is_read_as_it_came() {
    for result in ["{}", "null", r#"{ "id": "t" }"#] {
        let bytes = success(&Id::number(1), result.as_bytes());
        let response = Response::decode(&bytes).unwrap();
        assert_eq!(response.id, Id::number(1));
        assert_eq!(response.outcome.unwrap().get(), result);
    }
    // Some servers send both, the error null.
    let both = br#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#;
    assert!(Response::decode(both).unwrap().outcome.is_ok());
}

#[test]
fn an_empty_answer_may_leave_its_result_out() {
    let read = |json: &'static str| Response::decode_empty(json.as_bytes());
    let empty = read(r#"{"id":1,"jsonrpc":"2.0"}"#).unwrap();
    assert_eq!((empty.id, empty.outcome.unwrap().get()), (Id::number(1), "null"));
    assert!(read(r#"{"id":1,"error":{"code":-32001,"message":""}}"#).unwrap().outcome.is_err());
    assert!(read("{}").is_err());
}

#[test]
fn an_error_comes_back_as_it_was() {
    let error = Error::invalid_params("message.parts", "must not be empty");
    let bytes = failure(&Id::NULL, &error);
    let response = Response::decode(&bytes).unwrap();
    assert!(response.id.is_null());
    let read = response.outcome.unwrap_err();
    assert_eq!(read.kind(), ErrorKind::InvalidParams);
    assert_eq!(read.message(), error.message());
    assert_eq!(read.violations(), error.violations());
}

#[test]
fn what_is_no_response_is_the_other_sides_fault() {
    for json in ["", "<html>", "[]", r#"{"jsonrpc":"2.0","id":1}"#] {
        let error = Response::decode(json.as_bytes()).expect_err(json);
        assert_eq!(error.kind(), ErrorKind::Remote, "{json}");
    }
    let error = Response::decode(br#"{"id":1,"error":"boom"}"#).unwrap().outcome.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Remote);
    assert!(error.message().contains("boom"));
}
