//! Requests and answers of 1.0, as 0.3 writes them on each binding.

use prost::Message;
use sabir::bindings::Binding;
use sabir::types::wire;
use sabir::types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, Operation,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task,
    TaskPushNotificationConfig,
};
use sabir_compat::proto::{Request, Response, Translate};
use sabir_compat::{FileBytes, kind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// One of the ways in which 0.3 writes things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON whose objects say their kind: JSON-RPC.
    Kind,
    /// The JSON of the package `a2a.v1`: HTTP+JSON.
    ProtoJson,
    /// That package itself: gRPC.
    Protobuf,
}

const BYTES: FileBytes = FileBytes::Text;

impl Form {
    pub(crate) fn of(binding: Binding) -> Self {
        match binding {
            Binding::JsonRpc => Self::Kind,
            Binding::HttpJson => Self::ProtoJson,
            Binding::Grpc => Self::Protobuf,
        }
    }

    /// Writes a request.
    pub(crate) fn request(self, operation: Operation, request: &Value) -> Vec<u8> {
        type O = Operation;
        match operation {
            O::SendMessage | O::SendStreamingMessage => self.put::<SendMessageRequest>(request),
            O::GetTask => self.put::<GetTaskRequest>(request),
            O::CancelTask => self.put::<CancelTaskRequest>(request),
            O::SubscribeToTask => self.put::<SubscribeToTaskRequest>(request),
            O::CreateTaskPushNotificationConfig => self.put::<TaskPushNotificationConfig>(request),
            O::GetTaskPushNotificationConfig => {
                self.put::<GetTaskPushNotificationConfigRequest>(request)
            }
            O::ListTaskPushNotificationConfigs => {
                self.put::<ListTaskPushNotificationConfigsRequest>(request)
            }
            O::DeleteTaskPushNotificationConfig => {
                self.put::<DeleteTaskPushNotificationConfigRequest>(request)
            }
            O::GetExtendedAgentCard => self.put::<GetExtendedAgentCardRequest>(request),
            O::ListTasks => unreachable!("0.3 lists no tasks"),
        }
    }

    fn put<T: kind::Translate + Translate<Request> + DeserializeOwned>(
        self,
        request: &Value,
    ) -> Vec<u8> {
        let request: T = serde_json::from_value(request.clone()).expect("a request");
        let mut out = Vec::new();
        match self {
            Self::Kind => kind::Translate::write(request, &mut out),
            Self::ProtoJson => Translate::<Request>::write(request, BYTES, &mut out),
            Self::Protobuf => {
                out = request.into_form(BYTES).expect("a form").encode_to_vec();
                Ok(())
            }
        }
        .expect("a request can be written");
        out
    }

    /// Reads an answer.
    pub(crate) fn answer(self, operation: Operation, answer: &[u8]) -> Value {
        type O = Operation;
        match operation {
            O::SendMessage => self.get::<SendMessageResponse>(answer),
            O::GetTask | O::CancelTask => self.get::<Task>(answer),
            O::CreateTaskPushNotificationConfig | O::GetTaskPushNotificationConfig => {
                self.get::<TaskPushNotificationConfig>(answer)
            }
            O::ListTaskPushNotificationConfigs => {
                self.get::<ListTaskPushNotificationConfigsResponse>(answer)
            }
            O::DeleteTaskPushNotificationConfig => json!({}),
            O::GetExtendedAgentCard => self.get::<AgentCard>(answer),
            O::SendStreamingMessage | O::SubscribeToTask | O::ListTasks => {
                unreachable!("{operation} is not answered once")
            }
        }
    }

    fn get<T: kind::Translate + Translate<Response> + Serialize>(self, answer: &[u8]) -> Value {
        let read = match self {
            Self::Kind => <T as kind::Translate>::read(answer),
            Self::ProtoJson => <T as Translate<Response>>::read(answer, BYTES),
            Self::Protobuf => wire::from_protobuf::<<T as Translate<Response>>::Form>(answer)
                .map(|form| T::from_form(form, BYTES)),
        };
        serde_json::to_value(read.expect("an answer")).expect("JSON")
    }
}

/// Reads an event.
pub(crate) fn event(form: Form, event: &[u8]) -> Value {
    form.get::<StreamResponse>(event)
}
