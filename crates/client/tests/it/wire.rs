//! What each operation looks like on the wire, and how its answer is read.

use crate::fixture::{
    QUICK, Seen, Server, TEXTUAL, builder, card, client, interface, json_answer, result, task,
};
use sabir_client::{ApiKeyPlace, Client, Transport};
use sabir_engine::{Agent, Call};
use sabir_types::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTasksRequest, Message, SendMessageResponse,
    TaskPushNotificationConfig, TaskState,
};
use serde_json::{Value, json};
use std::time::Duration;

fn tenant() -> Option<String> {
    Some("acme inc".into())
}

fn push() -> Value {
    json!({"id": "p", "taskId": "t/1", "url": "https://hook.example/"})
}

/// Calls everything that is not a stream, and gives what the server saw.
async fn call_everything(transport: Transport, wrap: fn(&Value) -> Value) -> Vec<Seen> {
    let answers = [
        json!({"task": task("t/1", "COMPLETED")}),
        task("t/1", "WORKING"),
        json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0}),
        task("t/1", "CANCELED"),
        push(),
        push(),
        json!({"configs": [push()], "nextPageToken": ""}),
        json!({}),
        card(&[]),
    ];
    let answers = answers.iter().map(|answer| json_answer(&wrap(answer))).collect();
    let server = Server::script(answers).await;
    let client = client(&server, transport).await;
    let (call, id) = (Call::default(), "t/1");
    let message = Message::user("hi").with_id("m1");
    let mut request = sabir_types::SendMessageRequest::new(message);
    request.tenant = tenant();
    let sent = client.send_message(&call, request).await.expect("sent").value;
    assert!(matches!(sent, SendMessageResponse::Task(task) if task.id == *id));
    let request = GetTaskRequest { tenant: tenant(), id: id.into(), history_length: Some(0) };
    assert_eq!(client.get_task(&call, request).await.expect("got").state(), TaskState::Working);
    let request = ListTasksRequest {
        tenant: tenant(),
        status: TaskState::InputRequired,
        page_size: Some(5),
        page_token: Some("a+b c".into()),
        status_timestamp_after: Some("2026-01-02T03:04:05Z".parse().expect("time")),
        include_artifacts: Some(true),
        ..ListTasksRequest::default()
    };
    assert_eq!(client.list_tasks(&call, request).await.expect("listed").page_size, 50);
    let request = CancelTaskRequest { tenant: tenant(), id: id.into(), metadata: None };
    client.cancel_task(&call, request).await.expect("canceled");
    let request = TaskPushNotificationConfig {
        tenant: tenant(),
        task_id: Some(id.into()),
        url: "https://hook.example/".into(),
        ..TaskPushNotificationConfig::default()
    };
    client.create_task_push_notification_config(&call, request).await.expect("created");
    let (task_id, id) = (sabir_types::TaskId::from(id), "p".to_owned());
    let request = GetTaskPushNotificationConfigRequest {
        tenant: tenant(),
        task_id: task_id.clone(),
        id: id.clone(),
    };
    client.get_task_push_notification_config(&call, request).await.expect("got");
    let request = ListTaskPushNotificationConfigsRequest {
        tenant: tenant(),
        task_id: task_id.clone(),
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let listed = client.list_task_push_notification_configs(&call, request).await.expect("listed");
    assert_eq!(listed.configs.len(), 1);
    let request = DeleteTaskPushNotificationConfigRequest { tenant: tenant(), task_id, id };
    client.delete_task_push_notification_config(&call, request).await.expect("deleted");
    let request = GetExtendedAgentCardRequest { tenant: tenant() };
    client.get_extended_agent_card(&call, request).await.expect("got");
    for seen in server.seen() {
        assert_eq!(seen.header("a2a-version"), Some("1.0"));
        let content_type = (!seen.body.is_empty()).then_some("application/json");
        assert_eq!(seen.header("content-type"), content_type);
    }
    server.seen()
}

