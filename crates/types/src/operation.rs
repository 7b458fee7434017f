//! The eleven operations, declared once: bindings, clients, policies and docs read this table.

use crate::wire::{Field, MessageShape, Shape};
use crate::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, SendMessageRequest, SendMessageResponse, StreamResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::fmt;

/// One of the operations of A2A.
///
/// ```
/// use sabir_types::{Operation, Verb};
///
/// let cancel = Operation::from_name("CancelTask").unwrap();
/// assert_eq!(cancel.verbs(), [Verb::Post]);
/// assert_eq!(cancel.path(), "/tasks/{id}:cancel");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Sends a message, and answers when the work ends or waits.
    SendMessage,
    /// Sends a message, and streams what happens.
    SendStreamingMessage,
    /// Gives a task as it is.
    GetTask,
    /// Gives the tasks that match.
    ListTasks,
    /// Cancels a task.
    CancelTask,
    /// Streams what happens to a task.
    SubscribeToTask,
    /// Sets where to send what happens to a task.
    CreateTaskPushNotificationConfig,
    /// Gives such a setting.
    GetTaskPushNotificationConfig,
    /// Gives all such settings of a task.
    ListTaskPushNotificationConfigs,
    /// Deletes such a setting.
    DeleteTaskPushNotificationConfig,
    /// Gives the card that only authenticated callers get.
    GetExtendedAgentCard,
}

/// A verb of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// GET.
    Get,
    /// POST.
    Post,
    /// DELETE.
    Delete,
}

impl Verb {
    /// As it stands in a request.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Delete => "DELETE",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a card must declare before an operation may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// Nothing.
    None,
    /// `capabilities.streaming`.
    Streaming,
    /// `capabilities.pushNotifications`.
    PushNotifications,
    /// `capabilities.extendedAgentCard`.
    ExtendedAgentCard,
}

/// One line of the table.
struct Row {
    name: &'static str,
    verbs: &'static [Verb],
    path: &'static str,
    streams: bool,
    capability: Capability,
    idempotent: bool,
    v0_3: V0_3,
    request: fn() -> Shape,
    response: fn() -> Shape,
}

/// What A2A 0.3 calls an operation.
struct V0_3 {
    method: Option<&'static str>,
    rpc: Option<&'static str>,
    path: &'static str,
}

