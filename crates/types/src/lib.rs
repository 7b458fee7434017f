//! The A2A 1.0 data model, its errors and its operations.
//!
//! One Rust type per protocol message carries both encodings: [`serde`] writes and reads ProtoJSON,
//! [`wire::prost::Message`] writes and reads protobuf. Reading is lenient,
//! [`ProtoMessage::missing`] is strict, and every binding does both:
//!
//! ```
//! use sabir_types::{ErrorKind, ProtoMessage, SendMessageRequest, wire};
//!
//! // Lenient: snake_case, a null, a number that is a double, an unknown field.
//! let json = br#"{
//!     "message": {"message_id": "m1", "role": "ROLE_USER", "taskId": null,
//!                 "parts": [{"text": "Book a table"}, {"mediaType": "text/plain"}]},
//!     "configuration": {"historyLength": 5.0},
//!     "x": 1
//! }"#;
//! let mut request: SendMessageRequest = wire::from_json(json)?;
//! assert_eq!(request.message.text(), "Book a table");
//!
//! // Strict: the second part has no content.
//! assert_eq!(request.missing().as_deref(), Some("message.parts[1].content"));
//! assert_eq!(request.check().unwrap_err().kind(), ErrorKind::InvalidParams);
//!
//! request.message.parts.truncate(1);
//! request.check()?;
//! assert_eq!(
//!     String::from_utf8_lossy(&wire::to_json(&request)?),
//!     r#"{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"Book a table"}]},"#
//!         .to_owned() + r#""configuration":{"historyLength":5}}"#,
//! );
//!
//! // The same value as protobuf.
//! use wire::prost::Message as _;
//! let bytes = request.encode_to_vec();
//! assert_eq!(wire::from_protobuf::<SendMessageRequest>(&bytes[..])?, request);
//! # Ok::<(), sabir_types::Error>(())
//! ```
//!
//! # Where things are
//!
//! Files are named by the protocol's word: [`Task`] is in `task.rs`, [`AgentCard`] in `card.rs`.
//! [`Operation`] is the one table of the eleven operations, [`ErrorKind`] the one table of errors,
//! [`jsonrpc`] the envelope that the JSON-RPC binding and client share, [`wire`] the runtime under
//! the derive.

// The derive names `::sabir_types::wire`, here as in every crate that uses it.
extern crate self as sabir_types;

mod artifact;
mod card;
mod error;
mod event;
mod id;
pub mod jsonrpc;
mod message;
mod operation;
mod part;
mod principal;
mod push;
mod request;
mod security;
mod task;
mod version;
pub mod wire;

pub use artifact::Artifact;
pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface,
    AgentProvider, AgentSkill, binding,
};
pub use error::{DOMAIN, Error, ErrorKind, ErrorTable, GrpcCode, Violation};
pub use event::{
    SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent,
};
pub use id::{ArtifactId, ContextId, MessageId, TaskId};
pub use message::{Message, Role};
pub use operation::{Capability, Operation, Verb};
pub use part::{Content, Part, Parts};
pub use principal::Principal;
pub use push::{AuthenticationInfo, TaskPushNotificationConfig};
pub use request::{
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest, GetTaskRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, ListTasksRequest, ListTasksResponse,
    SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
};
pub use security::{
    ApiKeySecurityScheme, AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow,
    DeviceCodeOAuthFlow, HttpAuthSecurityScheme, ImplicitOAuthFlow, MutualTlsSecurityScheme,
    OAuth2SecurityScheme, OAuthFlows, OpenIdConnectSecurityScheme, PasswordOAuthFlow,
    SecurityRequirement, SecurityScheme, StringList,
};
pub use task::{Task, TaskState, TaskStatus};
pub use version::{
    A2A_EXTENSIONS, A2A_VERSION, Version, VersionError, X_A2A_EXTENSIONS, comma_list,
};
pub use wire::{JsonObject, ProtoEnum, ProtoMessage, Timestamp};