#[tokio::test]
async fn json_rpc_names_the_operation_and_carries_everything_in_params() {
    let wrap = |result: &Value| json!({"jsonrpc": "2.0", "id": 1, "result": result});
    let seen = call_everything(Transport::JsonRpc, wrap).await;
    let expected = [
        (
            "SendMessage",
            json!({"tenant": "acme inc", "message":
            {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}),
        ),
        ("GetTask", json!({"tenant": "acme inc", "id": "t/1", "historyLength": 0})),
        (
            "ListTasks",
            json!({"tenant": "acme inc", "status": "TASK_STATE_INPUT_REQUIRED",
            "pageSize": 5, "pageToken": "a+b c", "includeArtifacts": true,
            "statusTimestampAfter": "2026-01-02T03:04:05.000Z"}),
        ),
        ("CancelTask", json!({"tenant": "acme inc", "id": "t/1"})),
        (
            "CreateTaskPushNotificationConfig",
            json!({"tenant": "acme inc", "taskId": "t/1",
            "url": "https://hook.example/"}),
        ),
        (
            "GetTaskPushNotificationConfig",
            json!({"tenant": "acme inc", "taskId": "t/1",
            "id": "p"}),
        ),
        ("ListTaskPushNotificationConfigs", json!({"tenant": "acme inc", "taskId": "t/1"})),
        (
            "DeleteTaskPushNotificationConfig",
            json!({"tenant": "acme inc", "taskId": "t/1",
            "id": "p"}),
        ),
        ("GetExtendedAgentCard", json!({"tenant": "acme inc"})),
    ];
    for (seen, (method, params)) in seen.iter().zip(expected) {
        assert_eq!((seen.method.as_str(), &*seen.target), ("POST", "/"));
        let expected = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        assert_eq!(seen.json(), expected);
    }
}

#[tokio::test]
async fn http_json_has_tenant_and_ids_in_the_path_and_the_rest_in_query_or_body() {
    let seen = call_everything(Transport::HttpJson, Value::clone).await;
    let (t, none) = ("/acme%20inc", Value::Null);
    let expected = [
        (
            format!("POST {t}/message:send"),
            json!({"message":
            {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "hi"}]}}),
        ),
        (format!("GET {t}/tasks/t%2F1?historyLength=0"), none.clone()),
        (
            format!(
                "GET {t}/tasks?includeArtifacts=true&pageSize=5&pageToken=a%2Bb+c\
            &status=TASK_STATE_INPUT_REQUIRED&statusTimestampAfter=2026-01-02T03%3A04%3A05.000Z"
            ),
            none.clone(),
        ),
        (format!("POST {t}/tasks/t%2F1:cancel"), json!({})),
        (
            format!("POST {t}/tasks/t%2F1/pushNotificationConfigs"),
            json!({"url": "https://hook.example/"}),
        ),
        (format!("GET {t}/tasks/t%2F1/pushNotificationConfigs/p"), none.clone()),
        (format!("GET {t}/tasks/t%2F1/pushNotificationConfigs"), none.clone()),
        (format!("DELETE {t}/tasks/t%2F1/pushNotificationConfigs/p"), none.clone()),
        (format!("GET {t}/extendedAgentCard"), none),
    ];
    for (seen, (target, body)) in seen.iter().zip(expected) {
        assert_eq!(format!("{} {}", seen.method, seen.target), target);
        assert_eq!(seen.json(), body, "{target}");
    }
}

