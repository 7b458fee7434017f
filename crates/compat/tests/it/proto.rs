//! The bytes of the protobuf dialect: ProtoJSON, and the numbers of the package `a2a.v1`.

use sabir_compat::FileBytes;
use sabir_compat::proto::{Request, Response, Translate};
use sabir_types::wire::prost::Message as _;
use sabir_types::{
    CancelTaskRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsResponse, Message, Part, ProtoMessage, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskPushNotificationConfig,
    TaskState, TaskStatus, TaskStatusUpdateEvent,
};

fn written<D>(value: impl Translate<D>, bytes: FileBytes) -> String {
    let mut out = Vec::new();
    value.write(bytes, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn read<D, T: Translate<D>>(json: &str) -> T {
    T::read(json.as_bytes(), FileBytes::Text).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// It is written so, and reads as what it was.
#[track_caller]
fn holds<D, T: Translate<D> + PartialEq + std::fmt::Debug>(value: T, json: &str) {
    assert_eq!(read::<D, T>(json), value);
    assert_eq!(written(value, FileBytes::Text), json);
}

fn request(json: &str) -> SendMessageRequest {
    read::<Request, _>(json)
}

#[test]
fn a_message_has_content_and_names_are_those_of_the_package() {
    let request = SendMessageRequest {
        configuration: Some(SendMessageConfiguration {
            history_length: Some(5),
            task_push_notification_config: Some(TaskPushNotificationConfig::new("https://h/")),
            ..Default::default()
        }),
        ..SendMessageRequest::new(Message::user("hi").with_id("m1").with_context("c1"))
    };
    holds::<Request, _>(
        request,
        r#"{"message":{"messageId":"m1","contextId":"c1","role":"ROLE_USER","content":[{"text":"hi"}]},"configuration":{"pushNotification":{"url":"https://h/"},"historyLength":5,"blocking":true}}"#,
    );
}

#[test]
fn both_spellings_of_every_name_are_read() {
    let camel = request(
        r#"{"message":{"messageId":"m1","role":"ROLE_USER","content":[{"file":{"fileWithBytes":"ZEdOcg==","mimeType":"text/plain"}}]},"configuration":{"pushNotification":{"url":"u"},"historyLength":2,"blocking":true}}"#,
    );
    let snake = request(
        r#"{"request":{"message_id":"m1","role":"ROLE_USER","content":[{"file":{"file_with_bytes":"ZEdOcg==","mime_type":"text/plain"}}]},"configuration":{"push_notification":{"url":"u"},"history_length":2,"blocking":true}}"#,
    );
    assert_eq!(camel, snake);
    camel.check().unwrap();
    let status: Task = read(r#"{"id":"t","status":{"state":2,"update":{"message_id":"m"}}}"#);
    assert_eq!(status.status.message.unwrap().message_id, "m");
    let reply: SendMessageResponse = read(r#"{"msg":{"messageId":"m"}}"#);
    assert!(matches!(reply, SendMessageResponse::Message(_)));
}

#[test]
fn bytes_are_base64_text_unless_the_peer_puts_them_plainly() {
    let message = || Message::agent(vec![Part::raw(&b"tck"[..])]).with_id("m");
    let reply = |bytes| written(SendMessageResponse::Message(message()), bytes);
    assert!(reply(FileBytes::Text).contains(r#""fileWithBytes":"ZEdOcg==""#));
    assert!(reply(FileBytes::Plain).contains(r#""fileWithBytes":"dGNr""#));
    let raw = |base64: &str, bytes| {
        let json =
            format!(r#"{{"message":{{"content":[{{"file":{{"fileWithBytes":"{base64}"}}}}]}}}}"#);
        let response = SendMessageResponse::read(json.as_bytes(), bytes).unwrap();
        let SendMessageResponse::Message(mut message) = response else { panic!("{response:?}") };
        message.parts.remove(0)
    };
    assert_eq!(raw("ZEdOcg==", FileBytes::Text), Part::raw(&b"tck"[..]));
    assert_eq!(raw("ZEdOcg==", FileBytes::Plain), Part::raw(&b"dGNr"[..]));
    // Encoded once, and no base64 text inside.
    for (base64, expected) in
        [("dGNr", &b"tck"[..]), ("+//+", b"\xfb\xff\xfe"), ("-__-", b"\xfb\xff\xfe"), ("", b"")]
    {
        assert_eq!(raw(base64, FileBytes::Text), Part::raw(expected), "{base64}");
    }
}

#[test]
fn canceled_has_two_ls_and_is_read_with_one() {
    let task = Task::new("t1", "c1", TaskState::Canceled.into());
    holds::<Response, _>(
        SendMessageResponse::Task(task),
        r#"{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELLED"}}}"#,
    );
    let task: Task = read(r#"{"id":"t","status":{"state":"TASK_STATE_CANCELED"}}"#);
    assert_eq!(task.state(), TaskState::Canceled);
}

#[test]
fn an_event_is_wrapped_and_final_where_the_stream_ends() {
    let event = |state: TaskState| TaskStatusUpdateEvent {
        task_id: "t1".into(),
        context_id: "c1".into(),
        status: TaskStatus::new(state),
        metadata: None,
    };
    holds::<Response, _>(
        StreamResponse::StatusUpdate(event(TaskState::Working)),
        r#"{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}"#,
    );
    holds::<Response, _>(
        StreamResponse::StatusUpdate(event(TaskState::InputRequired)),
        r#"{"statusUpdate":{"taskId":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED"},"final":true}}"#,
    );
}

#[test]
fn a_configuration_that_does_not_say_so_does_not_wait_and_none_at_all_does() {
    let waits = |configuration: &str| {
        let request = request(&format!(r#"{{"message":{{}}{configuration}}}"#));
        !request.configuration.is_some_and(|asked| asked.return_immediately)
    };
    assert!(waits(""));
    assert!(!waits(r#","configuration":{}"#));
    assert!(!waits(r#","configuration":{"blocking":false}"#));
    assert!(waits(r#","configuration":{"blocking":true}"#));
    // Both say it when they are ours.
    let ours = written::<Request>(SendMessageRequest::default(), FileBytes::Text);
    assert!(ours.contains(r#""blocking":true"#), "{ours}");
}

#[test]
fn tasks_and_configs_are_referred_to_by_name() {
    holds::<Request, _>(
        GetTaskRequest { id: "t1".into(), ..Default::default() },
        r#"{"name":"tasks/t1"}"#,
    );
    let cancel = CancelTaskRequest { id: "t1".into(), ..Default::default() };
    holds::<Request, _>(cancel, r#"{"name":"tasks/t1"}"#);
    holds::<Request, _>(
        GetTaskPushNotificationConfigRequest {
            tenant: None,
            task_id: "t1".into(),
            id: "p".to_owned(),
        },
        r#"{"name":"tasks/t1/pushNotificationConfigs/p"}"#,
    );
}

#[test]
fn a_push_config_is_set_by_any_of_the_bodies_that_peers_send() {
    let mut expected = TaskPushNotificationConfig::new("https://h/");
    expected.id = Some("p".to_owned());
    expected.task_id = Some("t1".into());
    holds::<Request, _>(
        expected.clone(),
        r#"{"parent":"tasks/t1","configId":"p","config":{"name":"tasks/t1/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p","url":"https://h/"}}}"#,
    );
    for json in [
        r#"{"parent":"tasks/t1","config_id":"p","config":{"push_notification_config":{"url":"https://h/"}}}"#,
        r#"{"name":"tasks/t1/pushNotificationConfigs/p","pushNotificationConfig":{"url":"https://h/"}}"#,
        r#"{"config":{"name":"tasks/t1/pushNotificationConfigs/p","pushNotificationConfig":{"url":"https://h/"}}}"#,
    ] {
        assert_eq!(read::<Request, TaskPushNotificationConfig>(json), expected, "{json}");
    }
    holds::<Response, _>(
        ListTaskPushNotificationConfigsResponse {
            configs: vec![expected],
            next_page_token: String::new(),
        },
        r#"{"configs":[{"name":"tasks/t1/pushNotificationConfigs/p","pushNotificationConfig":{"id":"p","url":"https://h/"}}]}"#,
    );
}

/// Made by the kit for Python 0.3.26: `SerializeToString` of the messages that the comments show.
#[test]
fn protobuf_has_the_numbers_of_the_package() {
    let read = |hex: &str| -> Vec<u8> {
        (0..hex.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
            .collect()
    };
    for (hex, json) in GOLDEN {
        let bytes = read(hex);
        let form = <StreamResponse as Translate<Response>>::Form::decode(&bytes[..]).unwrap();
        assert_eq!(serde_json::to_string(&form).unwrap(), *json);
        assert_eq!(form.encode_to_vec(), bytes, "{json}");
    }
    let bytes = read(SEND);
    let form = <SendMessageRequest as Translate<Request>>::Form::decode(&bytes[..]).unwrap();
    assert_eq!(form.encode_to_vec(), bytes);
    let request = SendMessageRequest::from_form(form, FileBytes::Text);
    assert_eq!(request.message.parts[1], Part::raw(&b"tck"[..]).with_filename("o"));
    assert_eq!(request.configuration.unwrap().history_length, Some(7));
}

include!("golden.rs");
