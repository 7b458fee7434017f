//! The JSON-RPC binding.

use crate::wire::{Fixture, envelope, message};
use serde_json::{Value, json};

#[tokio::test]
async fn the_id_comes_back_with_its_value_and_its_type() {
    let fixture = Fixture::new().await;
    for id in [r#"1"#, r#""1""#, r#""ü""#, "9007199254740993", "0", "-5", r#""""#, "null", "1.50"]
    {
        for method in ["GetTask", "Explode", "SendStreamingMessage"] {
            let params =
                if method == "GetTask" { r#"{"id":"t"}"#.to_owned() } else { message("x") };
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
            let reply = fixture.post("/", body).await;
            let text = String::from_utf8(reply.body).unwrap();
            assert!(text.contains(&format!(r#"{{"jsonrpc":"2.0","id":{id},"#)), "{method}: {text}");
        }
    }
}

#[tokio::test]
async fn what_is_no_request_is_refused_with_the_id_where_it_can_be_read() {
    let fixture = Fixture::new().await;
    for (body, code, id) in [
        (&b"{bad"[..], -32700, json!(null)),
        (b"", -32700, json!(null)),
        (br#"{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x""#, -32700, json!(null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700, json!(null)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ListTasks\",\"x\":\"\xff\"}",
            -32700,
            json!(null),
        ),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"ListTasks"}]"#, -32600, json!(null)),
        (b"[]", -32600, json!(null)),
        (b"7", -32600, json!(null)),
        (br#"{"jsonrpc":"2.0","method":"ListTasks"}"#, -32600, json!(null)),
        (br#"{"jsonrpc":"2.0","id":true,"method":"ListTasks"}"#, -32600, json!(null)),
        (br#"{"jsonrpc":"2.0","id":[1],"method":"ListTasks"}"#, -32600, json!(null)),
        (br#"{"jsonrpc":"1.0","id":"a","method":"ListTasks"}"#, -32600, json!("a")),
        (br#"{"id":"a","method":"ListTasks"}"#, -32600, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a"}"#, -32600, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":5}"#, -32600, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":"Explode"}"#, -32601, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":"message/send","params":{}}"#, -32601, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":"GetTask","params":["x"]}"#, -32602, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":"GetTask"}"#, -32602, json!("a")),
        (br#"{"jsonrpc":"2.0","id":"a","method":"GetTask","params":{"id":7}}"#, -32602, json!("a")),
    ] {
        let reply = fixture.post("/", body).await;
        let shown = String::from_utf8_lossy(body);
        assert_eq!(reply.status(), 200, "{shown}");
        let answer = reply.json();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer.get("id"), Some(&id), "{shown}: {answer}");
        assert_eq!(answer["jsonrpc"], "2.0");
    }
    assert_eq!(fixture.stub.count(), 0);
}

#[tokio::test]
async fn the_first_thing_that_is_wrong_is_named_by_its_path_on_both_bindings() {
    let fixture = Fixture::new().await;
    for (params, field) in [
        (json!({}), "message"),
        (json!({"message": {"messageId": "m", "role": "ROLE_USER"}}), "message.parts"),
        (
            json!({"message": {"messageId": "m", "role": "ROLE_X", "parts": [{"text": "a"}]}}),
            "message.role",
        ),
        (
            json!({"message": {"messageId": "m", "role": 1, "parts": [{"text": ""}, {}]}}),
            "message.parts[1].content",
        ),
        (
            json!({"message": {"messageId": "m", "role": 1, "parts": [{"text": 5}]}}),
            "message.parts[0].text",
        ),
    ] {
        let body = params.to_string();
        let rpc = fixture.rpc("SendMessage", &body).await.json();
        let rest = fixture.post("/message:send", &body).await;
        assert_eq!(rest.status(), 400);
        let violation = |details: &Value| details[1]["fieldViolations"][0]["field"].clone();
        let rest = rest.json();
        assert_eq!(rpc["error"]["code"], -32602, "{rpc}");
        assert_eq!(rpc["error"]["data"], rest["error"]["details"]);
        assert_eq!(rpc["error"]["message"], rest["error"]["message"]);
        let found = violation(&rpc["error"]["data"]);
        assert!(found.as_str().unwrap().starts_with(field), "{field}: {rpc}");
    }
}

#[tokio::test]
async fn json_of_64_levels_is_read_and_deeper_json_is_refused_on_both_bindings() {
    let fixture = Fixture::new().await;
    // The data of a part stands four levels deep in a request.
    for (levels, good) in [(60, true), (61, false), (100_000, false)] {
        let data = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let body = format!(
            r#"{{"message":{{"messageId":"m","role":"ROLE_USER","parts":[{{"data":{data}}}]}}}}"#
        );
        let rpc = fixture.rpc("SendMessage", &body).await.json();
        let rest = fixture.post("/message:send", &body).await;
        assert_eq!(rpc.get("result").is_some(), good, "{levels}: {rpc}");
        assert_eq!(rest.status(), if good { 200 } else { 400 }, "{levels}");
        if !good {
            assert_eq!(rpc["error"]["code"], -32600);
            assert!(rpc["error"]["message"].as_str().unwrap().contains("deeper than"));
        }
    }
}

#[tokio::test]
async fn both_spellings_of_a_parameter_are_read_and_unknown_ones_ignored() {
    let fixture = Fixture::new().await;
    let params =
        r#"{"page_size":7,"context_id":"c","includeArtifacts":true,"new":1,"status":null}"#;
    fixture.rpc("ListTasks", params).await;
    let expected = json!({"pageSize": 7, "contextId": "c", "includeArtifacts": true});
    assert_eq!(fixture.stub.last().request, expected);
}

#[tokio::test]
async fn absent_and_null_parameters_are_an_empty_object() {
    let fixture = Fixture::new().await;
    for params in ["", r#","params":null"#, r#","params":{}"#] {
        let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ListTasks"{params}}}"#);
        assert!(fixture.post("/", body).await.json().get("result").is_some());
    }
}

#[tokio::test]
async fn other_content_types_are_refused_before_the_body_is_read_as_json() {
    let fixture = Fixture::new().await;
    let ask = async |media: Option<&str>, body: &str| {
        let mut headers = vec![("A2A-Version", "1.0")];
        headers.extend(media.map(|media| ("Content-Type", media)));
        fixture.ask("POST", "/", &headers, body.as_bytes()).await
    };
    let good = envelope("ListTasks", "{}");
    for media in ["application/json", "application/json; charset=utf-8", "APPLICATION/A2A+JSON;v=1"]
    {
        let reply = ask(Some(media), &good).await;
        assert!(reply.json().get("result").is_some(), "{media}");
        assert_eq!(reply.header("content-type"), Some("application/json"));
    }
    for media in [None, Some("text/plain"), Some("application/x-www-form-urlencoded"), Some("")] {
        for body in ["{'jsonrpc': '2.0'}", &good] {
            let reply = ask(media, body).await;
            assert_eq!((reply.status(), reply.code()), (200, -32005), "{media:?}");
        }
        // The answer still finds its request, where that can be read.
        assert_eq!(ask(media, &good).await.json()["id"], 1);
    }
}
