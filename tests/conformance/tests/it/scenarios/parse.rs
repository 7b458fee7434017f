//! What our client makes of answers that others could give.

use crate::world::{everywhere, holds};
use sabir::types::Operation;
use serde_json::{Value, json};

/// Has the agent's client read this, and gives back what it understood.
async fn parsed(w: &crate::world::World, operation: &str, payload: Value) -> Value {
    let asked = json!({"operation": operation, "wire_payload": payload});
    let parts = json!([{"text": "tck-client-parse"}, {"data": asked}]);
    let task = w.get(Operation::SendMessage, holds(&parts)).await["task"].clone();
    task["artifacts"][0]["parts"][0]["data"].clone()
}

fn answer(result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "theirs", "result": result})
}

fn task(state: &str) -> Value {
    json!({"id": "t-1", "contextId": "c-1", "status": {"state": state}})
}

// acts: CLIENT-PARSE-001, CLIENT-PARSE-002, CLIENT-PARSE-003, CLIENT-PARSE-005, CLIENT-PARSE-006
#[tokio::test]
async fn tasks_and_messages_are_understood_whole() {
    everywhere(|w| async move {
        let parts = json!([
            {"text": "a"}, {"data": {"k": [1]}}, {"raw": "dGNr", "filename": "f"},
            {"url": "https://example.com/x", "mediaType": "text/plain"},
        ]);
        let mut done = task("TASK_STATE_COMPLETED");
        done["artifacts"] = json!([{"artifactId": "a-1", "parts": parts}]);
        let sent = json!({ "task": done });
        assert_eq!(parsed(&w, "send_message", answer(&sent)).await, sent);
        let message = json!({"messageId": "m-1", "role": "ROLE_AGENT", "parts": [{"text": "hi"}]});
        let sent = json!({ "message": message });
        assert_eq!(parsed(&w, "send_message", answer(&sent)).await, sent);
        done["history"] = json!([message]);
        assert_eq!(parsed(&w, "get_task", answer(&done)).await, done);
        let mut waiting = task("TASK_STATE_INPUT_REQUIRED");
        waiting["status"]["message"] = message;
        let read = parsed(&w, "get_task", answer(&waiting)).await;
        assert_eq!(read["status"]["message"]["parts"][0]["text"], "hi");
    })
    .await;
}

// acts: CLIENT-PARSE-004
#[tokio::test]
async fn an_error_is_understood_as_one() {
    everywhere(|w| async move {
        let error = json!({"code": -32001, "message": "Task not found"});
        let payload = json!({"jsonrpc": "2.0", "id": "theirs", "error": error});
        let read = parsed(&w, "get_task", payload).await;
        assert_eq!(read["error"]["code"], -32001);
        assert!(read["error"]["message"].as_str().unwrap().to_lowercase().contains("not found"));
    })
    .await;
}

// acts: CLIENT-AUTH-001, CLIENT-CAP-001
#[tokio::test]
async fn cards_are_understood_and_what_is_false_is_told() {
    everywhere(|w| async move {
        let interface = json!({
            "url": "http://127.0.0.1:1/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0",
        });
        let card = json!({
            "name": "Theirs", "description": "Of others", "version": "2",
            "supportedInterfaces": [interface],
            "capabilities": {"streaming": false, "pushNotifications": false},
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
            "skills": [{"id": "s", "name": "S", "description": "Does s", "tags": ["t"]}],
        });
        for (operation, payload) in
            [("get_agent_card", card.clone()), ("get_extended_agent_card", answer(&card))]
        {
            assert_eq!(parsed(&w, operation, payload).await, card, "{operation}");
        }
    })
    .await;
}