#[tokio::test]
async fn the_tenant_of_the_interface_is_sent_exactly_and_no_other() {
    for transport in TEXTUAL {
        for (declared, set, expected) in [
            (Some("declared"), None, Some("declared")),
            (Some("declared"), Some("set"), Some("set")),
            (Some("declared"), Some(""), None),
            (None, None, None),
        ] {
            let server = Server::start(|seen, _| match seen.method.as_str() {
                "POST" => result(&task("t", "WORKING")),
                _ => json_answer(&task("t", "WORKING")),
            })
            .await;
            let mut interface = interface(&server.url("/a/"), transport);
            if let Some(declared) = declared {
                interface["tenant"] = declared.into();
            }
            let found = card(&[interface]);
            let found = sabir_client::FoundCard::read(
                found.to_string().into(),
                "https://a.example".parse().expect("a reference"),
            );
            let mut builder = Client::builder().found_card(found.expect("a card").into());
            if let Some(set) = set {
                builder = builder.tenant(set);
            }
            let client = builder.connect().await.expect("fits");
            let asked = GetTaskRequest {
                tenant: Some("asked".into()),
                id: "t".into(),
                ..GetTaskRequest::default()
            };
            client.get_task(&Call::default(), asked).await.expect("got");
            let seen = server.only();
            match transport {
                Transport::JsonRpc => {
                    assert_eq!(seen.target, "/a/");
                    assert_eq!(seen.json()["params"]["tenant"].as_str(), expected);
                }
                _ => {
                    let tenant = expected.map(|tenant| format!("/{tenant}")).unwrap_or_default();
                    assert_eq!(seen.target, format!("/a{tenant}/tasks/t"));
                }
            }
        }
    }
}

#[tokio::test]
async fn a_tenant_that_no_path_can_carry_travels_as_a_member() {
    for tenant in ["tasks", "a/b", "message:send", "..", "extendedAgentCard"] {
        let server = Server::start(|_, _| json_answer(&task("t", "WORKING"))).await;
        let builder = builder(&server, Transport::HttpJson).tenant(tenant);
        builder.connect().await.expect("set up").get("t").await.expect("got");
        let encoded = tenant.replace('/', "%2F").replace(':', "%3A");
        assert_eq!(server.only().target, format!("/tasks/t?tenant={encoded}"));
    }
}

