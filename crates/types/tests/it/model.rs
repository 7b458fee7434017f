//! What users of the types write.

use sabir_types::{
    AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Artifact, ArtifactId,
    AuthenticationInfo, Message, Part, Principal, Role, SendMessageResponse, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskId, TaskPushNotificationConfig, TaskState, TaskStatus,
    TaskStatusUpdateEvent, Version, binding, comma_list,
};
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

#[test]
fn messages_are_made_of_text_of_parts_or_of_several() {
    assert_eq!(Message::user("hi").parts, [Part::text("hi")]);
    assert_eq!(Message::user(String::from("hi")).parts, [Part::text("hi")]);
    assert_eq!(Message::agent(Part::data(json!(1))).parts, [Part::data(json!(1))]);
    assert_eq!(Message::agent(json!({"a": 1})).parts, [Part::data(json!({"a": 1}))]);
    assert_eq!(Message::user(vec![Part::text("a"), Part::text("b")]).text(), "a\nb");
    assert_eq!(Message::user([Part::text("a"), Part::url("u")]).parts.len(), 2);
    assert_eq!((Message::user("").role, Message::agent("").role), (Role::User, Role::Agent));

    let message = Message::user("x").with_id("m").with_task("t").with_context("c");
    assert_eq!(message.message_id, "m");
    assert_eq!(message.task_id, Some("t".into()));
    assert_eq!(message.context_id, Some("c".into()));
    assert!(Message::user("x").message_id.is_empty());
}

#[test]
fn a_part_gives_its_text_only_when_it_is_text() {
    assert_eq!(Part::text("a").as_text(), Some("a"));
    assert_eq!(Part::raw(vec![1, 2]).as_text(), None);
    assert_eq!(Part::data(json!([1])).as_data(), Some(&json!([1])));
    let part = Part::url("u").with_media_type("image/png").with_filename("a.png");
    assert_eq!(part.media_type.as_deref(), Some("image/png"));
    assert_eq!(part.filename.as_deref(), Some("a.png"));
}

#[test]
fn artifacts_are_built_part_by_part() {
    let artifact = Artifact::new("findings").text("a").data(json!([1])).part("b").with_id("x");
    assert_eq!(artifact.name.as_deref(), Some("findings"));
    assert_eq!(artifact.parts.len(), 3);
    assert_eq!(artifact.to_text(), "a\nb");
    let task = Task {
        artifacts: vec![artifact, Artifact::new("empty").data(1), Artifact::new("more").text("c")],
        ..Task::new("t", "c", TaskState::Completed.into())
    };
    assert_eq!(task.text(), "a\nb\nc");
    assert_eq!(task.artifact("x").unwrap().artifact_id, ArtifactId::new("x"));
    assert!(task.artifact("y").is_none());
    assert_eq!(task.state(), TaskState::Completed);
}

#[test]
fn states_know_what_they_mean() {
    use sabir_types::ProtoEnum;
    let terminal: Vec<_> = TaskState::ALL.iter().filter(|s| s.is_terminal()).collect();
    assert_eq!(
        terminal,
        [&TaskState::Completed, &TaskState::Failed, &TaskState::Canceled, &TaskState::Rejected],
    );
    let interrupted: Vec<_> = TaskState::ALL.iter().filter(|s| s.is_interrupted()).collect();
    assert_eq!(interrupted, [&TaskState::InputRequired, &TaskState::AuthRequired]);
    for state in TaskState::ALL {
        assert_eq!(TaskState::from_short_name(state.short_name()), Some(*state));
        let long = state.name().strip_prefix("TASK_STATE_").unwrap();
        assert_eq!(state.short_name(), long.to_lowercase().replace('_', "-"));
    }
    assert_eq!(TaskState::from_short_name("unrecognized"), None);
    assert_eq!(TaskState::InputRequired.to_string(), "input-required");
    let status = TaskStatus::new(TaskState::Working).with_message("thinking");
    assert_eq!(status.message.unwrap().role, Role::Agent);
}

#[test]
fn every_item_of_a_stream_names_its_task() {
    let task = StreamResponse::from(Task { id: "t".into(), ..Task::default() });
    let status =
        StreamResponse::from(TaskStatusUpdateEvent { task_id: "t".into(), ..Default::default() });
    let artifact =
        StreamResponse::from(TaskArtifactUpdateEvent { task_id: "t".into(), ..Default::default() });
    let message = StreamResponse::from(Message::agent("x").with_task("t"));
    for event in [task, status, artifact, message] {
        assert_eq!(event.task_id(), Some(&TaskId::new("t")), "{event:?}");
    }
    assert_eq!(StreamResponse::from(Message::agent("x")).task_id(), None);
    assert_eq!(StreamResponse::Unset.task_id(), None);
    let answer = SendMessageResponse::from(Message::agent("x"));
    assert!(matches!(StreamResponse::from(answer), StreamResponse::Message(_)));
}