impl Operation {
    /// All of them, in the order of the specification.
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreateTaskPushNotificationConfig,
        Self::GetTaskPushNotificationConfig,
        Self::ListTaskPushNotificationConfigs,
        Self::DeleteTaskPushNotificationConfig,
        Self::GetExtendedAgentCard,
    ];

    /// The service in gRPC.
    pub const GRPC_SERVICE: &'static str = "lf.a2a.v1.A2AService";

    fn row(self) -> &'static Row {
        // In the order of the enum; a test holds it to that.
        &TABLE[self as usize]
    }

    /// The name, which is the method in JSON-RPC and gRPC.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The operation of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.name() == name)
    }

    /// The verbs that a server takes in HTTP; a client sends the first.
    pub fn verbs(self) -> &'static [Verb] {
        self.row().verbs
    }

    /// The verb that a client sends in HTTP.
    pub fn verb(self) -> Verb {
        self.row().verbs[0]
    }

    /// The path in HTTP, with its parameters in braces. With a tenant, `/{tenant}` stands before it.
    pub fn path(self) -> &'static str {
        self.row().path
    }

    /// Whether the parameters that are not in the path travel as the body, rather than as a query.
    pub fn has_body(self) -> bool {
        self.verb() == Verb::Post && self != Self::SubscribeToTask
    }

    /// Whether the answer is a stream.
    pub fn streams(self) -> bool {
        self.row().streams
    }

    /// What a card must declare before it may be called.
    pub fn capability(self) -> Capability {
        self.row().capability
    }

    /// Whether it may be sent again when the answer was lost.
    pub fn is_idempotent(self) -> bool {
        self.row().idempotent
    }

    /// The method of A2A 0.3 in JSON-RPC, where there is one.
    pub fn v0_3_method(self) -> Option<&'static str> {
        self.row().v0_3.method
    }

    /// The operation of a method of A2A 0.3.
    pub fn from_v0_3_method(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.v0_3_method() == Some(method))
    }

    /// The method of A2A 0.3 in gRPC, where there is one.
    pub fn v0_3_rpc(self) -> Option<&'static str> {
        self.row().v0_3.rpc
    }

    /// The operation of a method of A2A 0.3 in gRPC.
    pub fn from_v0_3_rpc(method: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operation| operation.v0_3_rpc() == Some(method))
    }

    /// The path of A2A 0.3 in HTTP; the verbs are those of 1.0.
    pub fn v0_3_path(self) -> &'static str {
        self.row().v0_3.path
    }

    /// The name of the request message.
    pub fn request(self) -> &'static str {
        name(&self.request_shape())
    }

    /// The name of the response message, or of each item of the stream.
    pub fn response(self) -> &'static str {
        name(&self.response_shape())
    }

    /// The request message, from outside.
    pub fn request_shape(self) -> Shape {
        (self.row().request)()
    }

    /// The response message, or each item of the stream, from outside.
    pub fn response_shape(self) -> Shape {
        (self.row().response)()
    }

    /// The path in gRPC.
    pub fn grpc_path(self) -> String {
        format!("/{}/{}", Self::GRPC_SERVICE, self.name())
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// `google.protobuf.Empty`.
fn empty() -> Shape {
    let (name, about) = ("Empty", "Nothing.");
    Shape::Message(MessageShape { name, about, fields: Vec::new })
}

fn name(shape: &Shape) -> &'static str {
    match shape {
        Shape::Message(message) => message.name,
        // The table has nothing else.
        _ => "",
    }
}

