//! Arbitrary messages.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use sabir_types::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, ApiKeySecurityScheme,
    Artifact, AuthenticationInfo, ClientCredentialsOAuthFlow, Content, JsonObject,
    ListTasksRequest, ListTasksResponse, Message, OAuth2SecurityScheme, OAuthFlows, Part,
    ProtoEnum, Role, SecurityRequirement, SecurityScheme, SendMessageConfiguration,
    SendMessageRequest, StreamResponse, StringList, Task, TaskArtifactUpdateEvent,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};
use serde_json::Value;

/// Any text, often short, sometimes empty, sometimes strange.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9/:. -]{0,12}", "\\PC{0,6}", any::<String>()]
}

/// What stands in a field without presence: never the empty string.
fn some_text() -> impl Strategy<Value = Option<String>> {
    option::of(text()).prop_map(|text| text.filter(|text| !text.is_empty()))
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    vec(text(), 0..3)
}

/// Numbers that a double holds: 1.0 is left out, since it comes back as 1.
fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-(1_i64 << 53)..=1 << 53).prop_map(Value::from),
        any::<f64>()
            .prop_filter("finite, not whole", |n| n.is_finite() && n.fract() != 0.0)
            .prop_map(Value::from),
    ]
}

pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(text(), inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Option<JsonObject>> {
    option::of(btree_map(text(), value(), 0..3).prop_map(|map| map.into_iter().collect()))
}

pub(crate) fn timestamp() -> impl Strategy<Value = Timestamp> {
    let nanos = prop_oneof![
        Just(0),
        (0..1_000).prop_map(|n| n * 1_000_000),
        (0..1_000_000).prop_map(|n| n * 1_000),
        0..1_000_000_000,
    ];
    (-62_135_596_800_i64..=253_402_300_799, nanos)
        .prop_map(|(seconds, nanos)| Timestamp::new(seconds, nanos).expect("it is in range"))
}

pub(crate) fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        text().prop_map(Content::Text),
        vec(any::<u8>(), 0..20).prop_map(|bytes| Content::Raw(bytes.into())),
        text().prop_map(Content::Url),
        value().prop_map(Content::Data),
    ];
    (content, object(), some_text(), some_text()).prop_map(
        |(content, metadata, filename, media_type)| Part {
            content,
            metadata,
            filename,
            media_type,
        },
    )
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    vec(part(), 0..4)
}

pub(crate) fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::Unspecified), Just(Role::User), Just(Role::Agent)];
    (text(), some_text(), some_text(), role, parts(), object(), texts(), texts()).prop_map(
        |(id, context, task, role, parts, metadata, extensions, references)| Message {
            message_id: id.into(),
            context_id: context.map(Into::into),
            task_id: task.map(Into::into),
            role,
            parts,
            metadata,
            extensions,
            reference_task_ids: references.into_iter().map(Into::into).collect(),
        },
    )
}

fn state() -> impl Strategy<Value = TaskState> {
    proptest::sample::select(TaskState::ALL)
}

fn status() -> impl Strategy<Value = TaskStatus> {
    (state(), option::of(message()), option::of(timestamp()))
        .prop_map(|(state, message, timestamp)| TaskStatus { state, message, timestamp })
}

pub(crate) fn artifact() -> impl Strategy<Value = Artifact> {
    (text(), some_text(), some_text(), parts(), object(), texts()).prop_map(
        |(id, name, description, parts, metadata, extensions)| Artifact {
            artifact_id: id.into(),
            name,
            description,
            parts,
            metadata,
            extensions,
        },
    )
}

pub(crate) fn task() -> impl Strategy<Value = Task> {
    (text(), text(), status(), vec(artifact(), 0..3), vec(message(), 0..3), object()).prop_map(
        |(id, context, status, artifacts, history, metadata)| Task {
            id: id.into(),
            context_id: context.into(),
            status,
            artifacts,
            history,
            metadata,
        },
    )
}

pub(crate) fn event() -> impl Strategy<Value = StreamResponse> {
    let status_update =
        (text(), text(), status(), object()).prop_map(|(task, context, status, metadata)| {
            TaskStatusUpdateEvent {
                task_id: task.into(),
                context_id: context.into(),
                status,
                metadata,
            }
        });
    let artifact_update = (text(), text(), artifact(), any::<bool>(), any::<bool>(), object())
        .prop_map(|(task, context, artifact, append, last_chunk, metadata)| {
            TaskArtifactUpdateEvent {
                task_id: task.into(),
                context_id: context.into(),
                artifact,
                append,
                last_chunk,
                metadata,
            }
        });
    prop_oneof![
        Just(StreamResponse::Unset),
        task().prop_map(StreamResponse::Task),
        message().prop_map(StreamResponse::Message),
        status_update.prop_map(StreamResponse::StatusUpdate),
        artifact_update.prop_map(StreamResponse::ArtifactUpdate),
    ]
}