#[test]
fn a_card_is_built_step_by_step() {
    let card = AgentCard::new("n", "d")
        .with_interface(AgentInterface::new("https://a.example", binding::JSONRPC))
        .with_interface(AgentInterface::new("a.example:443", binding::GRPC).with_tenant("x"))
        .with_skill(AgentSkill::new("s", "S", "does s").tags(["t"]).examples(["do s"]))
        .with_capabilities(AgentCapabilities { streaming: Some(true), ..Default::default() });
    assert_eq!(card.default_input_modes, ["text/plain"]);
    assert_eq!(card.interfaces().len(), 2);
    assert_eq!(card.interfaces()[0].protocol_version, "1.0");
    assert_eq!(card.interfaces_for(binding::GRPC).count(), 1);
    assert_eq!(card.skill("s").unwrap().tags, ["t"]);
    assert!(card.capabilities.streams() && !card.capabilities.pushes());
    assert_eq!(sabir_types::ProtoMessage::missing(&card), None);
}

#[test]
fn ids_are_strings_that_are_not_mistaken_for_one_another() {
    let id = TaskId::from("t1");
    assert_eq!(id.as_str(), "t1");
    assert_eq!(id, "t1");
    assert_eq!(id.to_string(), "t1");
    assert_eq!(format!("{id:?}"), "\"t1\"");
    assert_eq!(TaskId::new(String::from("t1")), id);
    assert!(TaskId::default().is_empty());
    let (a, b) = (TaskId::from("a"), TaskId::from("b"));
    assert!(a < b);
    assert_eq!(serde_json::to_string(&id).unwrap(), r#""t1""#);
    assert_eq!(serde_json::from_str::<TaskId>(r#""t1""#).unwrap(), id);
    assert!(serde_json::from_str::<TaskId>("5").is_err());
}

#[test]
fn a_map_by_id_is_searched_by_text() {
    let hash = |value: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        value(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(&|h| TaskId::from("t").hash(h)), hash(&|h| "t".hash(h)));
    let by_hash = HashMap::from([(TaskId::from("t"), 1)]);
    assert_eq!(by_hash.get("t"), Some(&1));
    let by_order = BTreeMap::from([(TaskId::from("t"), 1)]);
    assert_eq!(by_order.get("t"), Some(&1));
}

#[test]
fn secrets_are_not_printed() {
    let config = TaskPushNotificationConfig {
        token: Some("s3cret".to_owned()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".to_owned(),
            credentials: Some("s3cret".to_owned()),
        }),
        ..TaskPushNotificationConfig::new("https://hook.example")
    };
    let printed = format!("{config:?} {config:#?}");
    assert!(!printed.contains("s3cret"));
    assert!(printed.contains("(hidden)") && printed.contains("Bearer"));
    assert!(serde_json::to_string(&config).unwrap().contains("s3cret"), "it is sent all the same");
    let shown = config.without_secrets();
    assert_eq!(shown.token, None);
    assert_eq!(shown.authentication.unwrap().credentials, None);
}

#[test]
fn versions_are_major_and_minor() {
    for (text, version) in
        [("1.0", Version::V1_0), ("1.0.7", Version::V1_0), (" 0.3 ", Version::V0_3)]
    {
        assert_eq!(text.parse(), Ok(version), "{text}");
    }
    for text in ["", "1", "1.", ".1", "1.0.0.0", "v1.0", "1.-1", "+1.0", "1.x", "99999.0", "1.0-rc"]
    {
        let error = text.parse::<Version>().expect_err(text);
        assert!(error.to_string().contains("is not a version"));
    }
    assert_eq!(Version::V1_0.to_string(), "1.0");
    assert!(Version::V0_3 < Version::V1_0);
    assert_eq!(Version::requested(None), Ok(Version::V0_3));
    assert_eq!(Version::requested(Some("")), Ok(Version::V0_3));
    assert_eq!(Version::requested(Some("1.0")), Ok(Version::V1_0));
    assert!(Version::requested(Some("one")).is_err());
}

#[test]
fn lists_of_a_header_are_split_and_trimmed() {
    let items: Vec<_> = comma_list(["a,b", " ", " c ,, d"]).collect();
    assert_eq!(items, ["a", "b", "c", "d"]);
}

#[test]
fn all_anonymous_callers_are_one_owner() {
    let nobody = Principal::anonymous();
    assert!(nobody.is_anonymous());
    assert_eq!((nobody.owner(), nobody.to_string().as_str()), ("", "anonymous"));
    let alice = Principal::new("alice").with_name("Alice").with_scopes(["read"]);
    assert!(!alice.is_anonymous());
    assert_eq!((alice.owner(), alice.name()), ("alice", Some("Alice")));
    assert!(alice.has_scope("read") && !alice.has_scope("write"));
    assert_eq!(alice.to_string(), "alice");
}