/// §5.3 and the `google.api.http` options of `a2a.proto`, in the order of the enum.
static TABLE: [Row; 11] = [
    Row {
        name: "SendMessage",
        verbs: &[Verb::Post],
        path: "/message:send",
        streams: false,
        capability: Capability::None,
        idempotent: false,
        v0_3: V0_3 {
            method: Some("message/send"),
            rpc: Some("SendMessage"),
            path: "/v1/message:send",
        },
        request: SendMessageRequest::shape,
        response: SendMessageResponse::shape,
    },
    Row {
        name: "SendStreamingMessage",
        verbs: &[Verb::Post],
        path: "/message:stream",
        streams: true,
        capability: Capability::Streaming,
        idempotent: false,
        v0_3: V0_3 {
            method: Some("message/stream"),
            rpc: Some("SendStreamingMessage"),
            path: "/v1/message:stream",
        },
        request: SendMessageRequest::shape,
        response: StreamResponse::shape,
    },
    Row {
        name: "GetTask",
        verbs: &[Verb::Get],
        path: "/tasks/{id}",
        streams: false,
        capability: Capability::None,
        idempotent: true,
        v0_3: V0_3 { method: Some("tasks/get"), rpc: Some("GetTask"), path: "/v1/tasks/{id}" },
        request: GetTaskRequest::shape,
        response: Task::shape,
    },
    Row {
        name: "ListTasks",
        verbs: &[Verb::Get],
        path: "/tasks",
        streams: false,
        capability: Capability::None,
        idempotent: true,
        v0_3: V0_3 { method: None, rpc: None, path: "/v1/tasks" },
        request: ListTasksRequest::shape,
        response: ListTasksResponse::shape,
    },
    Row {
        name: "CancelTask",
        verbs: &[Verb::Post],
        path: "/tasks/{id}:cancel",
        streams: false,
        capability: Capability::None,
        // A second cancel changes nothing, but is told that the task is terminal (§3.3.1).
        idempotent: true,
        v0_3: V0_3 {
            method: Some("tasks/cancel"),
            rpc: Some("CancelTask"),
            path: "/v1/tasks/{id}:cancel",
        },
        request: CancelTaskRequest::shape,
        response: Task::shape,
    },
    Row {
        name: "SubscribeToTask",
        // §5.3 says POST, the proto says GET: servers take both, clients send POST.
        verbs: &[Verb::Post, Verb::Get],
        path: "/tasks/{id}:subscribe",
        streams: true,
        capability: Capability::Streaming,
        idempotent: true,
        v0_3: V0_3 {
            method: Some("tasks/resubscribe"),
            rpc: Some("TaskSubscription"),
            path: "/v1/tasks/{id}:subscribe",
        },
        request: SubscribeToTaskRequest::shape,
        response: StreamResponse::shape,
    },
    Row {
        name: "CreateTaskPushNotificationConfig",
        verbs: &[Verb::Post],
        path: "/tasks/{taskId}/pushNotificationConfigs",
        streams: false,
        capability: Capability::PushNotifications,
        // Without an id each call makes another one.
        idempotent: false,
        v0_3: V0_3 {
            method: Some("tasks/pushNotificationConfig/set"),
            rpc: Some("CreateTaskPushNotificationConfig"),
            path: "/v1/tasks/{taskId}/pushNotificationConfigs",
        },
        request: TaskPushNotificationConfig::shape,
        response: TaskPushNotificationConfig::shape,
    },
    Row {
        name: "GetTaskPushNotificationConfig",
        verbs: &[Verb::Get],
        path: "/tasks/{taskId}/pushNotificationConfigs/{id}",
        streams: false,
        capability: Capability::PushNotifications,
        idempotent: true,
        v0_3: V0_3 {
            method: Some("tasks/pushNotificationConfig/get"),
            rpc: Some("GetTaskPushNotificationConfig"),
            path: "/v1/tasks/{taskId}/pushNotificationConfigs/{id}",
        },
        request: GetTaskPushNotificationConfigRequest::shape,
        response: TaskPushNotificationConfig::shape,
    },
    Row {
        name: "ListTaskPushNotificationConfigs",
        verbs: &[Verb::Get],
        path: "/tasks/{taskId}/pushNotificationConfigs",
        streams: false,
        capability: Capability::PushNotifications,
        idempotent: true,
        v0_3: V0_3 {
            method: Some("tasks/pushNotificationConfig/list"),
            rpc: Some("ListTaskPushNotificationConfig"),
            path: "/v1/tasks/{taskId}/pushNotificationConfigs",
        },
        request: ListTaskPushNotificationConfigsRequest::shape,
        response: ListTaskPushNotificationConfigsResponse::shape,
    },
    Row {
        name: "DeleteTaskPushNotificationConfig",
        verbs: &[Verb::Delete],
        path: "/tasks/{taskId}/pushNotificationConfigs/{id}",
        streams: false,
        capability: Capability::PushNotifications,
        idempotent: true,
        v0_3: V0_3 {
            method: Some("tasks/pushNotificationConfig/delete"),
            rpc: Some("DeleteTaskPushNotificationConfig"),
            path: "/v1/tasks/{taskId}/pushNotificationConfigs/{id}",
        },
        request: DeleteTaskPushNotificationConfigRequest::shape,
        response: empty,
    },
    Row {
        name: "GetExtendedAgentCard",
        verbs: &[Verb::Get],
        path: "/extendedAgentCard",
        streams: false,
        capability: Capability::ExtendedAgentCard,
        idempotent: true,
        v0_3: V0_3 {
            method: Some("agent/getAuthenticatedExtendedCard"),
            rpc: Some("GetAgentCard"),
            path: "/v1/card",
        },
        request: GetExtendedAgentCardRequest::shape,
        response: AgentCard::shape,
    },
];