fn push_config() -> impl Strategy<Value = TaskPushNotificationConfig> {
    let authentication = (text(), some_text())
        .prop_map(|(scheme, credentials)| AuthenticationInfo { scheme, credentials });
    (some_text(), some_text(), some_text(), text(), some_text(), option::of(authentication))
        .prop_map(|(tenant, id, task, url, token, authentication)| TaskPushNotificationConfig {
            tenant,
            id,
            task_id: task.map(Into::into),
            url,
            token,
            authentication,
        })
}

pub(crate) fn send_request() -> impl Strategy<Value = SendMessageRequest> {
    let configuration =
        (texts(), option::of(push_config()), option::of(any::<i32>()), any::<bool>()).prop_map(
            |(modes, push, history_length, return_immediately)| SendMessageConfiguration {
                accepted_output_modes: modes,
                task_push_notification_config: push,
                history_length,
                return_immediately,
            },
        );
    (some_text(), message(), option::of(configuration), object()).prop_map(
        |(tenant, message, configuration, metadata)| SendMessageRequest {
            tenant,
            message,
            configuration,
            metadata,
        },
    )
}

pub(crate) fn list_request() -> impl Strategy<Value = ListTasksRequest> {
    let number = || option::of(any::<i32>());
    let flag = option::of(any::<bool>());
    let at = option::of(timestamp());
    (some_text(), some_text(), state(), number(), some_text(), number(), at, flag).prop_map(
        |(tenant, context, status, size, token, history, after, artifacts)| ListTasksRequest {
            tenant,
            context_id: context.map(Into::into),
            status,
            page_size: size,
            page_token: token,
            history_length: history,
            status_timestamp_after: after,
            include_artifacts: artifacts,
        },
    )
}

pub(crate) fn list_response() -> impl Strategy<Value = ListTasksResponse> {
    (vec(task(), 0..2), text(), any::<i32>(), any::<i32>()).prop_map(
        |(tasks, next_page_token, page_size, total_size)| ListTasksResponse {
            tasks,
            next_page_token,
            page_size,
            total_size,
        },
    )
}

fn scheme() -> impl Strategy<Value = SecurityScheme> {
    let key = (some_text(), text(), text()).prop_map(|(description, location, name)| {
        SecurityScheme::ApiKey(ApiKeySecurityScheme { description, location, name })
    });
    let flow = (text(), some_text(), btree_map(text(), text(), 0..3)).prop_map(
        |(token_url, refresh_url, scopes)| {
            OAuthFlows::ClientCredentials(ClientCredentialsOAuthFlow {
                token_url,
                refresh_url,
                scopes,
            })
        },
    );
    let oauth2 = (some_text(), flow, some_text()).prop_map(|(description, flows, url)| {
        SecurityScheme::OAuth2(OAuth2SecurityScheme {
            description,
            flows,
            oauth2_metadata_url: url,
        })
    });
    prop_oneof![Just(SecurityScheme::Unset), key, oauth2]
}

fn requirement() -> impl Strategy<Value = SecurityRequirement> {
    btree_map(text(), texts().prop_map(|list| StringList { list }), 0..3)
        .prop_map(|schemes| SecurityRequirement { schemes })
}

pub(crate) fn card() -> impl Strategy<Value = AgentCard> {
    let interface = (text(), text(), some_text(), text()).prop_map(
        |(url, protocol_binding, tenant, protocol_version)| AgentInterface {
            url,
            protocol_binding,
            tenant,
            protocol_version,
        },
    );
    let extension = (text(), some_text(), any::<bool>(), object()).prop_map(
        |(uri, description, required, params)| AgentExtension {
            uri,
            description,
            required,
            params,
        },
    );
    let flag = || option::of(any::<bool>());
    let capabilities = (flag(), flag(), vec(extension, 0..2), flag()).prop_map(
        |(streaming, push_notifications, extensions, extended_agent_card)| AgentCapabilities {
            streaming,
            push_notifications,
            extensions,
            extended_agent_card,
        },
    );
    let skill = (text(), text(), text(), texts(), texts(), vec(requirement(), 0..2)).prop_map(
        |(id, name, description, tags, examples, security_requirements)| AgentSkill {
            tags,
            examples,
            security_requirements,
            ..AgentSkill::new(id, name, description)
        },
    );
    let optional = || option::of(text());
    let schemes = btree_map(text(), scheme(), 0..3);
    (
        (text(), text(), text(), optional(), optional()),
        vec(interface, 0..3),
        capabilities,
        schemes,
        vec(requirement(), 0..2),
        vec(skill, 0..3),
        (texts(), texts()),
    )
        .prop_map(|(texts, interfaces, capabilities, schemes, requirements, skills, modes)| {
            let (name, description, version, documentation_url, icon_url) = texts;
            AgentCard {
                name,
                description,
                supported_interfaces: interfaces,
                provider: None,
                version,
                documentation_url,
                capabilities,
                security_schemes: schemes,
                security_requirements: requirements,
                default_input_modes: modes.0,
                default_output_modes: modes.1,
                skills,
                signatures: Vec::new(),
                icon_url,
            }
        })
}
