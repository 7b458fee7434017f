//! Lenient in, strict out: what both encodings take, and what they write.

use sabir_types::wire::prost::Message as _;
use sabir_types::wire::{
    MAX_DEPTH, check_depth, from_json, from_protobuf, from_query, to_json, to_protobuf,
};
use sabir_types::{
    AgentCard, Artifact, Content, ErrorKind, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    Message, Part, ProtoMessage, Role, SecurityRequirement, SecurityScheme,
    SendMessageConfiguration, SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig,
    TaskState, TaskStatus, Timestamp,
};
use serde_json::{Value, json};
use std::borrow::Cow;

fn read<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_else(|e| panic!("{e}: {json}"))
}

fn refusal<T: serde::de::DeserializeOwned + std::fmt::Debug>(json: &str) -> String {
    serde_json::from_str::<T>(json).expect_err(json).to_string()
}

fn written<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("it can be written")
}

// ---- lenient in ----

#[test]
fn both_spellings_of_a_name_are_read() {
    let camel: Message = read(r#"{"messageId":"m","referenceTaskIds":["t"]}"#);
    let snake: Message = read(r#"{"message_id":"m","reference_task_ids":["t"]}"#);
    assert_eq!(camel, snake);
    assert_eq!(camel.message_id, "m");
}

#[test]
fn unknown_fields_are_ignored() {
    let task: Task = read(r#"{"id":"t","kind":"task","x":{"y":[1,{"id":"no"}]}}"#);
    assert_eq!(task, Task { id: "t".into(), ..Task::default() });
}

#[test]
fn null_is_absent_in_every_kind_of_field() {
    let task: Task = read(
        r#"{"id":null,"contextId":null,"status":null,"artifacts":null,"history":null,"metadata":null}"#,
    );
    assert_eq!(task, Task::default());
    let card: AgentCard = read(r#"{"securitySchemes":null,"capabilities":null,"iconUrl":null}"#);
    assert_eq!(card, AgentCard::default());
    let configuration: SendMessageConfiguration =
        read(r#"{"historyLength":null,"returnImmediately":null}"#);
    assert_eq!(configuration, SendMessageConfiguration::default());
}

#[test]
fn null_in_a_union_is_absent_except_as_data() {
    let part: Part = read(r#"{"text":null,"url":"https://x.example"}"#);
    assert_eq!(part, Part::url("https://x.example"));
    let part: Part = read(r#"{"data":null}"#);
    assert_eq!(part, Part::data(serde_json::Value::Null));
    assert_eq!(written(&part), r#"{"data":null}"#);
    let bytes = part.encode_to_vec();
    assert_eq!(Part::decode(&bytes[..]).unwrap(), part, "also in protobuf");
}

#[test]
fn empty_text_is_content() {
    let part: Part = read(r#"{"text":""}"#);
    assert_eq!(part, Part::text(""));
    assert_eq!(part.missing(), None);
    assert_eq!(written(&part), r#"{"text":""}"#);
    assert_eq!(Part::decode(&part.encode_to_vec()[..]).unwrap(), part);
}

#[test]
fn enums_are_read_by_name_and_by_number() {
    for json in [r#"{"state":"TASK_STATE_WORKING"}"#, r#"{"state":2}"#, r#"{"state":2.0}"#] {
        assert_eq!(read::<TaskStatus>(json).state, TaskState::Working, "{json}");
    }
    assert!(refusal::<TaskStatus>(r#"{"state":true}"#).contains("an enum name or number"));
    assert!(refusal::<TaskStatus>(r#"{"state":99999999999}"#).contains("enum"));
}

#[test]
fn an_enum_value_that_is_not_known_is_reported_with_its_path() {
    let request: SendMessageRequest =
        read(r#"{"message":{"messageId":"m","role":"ROLE_TOOL","parts":[{"text":"hi"}]}}"#);
    assert_eq!(request.message.role, Role::Unspecified);
    assert_eq!(request.missing().as_deref(), Some("message.role"));

    for json in [r#"{"state":"TASK_STATE_PAUSED"}"#, r#"{"state":42}"#] {
        let status: TaskStatus = read(json);
        assert_eq!(status.state, TaskState::Unrecognized);
        assert_eq!(status.missing().as_deref(), Some("state"));
        assert_eq!(written(&status), r#"{"state":"TASK_STATE_UNSPECIFIED"}"#);
    }
}

/// Otherwise a filter that was not understood would let everything through.
#[test]
fn a_filter_by_a_state_that_is_not_known_is_refused() {
    let request: ListTasksRequest = read(r#"{"status":"TASK_STATE_PAUSED"}"#);
    assert_eq!(request.missing().as_deref(), Some("status"));
    // The same over protobuf: field 3, number 42.
    let request = ListTasksRequest::decode(&[0x18, 42][..]).unwrap();
    assert_eq!(request.missing().as_deref(), Some("status"));
    let request: ListTasksRequest = read(r#"{"status":"TASK_STATE_UNSPECIFIED"}"#);
    assert_eq!(request.missing(), None, "unspecified means any");
}

#[test]
fn integers_are_read_as_numbers_doubles_and_strings() {
    for five in ["5", "5.0", "5e0", "50e-1", r#""5""#, r#""5.0""#] {
        let request: GetTaskRequest = read(&format!(r#"{{"historyLength":{five}}}"#));
        assert_eq!(request.history_length, Some(5), "{five}");
    }
    let least: GetTaskRequest = read(r#"{"historyLength":-2147483648.0}"#);
    assert_eq!(least.history_length, Some(i32::MIN));
    for wrong in ["5.5", "2147483648", "-2147483649", "1e10", r#""five""#, r#""""#, "true", "[]"] {
        let error = refusal::<GetTaskRequest>(&format!(r#"{{"historyLength":{wrong}}}"#));
        assert!(error.contains("32-bit integer"), "{wrong}: {error}");
    }
}

#[test]
fn base64_is_read_in_both_alphabets_with_and_without_padding() {
    for text in ["+/8=", "-_8=", "+/8", "-_8"] {
        let part: Part = read(&json!({ "raw": text }).to_string());
        assert_eq!(part, Part::raw(vec![0xfb, 0xff]), "{text}");
        assert_eq!(written(&part), r#"{"raw":"+/8="}"#, "standard alphabet, with padding");
    }
    assert!(refusal::<Part>(r#"{"raw":"a b"}"#).contains("invalid base64"));
    let empty: Part = read(r#"{"raw":""}"#);
    assert_eq!((written(&empty).as_str(), empty.missing()), (r#"{"raw":""}"#, None));
}

#[test]
fn an_empty_string_is_the_same_as_none_where_the_field_has_no_presence() {
    let request: GetTaskRequest = read(r#"{"tenant":"","id":"t"}"#);
    assert_eq!(request.tenant, None);
    let message: Message = read(r#"{"contextId":"","taskId":""}"#);
    assert_eq!((message.context_id, message.task_id), (None, None));
    // `optional` has presence.
    let card: AgentCard = read(r#"{"documentationUrl":"","capabilities":{"streaming":false}}"#);
    assert_eq!(card.documentation_url.as_deref(), Some(""));
    assert_eq!(card.capabilities.streaming, Some(false));
    assert!(written(&card).contains(r#""capabilities":{"streaming":false}"#));
    // What a caller sets to the empty string is left out like any default.
    let set = GetTaskRequest { tenant: Some(String::new()), ..GetTaskRequest::default() };
    assert_eq!(written(&set), r#"{"id":""}"#);
    assert_eq!(set.encoded_len(), 0);
}

#[test]
fn numbers_in_data_keep_their_shape() {
    let json =
        r#"{"data":{"big":9007199254740993,"f":0.1,"n":1,"u":18446744073709551615,"z":1.0}}"#;
    let part: Part = read(json);
    assert_eq!(written(&part), json, "exact over JSON");
    let over_protobuf = Part::decode(&part.encode_to_vec()[..]).unwrap();
    assert_eq!(
        written(&over_protobuf),
        r#"{"data":{"big":9007199254740992,"f":0.1,"n":1,"u":1.8446744073709552e+19,"z":1}}"#,
        "doubles over protobuf",
    );
}

#[test]
fn what_json_cannot_express_reads_as_null_from_protobuf() {
    for n in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        // Part.data (4) = Value { number_value (2) = n }.
        let mut bytes = vec![0x22, 9, 0x11];
        bytes.extend(n.to_le_bytes());
        assert_eq!(Part::decode(&bytes[..]).unwrap(), Part::data(serde_json::Value::Null));
    }
}

#[test]
fn keys_of_metadata_are_written_in_order() {
    let part: Part = read(r#"{"text":"x","metadata":{"b":1,"a":{"d":1,"c":2}}}"#);
    assert_eq!(written(&part), r#"{"text":"x","metadata":{"a":{"c":2,"d":1},"b":1}}"#);
}

// ---- what is refused ----

#[test]
fn a_field_that_stands_twice_is_refused() {
    assert!(refusal::<Task>(r#"{"id":"a","id":"b"}"#).contains("duplicate field `id`"));
    let error = refusal::<Task>(r#"{"contextId":"a","context_id":"b"}"#);
    assert!(error.contains("duplicate field `context_id`"), "{error}");
    assert!(refusal::<Part>(r#"{"text":null,"text":"x"}"#).contains("duplicate field `text`"));
    let error = refusal::<SecurityRequirement>(r#"{"schemes":{"k":{},"k":{}}}"#);
    assert!(error.contains("duplicate key `k`"), "{error}");
    // What no version knows is nobody's field.
    read::<Task>(r#"{"x":1,"x":2}"#);
}

#[test]
fn two_members_of_a_union_are_refused_by_name() {
    let error = refusal::<Part>(r#"{"text":"a","data":null}"#);
    assert!(error.contains("`text` and `data` are both set"), "{error}");
    let error = refusal::<StreamResponse>(r#"{"task":{"id":"t"},"statusUpdate":{"taskId":"t"}}"#);
    assert!(error.contains("`task` and `statusUpdate` are both set"), "{error}");
    let error = refusal::<SecurityScheme>(
        r#"{"mtlsSecurityScheme":{},"apiKeySecurityScheme":{"location":"header","name":"k"}}"#,
    );
    assert!(error.contains("`mtlsSecurityScheme` and `apiKeySecurityScheme`"), "{error}");
}

#[test]
fn null_among_the_items_of_an_array_is_refused() {
    assert!(refusal::<Message>(r#"{"parts":[null]}"#).contains("expected an object"));
    assert!(refusal::<Message>(r#"{"extensions":[null]}"#).contains("expected a string"));
}

#[test]
fn a_decode_error_names_the_field() {
    let error =
        from_json::<SendMessageRequest>(br#"{"message":{"parts":[{"text":"a"},{"text":5}]}}"#)
            .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert_eq!(error.violations()[0].field, "message.parts[1].text");
    assert_eq!(
        error.message(),
        "message.parts[1].text: invalid type: integer `5`, expected a string",
    );
    let error = from_json::<GetTaskRequest>(b"[]").unwrap_err();
    assert_eq!(error.message(), "invalid type: sequence, expected an object");
    assert!(error.violations().is_empty());
}

#[test]
fn a_decode_error_quotes_only_the_beginning() {
    let json = json!({"historyLength": "é".repeat(10_000)}).to_string();
    let error = from_json::<GetTaskRequest>(json.as_bytes()).unwrap_err();
    assert!(error.message().len() < 500);
    assert!(error.message().starts_with("historyLength: invalid value: string \"éé"));
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    for text in ["", "{", r#"{"id":"t"} x"#, r#"{"id":"t",}"#, "{\"id\":\"\u{1}\"}", "nul"] {
        let error = from_json::<GetTaskRequest>(text.as_bytes()).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::ParseError, "{text}");
    }
    let error = from_json::<GetTaskRequest>(b"{\"id\":\"\xff\"}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ParseError, "not UTF-8");
}

#[test]
fn depth_is_counted_outside_strings() {
    let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
    assert!(check_depth(nested(MAX_DEPTH).as_bytes(), MAX_DEPTH).is_ok());
    let error = check_depth(nested(MAX_DEPTH + 1).as_bytes(), MAX_DEPTH).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.message(), "the JSON nests deeper than 64 levels");
    assert!(check_depth(br#"{"a":"[[[[\"[[[","b":[]}"#, 2).is_ok());
    assert!(check_depth(br#"{"a":"\\","b":[[]]}"#, 2).is_err());
    for broken in ["]]]]", r#"["\"#, r#"["\\"#, r#"["\""#, "[\"", "\"[[[["] {
        assert!(check_depth(broken.as_bytes(), 1).is_ok(), "syntax is for the decoder: {broken}");
    }
}

#[test]
fn deep_data_is_an_error_and_no_overflow() {
    let deep = format!(r#"{{"data":{}1{}}}"#, "[".repeat(5000), "]".repeat(5000));
    assert!(from_json::<Part>(deep.as_bytes()).is_err());
    // Value { list (6) = ListValue { values (1) = Value … } }, 5000 times.
    let mut value = vec![0x08, 0];
    for _ in 0..5000 {
        value = [field(1, &value)].concat();
        value = field(6, &value);
    }
    let error = from_protobuf::<Part>(&field(4, &value)[..]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    assert_eq!(error.message(), "the message nests deeper than 64 levels");
}

#[test]
fn protobuf_holds_data_as_deep_as_json_and_no_deeper() {
    let nested =
        |levels: usize, wrap: fn(Value) -> Value| (0..levels).fold(json!(1), |v, _| wrap(v));
    for wrap in [|v| json!({ "k": v }), |v| json!([v])] {
        let deepest = Part::data(nested(MAX_DEPTH, wrap));
        assert_eq!(from_protobuf::<Part>(&to_protobuf(&deepest)[..]).unwrap(), deepest);
        let deeper = Part::data(nested(MAX_DEPTH + 1, wrap));
        let error = from_protobuf::<Part>(&to_protobuf(&deeper)[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
    }
    let metadata = |levels| {
        let metadata = json!({ "k": nested(levels, |v| json!([v])) });
        Part { metadata: metadata.as_object().cloned(), ..Part::text("x") }
    };
    let deepest = metadata(MAX_DEPTH - 1);
    assert_eq!(from_protobuf::<Part>(&to_protobuf(&deepest)[..]).unwrap(), deepest);
    assert!(from_protobuf::<Part>(&to_protobuf(&metadata(MAX_DEPTH))[..]).is_err());
}

fn field(number: u8, body: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    let mut length = body.len();
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
    out.extend_from_slice(body);
    out
}

// ---- strict out ----

#[test]
fn defaults_are_left_out_and_required_fields_are_not() {
    let response = ListTasksResponse { page_size: 50, ..ListTasksResponse::default() };
    assert_eq!(
        written(&response),
        r#"{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}"#,
    );
    assert_eq!(response.missing(), None, "empty is right here");

    let card = AgentCard::new("a", "b");
    assert_eq!(
        written(&card),
        concat!(
            r#"{"name":"a","description":"b","supportedInterfaces":[],"version":"1.0.0","#,
            r#""capabilities":{},"defaultInputModes":["text/plain"],"#,
            r#""defaultOutputModes":["text/plain"],"skills":[]}"#,
        ),
    );
    assert_eq!(card.missing().as_deref(), Some("supportedInterfaces"));
}

#[test]
fn an_empty_struct_that_is_set_is_kept() {
    let message: Message = read(r#"{"metadata":{}}"#);
    assert_eq!(message.metadata, Some(serde_json::Map::new()));
    assert!(written(&message).contains(r#""metadata":{}"#));
    assert_eq!(Message::decode(&message.encode_to_vec()[..]).unwrap(), message);
}

#[test]
fn a_complete_message_is_written_in_the_order_of_the_definition() {
    let task = Task {
        artifacts: vec![Artifact::new("a").with_id("a1").text("x")],
        ..Task::new("t", "c", TaskStatus::new(TaskState::Completed))
    };
    assert_eq!(
        String::from_utf8(to_json(&task).unwrap()).unwrap(),
        concat!(
            r#"{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"#,
            r#""artifacts":[{"artifactId":"a1","name":"a","parts":[{"text":"x"}]}]}"#,
        ),
    );
}

// ---- missing ----

#[test]
fn missing_names_the_first_required_field_by_its_path() {
    let complete = SendMessageRequest::new(Message::user("hi").with_id("m"));
    assert_eq!(complete.missing(), None);
    let path = |change: fn(&mut SendMessageRequest)| {
        let mut request = complete.clone();
        change(&mut request);
        request.missing().unwrap_or_default()
    };
    assert_eq!(path(|r| r.message.message_id = "".into()), "message.messageId");
    assert_eq!(path(|r| r.message.role = Role::Unspecified), "message.role");
    assert_eq!(path(|r| r.message.parts.clear()), "message.parts");
    assert_eq!(path(|r| r.message.parts.push(Part::default())), "message.parts[1].content");
    assert_eq!(
        path(|r| {
            r.configuration = Some(SendMessageConfiguration {
                task_push_notification_config: Some(TaskPushNotificationConfig::default()),
                ..SendMessageConfiguration::default()
            });
        }),
        "configuration.taskPushNotificationConfig.url",
    );
}

#[test]
fn missing_looks_into_maps_and_unions() {
    let card: AgentCard = read(
        r#"{"name":"a","description":"b","version":"1","supportedInterfaces":
            [{"url":"u","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],
            "securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header"}}}}"#,
    );
    assert_eq!(card.missing().as_deref(), Some("securitySchemes.k.apiKeySecurityScheme.name"),);
    assert_eq!(StreamResponse::Unset.missing().as_deref(), Some("payload"));
    let event = StreamResponse::from(Task::default());
    assert_eq!(event.missing().as_deref(), Some("task.id"));
}

#[test]
fn check_is_an_error_that_every_binding_can_send() {
    let error = GetTaskRequest::default().check().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert_eq!(error.message(), "id: must be present and valid");
    assert_eq!(error.violations()[0].field, "id");
}

// ---- timestamps ----

#[test]
fn timestamps_are_read_in_any_offset_and_written_in_utc() {
    for (text, written) in [
        ("2026-08-22T10:15:30Z", "2026-08-22T10:15:30.000Z"),
        ("2026-08-22t10:15:30z", "2026-08-22T10:15:30.000Z"),
        ("2026-08-22T12:15:30.25+02:00", "2026-08-22T10:15:30.250Z"),
        ("2026-08-21T22:15:30.000001-12:00", "2026-08-22T10:15:30.000001Z"),
        ("2026-08-22T10:15:30.123456789Z", "2026-08-22T10:15:30.123456789Z"),
        ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
    ] {
        let status: TaskStatus = read(&json!({"state": 2, "timestamp": text}).to_string());
        assert_eq!(status.timestamp.unwrap().to_string(), written, "{text}");
        assert!(self::written(&status).contains(written));
        assert_eq!(TaskStatus::decode(&status.encode_to_vec()[..]).unwrap(), status, "{text}");
    }
}

#[test]
fn malformed_timestamps_are_refused_by_name() {
    for text in [
        "",
        "yesterday",
        "2026-08-22",
        "2026-08-22T10:15:30",
        "2026-08-22 10:15:30Z",
        "2026-08-22T10:15Z",
        "20260822T101530Z",
        "2026-08-22T10:15:30.Z",
        "2026-08-22T10:15:30.1234567890Z",
        "2026-08-22T10:15:30+02",
        "2026-08-22T10:15:30Z[UTC]",
        "2026-02-30T10:15:30Z",
        "2026-08-22T25:15:30Z",
        "+002026-08-22T10:15:30Z",
        "2026-08-22T10:15:30é",
    ] {
        let json = json!({"statusTimestampAfter": text}).to_string();
        let error = from_json::<ListTasksRequest>(json.as_bytes()).expect_err(text);
        assert_eq!(error.violations()[0].field, "statusTimestampAfter");
        assert!(error.message().contains("is not an RFC 3339 timestamp"), "{error}");
    }
    let error = refusal::<TaskStatus>(r#"{"timestamp":"0000-12-31T23:59:59Z"}"#);
    assert!(error.contains("timestamp out of range"), "{error}");
    // Within four digits, but not in UTC.
    assert!(
        serde_json::from_str::<TaskStatus>(r#"{"timestamp":"9999-12-31T23:59:59-01:00"}"#).is_err()
    );
}

#[test]
fn a_timestamp_out_of_range_is_kept_and_reported_and_not_written() {
    // TaskStatus { state (1) = 2, timestamp (3) = Timestamp { seconds (1) = i64::MAX } }.
    let mut bytes = vec![0x08, 2, 0x1a, 10, 0x08];
    bytes.extend([0xff; 8]);
    bytes.push(0x7f);
    let status = TaskStatus::decode(&bytes[..]).unwrap();
    assert_eq!(status.timestamp.unwrap().seconds(), i64::MAX);
    assert_eq!(status.missing().as_deref(), Some("timestamp"));
    assert_eq!(status.encode_to_vec(), bytes, "kept as it came");
    assert!(to_json(&status).unwrap_err().message().contains("out of range"));
    assert!(Timestamp::new(0, 1_000_000_000).is_err());
    assert!(Timestamp::new(0, -1).is_err());
    // However absurd, nothing panics.
    let absurd = status.timestamp.unwrap();
    assert_eq!(absurd.as_millis(), i64::MAX);
    assert!(absurd.to_string().contains("out of range"));
    assert!(jiff::Timestamp::try_from(absurd).is_err());
}

#[test]
fn milliseconds_survive_the_trip_through_a_timestamp() {
    for millis in [0, 1, -1, 999, -999, -1000, 1_787_393_730_250] {
        assert_eq!(Timestamp::from_millis(millis).as_millis(), millis);
        assert!(Timestamp::from_millis(millis).is_valid());
    }
    let before = Timestamp::from_millis(-1);
    assert_eq!((before.seconds(), before.nanos()), (-1, 999_000_000));
    assert!(before < Timestamp::default());
    assert_eq!(jiff::Timestamp::try_from(before).map(Timestamp::from), Ok(before));
}

// ---- queries ----

#[test]
fn a_query_reads_as_the_message() {
    let query = |pairs: &[(&'static str, &'static str)]| {
        let pairs: Vec<_> =
            pairs.iter().map(|(k, v)| (Cow::Borrowed(*k), Cow::Borrowed(*v))).collect();
        from_query::<ListTasksRequest, _>(pairs)
    };
    let request = query(&[
        ("contextId", "c"),
        ("status", "TASK_STATE_WORKING"),
        ("pageSize", "10"),
        ("page_token", "p"),
        ("historyLength", "0"),
        ("statusTimestampAfter", "2026-08-22T10:15:30Z"),
        ("includeArtifacts", "true"),
        ("utm_source", "x"),
    ])
    .unwrap();
    assert_eq!(
        request,
        ListTasksRequest {
            tenant: None,
            context_id: Some("c".into()),
            status: TaskState::Working,
            page_size: Some(10),
            page_token: Some("p".into()),
            history_length: Some(0),
            status_timestamp_after: Some("2026-08-22T10:15:30Z".parse().unwrap()),
            include_artifacts: Some(true),
        },
    );
    let error = query(&[("pageSize", "ten")]).unwrap_err();
    assert_eq!(error.violations()[0].field, "pageSize");
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert!(query(&[("includeArtifacts", "yes")]).unwrap_err().message().contains("boolean"));
    assert!(
        query(&[("pageSize", "1"), ("page_size", "2")])
            .unwrap_err()
            .message()
            .contains("duplicate")
    );
    let list =
        from_query::<SendMessageConfiguration, _>([("acceptedOutputModes".into(), "a,b".into())]);
    assert_eq!(list.unwrap().accepted_output_modes, ["a", "b"]);
}

#[test]
fn a_member_this_version_does_not_know_reads_as_unset() {
    let part: Part = read(r#"{"hologram":"x","mediaType":"a/b"}"#);
    assert_eq!(part.content, Content::Unset);
    assert_eq!(part.missing().as_deref(), Some("content"));
    assert_eq!(read::<StreamResponse>(r#"{"future":{}}"#), StreamResponse::Unset);
}
