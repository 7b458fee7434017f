//! Agents that speak A2A 0.3: ours, and the many shapes of others.

use crate::end_to_end::{Served, states_and_artifacts, task_of};
use crate::fixture::{
    QUICK, Server, TEXTUAL, card, events, interface, json_answer, result, status, typed,
};
use axum::response::Response;
use http::StatusCode;
use sabir_bindings::ServerConfig;
use sabir_client::{Client, Failure, Transport};
use sabir_engine::{Agent, Call};
use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTasksRequest, Message, Part, SendMessageResponse, StreamResponse, SubscribeToTaskRequest,
    TaskPushNotificationConfig, TaskState, Version,
};
use serde_json::{Value, json};

fn v0_3() -> ServerConfig {
    ServerConfig { v0_3: true, ..ServerConfig::default() }
}

async fn connect(url: &str, transport: Transport) -> Client {
    let builder = Client::builder().card(url).transport(transport).version(Version::V0_3);
    let client = builder.retry(QUICK).resubscribe(QUICK).connect().await.expect("connected");
    assert_eq!((client.transport(), client.version()), (transport, Version::V0_3));
    client
}

/// A client of a scripted server.
async fn client(server: &Server, transport: Transport) -> Client {
    let builder = Client::builder().endpoint(server.url("/a"), transport).version(Version::V0_3);
    builder.retry(QUICK).resubscribe(QUICK).connect().await.expect("set up")
}

fn task(id: &str, state: &str) -> Value {
    json!({"kind": "task", "id": id, "contextId": "c", "status": {"state": state}})
}

#[tokio::test]
async fn a_conversation_over_every_transport() {
    let served = Served::with(v0_3()).await;
    for transport in Transport::ALL {
        let client = connect(&served.url(), transport).await;
        // The stream ends where the task waits.
        let events = client.stream("ask").await.expect("opened");
        let said = states_and_artifacts(events).await;
        assert_eq!(said.last().expect("something"), "status input-required", "{said:?}");
        let asked = task_of(client.send("ask").await.expect("sent"));
        assert_eq!(asked.state(), TaskState::InputRequired);
        let handle = client.task(&asked.id);
        let done = task_of(handle.reply("80").await.expect("sent"));
        assert_eq!((&done.id, done.state()), (&asked.id, TaskState::Completed));
        let error = handle.cancel().await.expect_err("it is over");
        assert_eq!(error.kind(), ErrorKind::TaskNotCancelable, "{transport}");
        let error = client.get("nothing").await.expect_err("unknown");
        assert_eq!(error.kind(), ErrorKind::TaskNotFound);
        // In 0.3 that gives the task.
        let events = handle.follow().await.expect("opened");
        assert_eq!(states_and_artifacts(events).await, ["task completed"]);
        let request = GetTaskRequest { history_length: Some(0), ..get(&asked.id) };
        let task = client.get_task(&Call::default(), request).await.expect("got");
        assert!(task.history.is_empty(), "none was asked for");
    }
}

fn get(id: &sabir_types::TaskId) -> GetTaskRequest {
    GetTaskRequest { id: id.clone(), ..GetTaskRequest::default() }
}

#[tokio::test]
async fn odd_values_go_through_every_transport_and_come_back() {
    let served = Served::with(v0_3()).await;
    let metadata = json!({"timestamp": "not a time"}).as_object().cloned().expect("an object");
    let parts = vec![
        Part::data(Value::Null),
        Part::data(json!(0)),
        Part::data(json!([1, null])),
        Part::raw(&b"\xfb\xff\xfe"[..]).with_filename("odd.bin"),
        Part::text(""),
        Part::text("x").with_metadata(metadata),
    ];
    for transport in Transport::ALL {
        let client = connect(&served.url(), transport).await;
        let task = task_of(client.send(Message::user(parts.clone())).await.expect("sent"));
        let task = client.get(task.id).await.expect("got");
        assert_eq!(task.history[0].parts, parts, "{transport}");
    }
}

