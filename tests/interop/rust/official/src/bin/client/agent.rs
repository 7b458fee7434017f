//! One agent, called on one binding.

use a2a::{
    A2AError, AgentCard, CancelTaskRequest, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    Message, Part, Role, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use a2a_client::agent_card::AgentCardResolver;
use a2a_client::jsonrpc::JsonRpcTransportFactory;
use a2a_client::rest::RestTransportFactory;
use a2a_client::{A2AClient, A2AClientFactory, Transport, TransportFactory};
use a2a_grpc::GrpcTransportFactory;
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use interop_support::Why;
use std::sync::Arc;

pub(crate) type Events = BoxStream<'static, Result<StreamResponse, A2AError>>;

pub(crate) struct Agent {
    pub(crate) binding: String,
    url: String,
    pub(crate) client: A2AClient<Box<dyn Transport>>,
}

impl Agent {
    /// Reads the card, and takes its interface of this binding.
    pub(crate) async fn connect(binding: String, url: String) -> Result<Self, Why> {
        let transport: Arc<dyn TransportFactory> = match &*binding {
            "JSONRPC" => Arc::new(JsonRpcTransportFactory::new(None)),
            "HTTP+JSON" => Arc::new(RestTransportFactory::new(None)),
            "GRPC" => Arc::new(GrpcTransportFactory::new()),
            other => return Err(format!("{other} is no binding").into()),
        };
        let card = AgentCardResolver::new(None).resolve(&url).await?;
        let factory = A2AClientFactory::builder().no_defaults().register(transport).build();
        Ok(Self { binding, url, client: factory.create_from_card(&card).await? })
    }

    pub(crate) async fn card(&self) -> Result<AgentCard, A2AError> {
        AgentCardResolver::new(None).resolve(&self.url).await
    }

    /// Sends a message, and waits for the task or the message that answers it.
    pub(crate) async fn send(&self, message: Message) -> Result<SendMessageResponse, A2AError> {
        self.client.send_message(&request(message)).await
    }

    /// As [`Self::send`], where a task answers.
    pub(crate) async fn task(&self, message: Message) -> Result<Task, Why> {
        task(self.send(message).await?)
    }

    /// Starts a task, and returns it at once.
    pub(crate) async fn start(&self, message: Message) -> Result<Task, Why> {
        let mut request = request(message);
        request.configuration =
            Some(SendMessageConfiguration { return_immediately: Some(true), ..configuration() });
        task(self.client.send_message(&request).await?)
    }

    /// Starts a task that tells a webhook, and waits for it.
    pub(crate) async fn task_with_webhook(
        &self,
        message: Message,
        webhook: TaskPushNotificationConfig,
    ) -> Result<Task, Why> {
        let mut request = request(message);
        request.configuration = Some(SendMessageConfiguration {
            task_push_notification_config: Some(webhook),
            ..configuration()
        });
        task(self.client.send_message(&request).await?)
    }

    pub(crate) async fn stream(&self, message: Message) -> Result<Events, A2AError> {
        self.client.send_streaming_message(&request(message)).await
    }

    pub(crate) async fn events(&self, message: Message) -> Result<Vec<StreamResponse>, A2AError> {
        self.stream(message).await?.try_collect().await
    }

    pub(crate) async fn subscribe(&self, id: &str) -> Result<Events, A2AError> {
        let request = SubscribeToTaskRequest { id: id.to_owned(), tenant: None };
        self.client.subscribe_to_task(&request).await
    }

    pub(crate) async fn get(&self, id: &str) -> Result<Task, A2AError> {
        self.get_with_history(id, None).await
    }

    pub(crate) async fn get_with_history(
        &self,
        id: &str,
        history_length: Option<i32>,
    ) -> Result<Task, A2AError> {
        let request = GetTaskRequest { id: id.to_owned(), history_length, tenant: None };
        self.client.get_task(&request).await
    }

    pub(crate) async fn list(
        &self,
        filters: &ListTasksRequest,
    ) -> Result<ListTasksResponse, A2AError> {
        self.client.list_tasks(filters).await
    }

    pub(crate) async fn cancel(&self, id: &str) -> Result<Task, A2AError> {
        let request = CancelTaskRequest { id: id.to_owned(), metadata: None, tenant: None };
        self.client.cancel_task(&request).await
    }
}

/// A message of the user's.
pub(crate) fn user(text: &str) -> Message {
    Message::new(Role::User, vec![Part::text(text)])
}

/// A message of the user's to a task.
pub(crate) fn to(task: &Task, text: &str) -> Message {
    Message { task_id: Some(task.id.clone()), ..user(text) }
}

/// What a stream says until it fails or ends.
pub(crate) async fn first_failure(opened: Result<Events, A2AError>) -> Option<A2AError> {
    let mut events = match opened {
        Ok(events) => events,
        Err(error) => return Some(error),
    };
    while let Some(event) = events.next().await {
        if let Err(error) = event {
            return Some(error);
        }
    }
    None
}

fn request(message: Message) -> SendMessageRequest {
    SendMessageRequest { message, configuration: None, metadata: None, tenant: None }
}

fn configuration() -> SendMessageConfiguration {
    SendMessageConfiguration {
        accepted_output_modes: None,
        task_push_notification_config: None,
        history_length: None,
        return_immediately: None,
    }
}

fn task(response: SendMessageResponse) -> Result<Task, Why> {
    match response {
        SendMessageResponse::Task(task) => Ok(task),
        SendMessageResponse::Message(message) => {
            Err(format!("a message, wanted a task: {message:?}").into())
        }
    }
}