#[tokio::test]
async fn an_id_that_no_path_can_carry_is_refused_before_anything_is_sent() {
    let server = Server::script(Vec::new()).await;
    let client = client(&server, Transport::HttpJson).await;
    for id in ["", ".", ".."] {
        let error = client.get(id).await.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::InvalidParams, "{id:?}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn ids_cannot_reach_another_route() {
    let server = Server::start(|_, _| json_answer(&task("t", "WORKING"))).await;
    let client = client(&server, Transport::HttpJson).await;
    for (id, target) in [
        ("../x", "/tasks/..%2Fx"),
        ("a?b#c", "/tasks/a%3Fb%23c"),
        ("a:cancel", "/tasks/a%3Acancel"),
        ("%2e%2e", "/tasks/%252e%252e"),
        ("ü", "/tasks/%C3%BC"),
    ] {
        client.get(id).await.expect("got");
        assert_eq!(server.seen().last().expect("one").target, target);
    }
}

#[tokio::test]
async fn service_parameters_travel_as_headers() {
    let server = Server::start(|_, _| {
        json_answer(&json!({"message":
        {"messageId": "r", "role": "ROLE_AGENT", "parts": [{"text": "yo"}]}}))
    })
    .await;
    let client = builder(&server, Transport::HttpJson)
        .parameter("X-Region", "eu")
        .parameter("a2a-version", "9.9")
        .extension("https://x.example/v1")
        .connect()
        .await
        .expect("set up");
    let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let call = Call {
        extensions: vec!["https://x.example/v1".into(), "https://y.example".into()],
        deadline: Some(Duration::from_millis(1500)),
        trace: Some(trace.into()),
        ..Call::default()
    };
    let request = sabir_types::SendMessageRequest::new(Message::user("hi"));
    Agent::send_message(&client, &call, request).await.expect("sent");
    let seen = server.only();
    assert_eq!(seen.header("x-region"), Some("eu"));
    let versions: Vec<_> = seen.headers.get_all("a2a-version").iter().collect();
    assert_eq!(versions, ["1.0"]);
    assert_eq!(seen.header("a2a-extensions"), Some("https://x.example/v1, https://y.example"));
    assert_eq!(seen.header("sabir-task-deadline"), Some("1.5"));
    assert_eq!(seen.header("traceparent"), Some(trace));
}

#[tokio::test]
async fn a_message_gets_an_id_of_its_own_and_keeps_one_it_has() {
    let answer = json!({"task": task("t", "COMPLETED")});
    let server = Server::start(move |_, _| json_answer(&answer)).await;
    let client = client(&server, Transport::HttpJson).await;
    client.send("one").await.expect("sent");
    client.task("t").reply("two").await.expect("sent");
    client.send(Message::user("three").with_id("mine")).await.expect("sent");
    let sent: Vec<_> = server.seen().iter().map(|seen| seen.json()["message"].clone()).collect();
    let id = |n: usize| sent[n]["messageId"].as_str().expect("text").to_owned();
    for n in [0, 1] {
        let id: uuid::Uuid = id(n).parse().expect("a UUID");
        assert_eq!(id.get_version_num(), 7);
    }
    assert_ne!(id(0), id(1));
    assert_eq!(sent[1]["taskId"], "t");
    assert_eq!(id(2), "mine");
}

#[tokio::test]
async fn a_replayed_answer_says_so() {
    let answer = json!({"task": task("t", "COMPLETED")});
    let server = Server::start(move |_, before| {
        let answer = json_answer(&answer);
        if before == 0 {
            answer
        } else {
            crate::fixture::with_header(answer, "idempotent-replayed", "true")
        }
    })
    .await;
    let client = client(&server, Transport::HttpJson).await;
    let request = || sabir_types::SendMessageRequest::new(Message::user("hi").with_id("m"));
    for replayed in [false, true] {
        let call = Call::default();
        let answer = Agent::send_message(&client, &call, request()).await.expect("sent");
        assert_eq!(answer.replayed, replayed);
    }
}

#[tokio::test]
async fn what_the_card_does_not_offer_is_refused_before_anything_is_sent() {
    let server = Server::script(Vec::new()).await;
    let mut found = card(&[interface(&server.url("/"), Transport::JsonRpc)]);
    found["capabilities"] = json!({});
    let reference = "https://a.example".parse().expect("a reference");
    let found = sabir_client::FoundCard::read(found.to_string().into(), reference).expect("a card");
    let builder = Client::builder().found_card(found.into());
    let client = builder.connect().await.expect("fits");
    let call = Call::default();
    let Err(error) = client.stream("hi").await else { panic!("it streams") };
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
    let Err(error) = client.task("t").follow().await else { panic!("it streams") };
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
    let request = GetExtendedAgentCardRequest::default();
    let error = client.get_extended_agent_card(&call, request).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
    let push = TaskPushNotificationConfig { url: "https://h/".into(), ..Default::default() };
    let error = client.create_task_push_notification_config(&call, push.clone()).await;
    assert_eq!(error.expect_err("refused").kind(), ErrorKind::PushNotificationNotSupported);
    let mut request = sabir_types::SendMessageRequest::new(Message::user("hi"));
    let configuration = request.configuration.get_or_insert_default();
    configuration.task_push_notification_config = Some(push);
    let error = client.send(request).await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::PushNotificationNotSupported);
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn an_endpoint_with_a_query_keeps_it() {
    let server = Server::start(|_, _| json_answer(&task("t", "WORKING"))).await;
    let client = Client::builder()
        .endpoint(server.url("/base/?route=7"), Transport::HttpJson)
        .api_key_at(ApiKeyPlace::Query("key".into()), "k")
        .retry(QUICK)
        .connect()
        .await
        .expect("set up");
    client.get("t").await.expect("got");
    assert_eq!(server.only().target, "/base/tasks/t?route=7&key=k");
}
