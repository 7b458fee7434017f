//! Any bytes as a JSON-RPC request or response: nothing panics, and every refusal can be answered.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sabir_types::jsonrpc::{Request, Response, failure, request, success};

fuzz_target!(|bytes: &[u8]| {
    match Request::decode(bytes) {
        Ok(read) => {
            let params = read.params.map_or("null", |params| params.get());
            let again = request(&read.id, &read.method, params.as_bytes());
            let again = Request::decode(&again).expect("what we write is read");
            assert_eq!((again.id, again.method), (read.id.clone(), read.method));
            let answer = success(&read.id, params.as_bytes());
            let answer = Response::decode(&answer).expect("what we write is read");
            assert_eq!(answer.id, read.id);
        }
        Err(refusal) => {
            let answer = failure(&refusal.id, &refusal.error);
            let answer = Response::decode(&answer).expect("what we write is read");
            assert_eq!(answer.outcome.expect_err("an error").kind(), refusal.error.kind());
        }
    }
    if let Ok(response) = Response::decode(bytes) {
        let _ = response.outcome;
    }
});