#[tokio::test]
async fn webhooks_are_set_read_listed_deleted_and_called_with_the_bare_task() {
    let served = Served::with(v0_3()).await;
    for transport in Transport::ALL {
        let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
        let receiver = Server::start(move |seen, _| {
            sender.send(seen.json()).expect("the test waits");
            status(200, "")
        })
        .await;
        let client = connect(&served.url(), transport).await;
        let task = task_of(client.send("ask").await.expect("sent"));
        let mut config = TaskPushNotificationConfig::new(receiver.url("/h"));
        config.task_id = Some(task.id.clone());
        let call = Call::default();
        let made = client.create_task_push_notification_config(&call, config).await.expect("set");
        // Without a name it has that of its task.
        assert_eq!(made.id.as_deref(), Some(task.id.as_str()), "{transport}");
        let named = GetTaskPushNotificationConfigRequest {
            task_id: task.id.clone(),
            id: task.id.as_str().to_owned(),
            tenant: None,
        };
        let got = client.get_task_push_notification_config(&call, named).await.expect("got");
        assert_eq!(got.url, receiver.url("/h"));
        let list = ListTaskPushNotificationConfigsRequest {
            task_id: task.id.clone(),
            ..Default::default()
        };
        let all = client.list_task_push_notification_configs(&call, list).await.expect("listed");
        assert_eq!(all.configs, [got]);
        task_of(client.task(&task.id).reply("80").await.expect("sent"));
        loop {
            let body = told.recv().await.expect("it is called");
            assert_eq!((&body["kind"], &body["id"]), (&json!("task"), &json!(task.id.as_str())));
            if body["status"]["state"] == "completed" {
                break;
            }
        }
        let delete = DeleteTaskPushNotificationConfigRequest {
            task_id: task.id.clone(),
            id: task.id.as_str().to_owned(),
            tenant: None,
        };
        client.delete_task_push_notification_config(&call, delete).await.expect("deleted");
    }
}

#[tokio::test]
async fn requests_have_the_form_of_their_dialect() {
    let server = Server::start(|_, _| result(&task("t", "working"))).await;
    let json_rpc = client(&server, Transport::JsonRpc).await;
    json_rpc.send(Message::user("hi").with_id("m")).await.expect("sent");
    let seen = server.seen().remove(0);
    assert_eq!(
        seen.body,
        r#"{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hi"}]}}}"#
    );
    assert_eq!(seen.header("a2a-version"), Some("0.3"));

    let answer = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_CANCELLED"}});
    let server = Server::start(move |_, _| json_answer(&answer)).await;
    let rest = client(&server, Transport::HttpJson).await;
    for client in [&json_rpc, &rest] {
        let error = client.list_tasks(&Call::default(), ListTasksRequest::default()).await;
        let kind = error.expect_err("0.3 has none").kind();
        assert_eq!(kind, ErrorKind::UnsupportedOperation);
    }
    let canceled = rest.cancel("t/1").await.expect("canceled");
    assert_eq!(canceled.state(), TaskState::Canceled);
    let request = GetTaskRequest { history_length: Some(3), ..get(&"t".into()) };
    rest.get_task(&Call::default(), request).await.expect("got");
    let seen = server.seen();
    assert_eq!(
        server.targets(),
        ["POST /a/v1/tasks/t%2F1:cancel", "GET /a/v1/tasks/t?historyLength=3"]
    );
    assert_eq!(seen[0].body, r#"{"name":"tasks/t/1"}"#);
}

#[tokio::test]
async fn extensions_are_named_in_both_headers() {
    let server = Server::start(|_, _| result(&task("t", "working"))).await;
    let builder = Client::builder().endpoint(server.url("/"), Transport::JsonRpc);
    let client = builder.version(Version::V0_3).extension("urn:x").connect().await.expect("set up");
    client.get("t").await.expect("got");
    let seen = server.only();
    assert_eq!(seen.header("x-a2a-extensions"), Some("urn:x"));
    assert_eq!(seen.header("a2a-extensions"), Some("urn:x"));
}

#[tokio::test]
async fn every_shape_of_answer_is_understood() {
    let message = r#"{"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"hi"}]}}"#;
    let server = Server::script(vec![typed(201, "application/json", message.into())]).await;
    let answer = client(&server, Transport::HttpJson).await.send("x").await.expect("answered");
    assert!(matches!(answer, SendMessageResponse::Message(m) if m.text() == "hi"));
    for answer in
        [status(204, ""), json_answer(&json!({})), typed(200, "application/json", "null".into())]
    {
        delete(answer, Transport::HttpJson).await.expect("deleted");
    }
    // The last two are those of a2a-sdk 0.3.26 and of a2a-go 0.3.3.
    for answer in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
        r#"{"id":1,"jsonrpc":"2.0"}"#,
        "",
    ] {
        let answer = typed(200, "application/json", answer.into());
        delete(answer, Transport::JsonRpc).await.expect("deleted");
    }
    for no_answer in ["{}", r#"{"jsonrpc":"2.0","id":2}"#, "[]"] {
        let answer = typed(200, "application/json", no_answer.into());
        let error = delete(answer, Transport::JsonRpc).await.expect_err(no_answer);
        assert_eq!(error.kind(), ErrorKind::InvalidAgentResponse, "{no_answer}");
    }
    let error = delete(status(502, ""), Transport::JsonRpc).await.expect_err("not deleted");
    assert_eq!(error.kind(), ErrorKind::Remote);
}

