//! What artifacts hold, and how data is written.

use crate::world::{everywhere, in_both_versions, says};
use sabir::types::Operation;
use serde_json::{Value, json};

// acts: DM-ART-001, DM-ART-002, DM-ART-003, DM-ART-004
// tck: DM-ART-001
#[tokio::test]
async fn artifacts_hold_text_data_and_files() {
    in_both_versions(|w| async move {
        let file = |content: &str, value: &str| {
            json!({content: value, "filename": "output.txt", "mediaType": "text/plain"})
        };
        for (text, part) in [
            ("tck-artifact-text", json!({"text": "Generated text content"})),
            ("tck-artifact-data", json!({"data": {"key": "value", "count": 42}})),
            ("tck-artifact-file", file("raw", "dGNr")),
            ("tck-artifact-file-url", file("url", "https://example.com/output.txt")),
        ] {
            let task = w.send(text).await;
            let artifact = &task["artifacts"][0];
            assert_eq!(artifact["parts"], json!([part]), "{text}");
            assert!(!artifact["artifactId"].as_str().unwrap().is_empty());
        }
    })
    .await;
}

// acts: DM-FMT-001
// tck: DM-SERIAL-001, JSONRPC-SVC-001
#[tokio::test]
async fn names_are_written_in_camel_case_and_absent_values_not_at_all() {
    everywhere(|w| async move {
        let mut answers = w.stream("tck-stream-chunked").await;
        answers.push(w.send("tck-artifact-file").await);
        answers.push(w.get(Operation::ListTasks, json!({"includeArtifacts": true})).await);
        answers.iter().for_each(check);
    })
    .await;
}

fn check(value: &Value) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                assert!(!name.contains('_') && !value.is_null(), "{name}: {value}");
                check(value);
            }
        }
        Value::Array(items) => items.iter().for_each(check),
        _ => {}
    }
}

// acts: DM-EXTRA-001
// tck: DM-SERIAL-005
#[tokio::test]
async fn members_that_nobody_knows_are_ignored() {
    everywhere(|w| async move {
        let mut request = says("tck-complete-task");
        request["unknown"] = json!({"a": [1]});
        request["message"]["unknownToo"] = true.into();
        w.get(Operation::SendMessage, request).await;
    })
    .await;
}
