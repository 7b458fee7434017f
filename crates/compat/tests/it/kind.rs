//! The bytes of kind-JSON.

use sabir_compat::kind::{self, Translate};
use sabir_types::{
    Artifact, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, Message, Part,
    ProtoMessage, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent,
};

fn written(value: impl Translate) -> String {
    let mut out = Vec::new();
    value.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn read<T: Translate>(json: &str) -> T {
    T::read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"))
}

/// It is written so, and reads as what it was.
#[track_caller]
fn holds<T: Translate + PartialEq + std::fmt::Debug>(value: T, json: &str) {
    assert_eq!(read::<T>(json), value);
    assert_eq!(written(value), json);
}

#[test]
fn a_message_says_its_kind_and_keeps_its_references() {
    let mut message = Message::user("hi").with_id("m1").with_context("c1").with_task("t1");
    message.reference_task_ids = vec!["t0".into()];
    message.extensions = vec!["urn:x".to_owned()];
    holds(
        message,
        r#"{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"hi"}],"contextId":"c1","taskId":"t1","referenceTaskIds":["t0"],"extensions":["urn:x"]}"#,
    );
}

#[test]
fn every_kind_of_part_is_written_as_0_3_does() {
    for (part, json) in [
        (Part::text("hi"), r#"{"kind":"text","text":"hi"}"#),
        (
            Part::raw(&b"tck"[..]).with_media_type("text/plain").with_filename("o"),
            r#"{"kind":"file","file":{"bytes":"dGNr","mimeType":"text/plain","name":"o"}}"#,
        ),
        (
            Part::url("https://f/x").with_media_type("text/plain").with_filename("x"),
            r#"{"kind":"file","file":{"uri":"https://f/x","mimeType":"text/plain","name":"x"}}"#,
        ),
        (Part::data(serde_json::json!({"a": 1})), r#"{"kind":"data","data":{"a":1}}"#),
        (
            Part::data(serde_json::json!([1, 2])),
            r#"{"kind":"data","data":{"value":[1,2]},"metadata":{"data_part_compat":true}}"#,
        ),
    ] {
        let message = Message::agent(vec![part]).with_id("m");
        let json =
            format!(r#"{{"kind":"message","messageId":"m","role":"agent","parts":[{json}]}}"#);
        holds(message, &json);
    }
}

#[test]
fn data_is_unwrapped_only_where_the_flag_says_so() {
    let part = |json: &str| {
        read::<Message>(&format!(r#"{{"messageId":"m","role":"agent","parts":[{json}]}}"#))
            .parts
            .remove(0)
    };
    let plain = part(r#"{"kind":"data","data":{"value":1}}"#);
    assert_eq!(plain, Part::data(serde_json::json!({"value": 1})));
    let other = part(r#"{"data":{"value":1},"metadata":{"data_part_compat":"true"}}"#);
    assert_eq!(other.as_data(), Some(&serde_json::json!({"value": 1})));
    let kept = part(r#"{"data":{"value":1},"metadata":{"data_part_compat":true,"a":2}}"#);
    assert_eq!(kept.as_data(), Some(&serde_json::json!(1)));
    assert_eq!(serde_json::to_string(&kept.metadata).unwrap(), r#"{"a":2}"#);
}

#[test]
fn a_result_is_the_bare_task_or_message() {
    let status = TaskStatus::new(TaskState::InputRequired)
        .with_timestamp("2026-01-02T03:04:05Z".parse().unwrap());
    holds(
        SendMessageResponse::Task(Task::new("t1", "c1", status)),
        r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"input-required","timestamp":"2026-01-02T03:04:05.000Z"}}"#,
    );
    holds(
        SendMessageResponse::Message(Message::agent("yes").with_id("m2")),
        r#"{"kind":"message","messageId":"m2","role":"agent","parts":[{"kind":"text","text":"yes"}]}"#,
    );
}

#[test]
fn an_event_is_final_where_the_stream_ends() {
    for (state, name, last) in [
        (TaskState::Submitted, "submitted", false),
        (TaskState::Working, "working", false),
        (TaskState::Completed, "completed", true),
        (TaskState::Failed, "failed", true),
        (TaskState::Canceled, "canceled", true),
        (TaskState::Rejected, "rejected", true),
        (TaskState::InputRequired, "input-required", true),
        (TaskState::AuthRequired, "auth-required", true),
        (TaskState::Unspecified, "unknown", false),
    ] {
        let event = TaskStatusUpdateEvent {
            task_id: "t1".into(),
            context_id: "c1".into(),
            status: TaskStatus::new(state),
            metadata: None,
        };
        let json = format!(
            r#"{{"kind":"status-update","taskId":"t1","contextId":"c1","status":{{"state":"{name}"}},"final":{last}}}"#
        );
        holds(StreamResponse::StatusUpdate(event), &json);
    }
}

#[test]
fn an_artifact_update_leaves_out_what_is_false() {
    let event = TaskArtifactUpdateEvent {
        task_id: "t1".into(),
        context_id: "c1".into(),
        artifact: Artifact::default().with_id("a").text("x"),
        append: true,
        last_chunk: false,
        metadata: None,
    };
    holds(
        StreamResponse::ArtifactUpdate(event),
        r#"{"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"a","parts":[{"kind":"text","text":"x"}]},"append":true}"#,
    );
}

#[test]
fn what_does_not_say_its_kind_is_known_by_its_shape() {
    for (json, kind) in [
        (r#"{"messageId":"m","role":"agent","parts":[]}"#, "message"),
        (r#"{"taskId":"t","contextId":"c","artifact":{"artifactId":"a"}}"#, "artifact"),
        (r#"{"taskId":"t","contextId":"c","status":{"state":"working"}}"#, "status"),
        (r#"{"id":"t","contextId":"c","status":{"state":"working"}}"#, "task"),
        (r#"{"id":"t","status":{"state":"working"},"artifacts":[]}"#, "task"),
        (r#"{"kind":"task","id":"t","taskId":"x","status":{"state":"working"}}"#, "task"),
        (r#"{"x":1}"#, "nothing"),
    ] {
        let found = match read::<StreamResponse>(json) {
            StreamResponse::Message(_) => "message",
            StreamResponse::ArtifactUpdate(_) => "artifact",
            StreamResponse::StatusUpdate(_) => "status",
            StreamResponse::Task(_) => "task",
            _ => "nothing",
        };
        assert_eq!(found, kind, "{json}");
    }
    // As 0.1 has it.
    let message: Message =
        read(r#"{"role":"user","messageId":"m","parts":[{"type":"text","text":"hi"}]}"#);
    assert_eq!(message.text(), "hi");
}

#[test]
fn times_and_states_are_read_in_all_their_spellings() {
    for time in [
        "2026-01-02T03:04:05.123456+00:00",
        "2026-01-02T05:04:05.123456+02:00",
        "2026-01-02T03:04:05.123456",
        "2026-01-02T03:04:05.123456Z",
    ] {
        let task: Task = read(&format!(
            r#"{{"id":"t","status":{{"state":"TASK_STATE_CANCELLED","timestamp":"{time}"}}}}"#
        ));
        assert_eq!(task.state(), TaskState::Canceled);
        assert_eq!(task.status.timestamp.unwrap().to_string(), "2026-01-02T03:04:05.123456Z");
    }
    for (text, state) in [
        ("cancelled", TaskState::Canceled),
        ("canceled", TaskState::Canceled),
        ("input_required", TaskState::InputRequired),
        ("unknown", TaskState::Unspecified),
        ("paused", TaskState::Unrecognized),
    ] {
        let task: Task = read(&format!(r#"{{"id":"t","status":{{"state":"{text}"}}}}"#));
        assert_eq!(task.state(), state, "{text}");
    }
    let error = Task::read(br#"{"id":"t","status":{"timestamp":"yesterday"}}"#).unwrap_err();
    assert_eq!(error.violations()[0].field, "status.timestamp");
}

#[test]
fn a_task_without_a_context_gets_one() {
    let task = Task::new("t1", "", TaskState::Working.into());
    let json = r#"{"kind":"task","id":"t1","contextId":"t1","status":{"state":"working"}}"#;
    assert_eq!(written(task), json);
}

#[test]
fn parameters_of_a_message_say_whether_to_wait() {
    let mut push = TaskPushNotificationConfig::new("https://h/");
    push.id = Some("p".to_owned());
    push.token = Some("T".to_owned());
    let request = SendMessageRequest {
        configuration: Some(SendMessageConfiguration {
            accepted_output_modes: vec!["text/plain".to_owned()],
            history_length: Some(5),
            return_immediately: true,
            task_push_notification_config: Some(push),
        }),
        ..SendMessageRequest::new(Message::user("hi").with_id("m1"))
    };
    holds(
        request,
        r#"{"message":{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"hi"}]},"configuration":{"acceptedOutputModes":["text/plain"],"pushNotificationConfig":{"id":"p","url":"https://h/","token":"T"},"historyLength":5,"blocking":false}}"#,
    );
}

#[test]
fn a_message_waits_unless_it_says_otherwise() {
    let waits = |configuration: &str| {
        let request: SendMessageRequest = read(&format!(r#"{{"message":{{}}{configuration}}}"#));
        !request.configuration.is_some_and(|asked| asked.return_immediately)
    };
    assert!(waits(""));
    assert!(waits(r#","configuration":{}"#));
    assert!(waits(r#","configuration":{"blocking":null}"#));
    assert!(waits(r#","configuration":{"blocking":true}"#));
    assert!(!waits(r#","configuration":{"blocking":false}"#));
}

#[test]
fn a_history_length_of_zero_is_none() {
    let length = |json: &str| read::<GetTaskRequest>(json).history_length;
    assert_eq!(length(r#"{"id":"t","historyLength":0}"#), None);
    assert_eq!(length(r#"{"id":"t"}"#), None);
    assert_eq!(length(r#"{"id":"t","history_length":2.0}"#), Some(2));
    let sent: SendMessageRequest = read(r#"{"configuration":{"historyLength":0}}"#);
    assert_eq!(sent.configuration.unwrap().history_length, None);
}

#[test]
fn parameters_that_name_a_task_are_called_id() {
    holds(
        GetTaskRequest { id: "t1".into(), history_length: Some(3), ..GetTaskRequest::default() },
        r#"{"id":"t1","historyLength":3}"#,
    );
    holds(CancelTaskRequest { id: "t1".into(), ..Default::default() }, r#"{"id":"t1"}"#);
    holds(SubscribeToTaskRequest { id: "t1".into(), ..Default::default() }, r#"{"id":"t1"}"#);
    let list =
        ListTaskPushNotificationConfigsRequest { task_id: "t1".into(), ..Default::default() };
    holds(list, r#"{"id":"t1"}"#);
    holds(
        GetTaskPushNotificationConfigRequest {
            tenant: Some("a".to_owned()),
            task_id: "t1".into(),
            id: "p".to_owned(),
        },
        r#"{"tenant":"a","id":"t1","pushNotificationConfigId":"p"}"#,
    );
    holds(
        DeleteTaskPushNotificationConfigRequest {
            tenant: None,
            task_id: "t1".into(),
            id: "p".to_owned(),
        },
        r#"{"id":"t1","pushNotificationConfigId":"p"}"#,
    );
    holds(GetExtendedAgentCardRequest::default(), "{}");
}

#[test]
fn a_push_config_without_a_name_has_that_of_its_task() {
    let get: GetTaskPushNotificationConfigRequest = read(r#"{"id":"t1"}"#);
    assert_eq!(get.id, "t1");
}

#[test]
fn push_configs_stand_in_their_task_and_a_list_is_a_bare_array() {
    let json = r#"{"taskId":"t1","pushNotificationConfig":{"id":"p","url":"https://h/","token":"T","authentication":{"schemes":["Bearer"],"credentials":"cr"}}}"#;
    let config: TaskPushNotificationConfig = read(json);
    assert_eq!(config.authentication.as_ref().unwrap().scheme, "Bearer");
    holds(config.clone(), json);
    let list =
        ListTaskPushNotificationConfigsResponse { configs: vec![config], ..Default::default() };
    holds(list, &format!("[{json}]"));
    holds(ListTaskPushNotificationConfigsResponse::default(), "[]");
}

#[test]
fn of_several_schemes_the_first_is_kept_and_credentials_alone_are_a_bearer_token() {
    let scheme = |authentication: &str| {
        let json = format!(
            r#"{{"taskId":"t","pushNotificationConfig":{{"url":"u","authentication":{authentication}}}}}"#
        );
        read::<TaskPushNotificationConfig>(&json).authentication.map(|one| one.scheme)
    };
    assert_eq!(scheme(r#"{"schemes":["Bearer","Basic"]}"#).unwrap(), "Bearer");
    assert_eq!(scheme(r#"{"schemes":[],"credentials":"c"}"#).unwrap(), "Bearer");
    assert_eq!(scheme(r#"{"schemes":[]}"#), None);
}

#[test]
fn what_is_missing_has_the_path_of_1_0() {
    let request: SendMessageRequest = read(
        r#"{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":""},{"kind":"text"}]}}"#,
    );
    assert_eq!(request.missing().unwrap(), "message.parts[1].content");
    let request: SendMessageRequest = read(r#"{"message":{"role":"robot"}}"#);
    assert_eq!(request.message.role, Role::Unspecified);
    let error = SendMessageRequest::read(br#"{"message":{"parts":[{"text":5}]}}"#).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert_eq!(error.violations()[0].field, "message.parts[0].text");
}

#[test]
fn kind_json_in_http_json_is_told_by_what_only_it_has() {
    for spoken in [
        r#"{"message":{"kind":"message","messageId":"m","role":"user"}}"#,
        r#"{"message":{"messageId":"m","role":"user"}}"#,
        r#"{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}"#,
    ] {
        assert!(kind::is_spoken(spoken.as_bytes()), "{spoken}");
    }
    for other in [
        r#"{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}"#,
        r#"{"request":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hi"}]}}"#,
        "{}",
        "no JSON",
    ] {
        assert!(!kind::is_spoken(other.as_bytes()), "{other}");
    }
}

#[test]
fn a_webhook_gets_the_bare_task() {
    let task = Task::new("t1", "c1", TaskState::Completed.into());
    let body = kind::webhook_body(task.into()).unwrap().unwrap();
    let expected = r#"{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}"#;
    assert_eq!(String::from_utf8(body).unwrap(), expected);
    assert_eq!(kind::webhook_body(Message::agent("hi").into()).unwrap(), None);
}