async fn delete(answer: Response, transport: Transport) -> Result<(), Error> {
    let server = Server::script(vec![answer]).await;
    let request = DeleteTaskPushNotificationConfigRequest {
        task_id: "t".into(),
        id: "p".to_owned(),
        tenant: None,
    };
    let client = client(&server, transport).await;
    client.delete_task_push_notification_config(&Call::default(), request).await
}

#[tokio::test]
async fn every_shape_of_error_is_understood() {
    let google = r#"{"error":{"code":404,"status":"NOT_FOUND","message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]}}"#;
    for (code, media_type, body, kind) in [
        (404, "application/json", r#"{"message":"Task not found"}"#, ErrorKind::TaskNotFound),
        (404, "application/json", r#"{"code":-32001,"message":"no"}"#, ErrorKind::TaskNotFound),
        (404, "application/json", google, ErrorKind::TaskNotFound),
        (404, "application/problem+json", google, ErrorKind::TaskNotFound),
        (409, "application/json", r#"{"message":"no"}"#, ErrorKind::TaskNotCancelable),
        (501, "application/json", r#"{"message":"no"}"#, ErrorKind::UnsupportedOperation),
    ] {
        let server = Server::script(vec![typed(code, media_type, body.into())]).await;
        let client = client(&server, Transport::HttpJson).await;
        let request = CancelTaskRequest { id: "t".into(), ..Default::default() };
        let error = client.cancel_task(&Call::default(), request).await.expect_err("refused");
        assert_eq!((error.kind(), Failure::of(&error)), (kind, None), "{body}");
    }
    let data = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no", "data": null}});
    let server = Server::script(vec![json_answer(&data)]).await;
    let error = client(&server, Transport::JsonRpc).await.get("t").await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::TaskNotFound);
}

async fn subscribed(answers: Vec<Response>, transport: Transport) -> Result<Vec<String>, Error> {
    let server = Server::script(answers).await;
    let request = SubscribeToTaskRequest { id: "t".into(), ..Default::default() };
    let events =
        client(&server, transport).await.subscribe_to_task(&Call::default(), request).await?;
    use futures_util::StreamExt;
    let all: Vec<_> = events.collect().await;
    all.into_iter()
        .map(|event| {
            event?.response().map(|event| match event {
                StreamResponse::Task(task) => format!("task {}", task.state()),
                other => format!("{:?}", other.state()),
            })
        })
        .collect()
}

#[tokio::test]
async fn every_shape_of_stream_is_understood() {
    // One object over many lines, as the kit for Python writes it.
    let spread = "data: {\r\ndata:  \"task\": {\"id\": \"t\", \"contextId\": \"c\",\r\ndata:  \"status\": {\"state\": \"TASK_STATE_COMPLETED\"}}\r\ndata: }\r\n\r\n";
    let found = subscribed(vec![events(spread)], Transport::HttpJson).await;
    assert_eq!(found.expect("read"), ["task completed"]);
    // Nothing of a task that has ended.
    let done = json!({"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}});
    let found = subscribed(vec![events(""), json_answer(&done)], Transport::HttpJson).await;
    assert_eq!(found.expect("read"), ["task completed"]);
    let gone = typed(404, "application/json", r#"{"message":"Task not found"}"#.into());
    let answers = vec![crate::fixture::broken_events(&[]), gone];
    let found = subscribed(answers, Transport::HttpJson).await;
    assert_eq!(found.expect_err("refused").kind(), ErrorKind::TaskNotFound);
    // The last event is lost, and then the task has ended.
    let working = json!({"jsonrpc": "2.0", "id": 1, "result": task("t", "working")});
    let ended = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "ended"}});
    let answers = vec![
        events(format!("data: {working}\n\n")),
        json_answer(&ended),
        result(&task("t", "completed")),
    ];
    let found = subscribed(answers, Transport::JsonRpc).await;
    assert_eq!(found.expect("read"), ["task working", "task completed"]);
    // An error in the stream, and one in place of it.
    let error = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32001, "message": "no"}});
    let in_stream = events(format!("data: {error}\n\n"));
    for answer in [in_stream, json_answer(&error)] {
        let found = subscribed(vec![answer], Transport::JsonRpc).await;
        assert_eq!(found.expect_err("refused").kind(), ErrorKind::TaskNotFound);
    }
    let error = typed(404, "application/json", r#"{"message":"Task not found"}"#.into());
    let found = subscribed(vec![error], Transport::HttpJson).await;
    assert_eq!(found.expect_err("refused").kind(), ErrorKind::TaskNotFound);
}

#[tokio::test]
async fn a_card_of_0_3_is_looked_for_where_it_used_to_be() {
    let older = json!({"name": "Old", "url": "http://127.0.0.1:1/rpc", "protocolVersion": "0.2.6"});
    for refused in [404, 405, 410] {
        let server = Server::script(vec![status(refused, "no"), json_answer(&older)]).await;
        let client = Client::builder().card(server.url("")).connect().await.expect("found");
        assert_eq!((client.version(), client.transport()), (Version::V0_3, Transport::JsonRpc));
        let asked = ["GET /.well-known/agent-card.json", "GET /.well-known/agent.json"];
        assert_eq!(server.targets(), asked);
    }
    let server = Server::script(vec![status(500, "no"), json_answer(&older)]).await;
    let failure = Client::builder().card(server.url("")).retry(sabir_client::RetryPolicy::NEVER);
    assert!(failure.connect().await.is_err(), "that is another matter");
}

#[tokio::test]
async fn without_a_connection_the_next_interface_of_the_card_is_called() {
    for transport in TEXTUAL {
        let task = json!({"task": crate::fixture::task("t", "WORKING")});
        let server = Server::start(move |_, _| match transport {
            Transport::JsonRpc => result(&task),
            _ => json_answer(&task),
        })
        .await;
        let found = card(&[
            interface("http://127.0.0.1:1/dead", Transport::JsonRpc),
            interface(&server.url("/alive"), transport),
        ]);
        let at = Server::start(move |_, _| json_answer(&found)).await;
        let client =
            Client::builder().card(at.url("")).retry(QUICK).connect().await.expect("found");
        assert_eq!(client.url().as_str(), "http://127.0.0.1:1/dead");
        task_of(client.send("hi").await.expect("sent"));
        assert_eq!((client.url().path(), client.transport()), ("/alive", transport));
        task_of(client.send("hi").await.expect("sent"));
        assert_eq!(server.seen().len(), 2);
    }
}

#[tokio::test]
async fn a_message_that_may_have_arrived_is_not_sent_by_another_interface() {
    let other = Server::start(|_, _| result(&json!({}))).await;
    for answer in [StatusCode::BAD_GATEWAY.as_u16(), StatusCode::NOT_FOUND.as_u16()] {
        let server = Server::start(move |_, _| status(answer, "no")).await;
        let found = card(&[
            interface(&server.url("/a"), Transport::JsonRpc),
            interface(&other.url("/b"), Transport::JsonRpc),
        ]);
        let at = Server::start(move |_, _| json_answer(&found)).await;
        let client =
            Client::builder().card(at.url("")).retry(QUICK).connect().await.expect("found");
        client.send("hi").await.expect_err("refused");
    }
    assert!(other.seen().is_empty());
}
