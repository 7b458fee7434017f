//! One agent, called on one binding.

use a2a_protocol_sdk::client::ClientError;
use a2a_protocol_sdk::prelude::*;
use a2a_protocol_sdk::types::ErrorCode;
use a2a_protocol_sdk::types::params::SendMessageConfiguration;
use a2a_protocol_sdk::types::push::TaskPushNotificationConfig;
use interop_support::Why;
use uuid::Uuid;

pub(crate) struct Agent {
    pub(crate) card: AgentCard,
    pub(crate) client: A2aClient,
}

impl Agent {
    /// Reads the card, and takes its interface of this binding.
    pub(crate) async fn connect(binding: &str, url: &str) -> Result<Self, Why> {
        let card = resolve_agent_card(url).await?;
        let builder = ClientBuilder::from_card_preferring(&card, &[binding.to_owned()])?;
        let chosen = builder.chosen_interface().map(|chosen| chosen.protocol_binding.as_str());
        if chosen != Some(binding) {
            return Err(format!("{chosen:?}, wanted {binding}").into());
        }
        let client = match binding {
            "GRPC" => builder.build_grpc().await?,
            _ => builder.build()?,
        };
        Ok(Self { card, client })
    }

    /// Sends a message, and waits for the task or the message that answers it.
    pub(crate) async fn send(&self, message: Message) -> ClientResult<SendMessageResponse> {
        self.client.send_message(MessageSendParams::new(message)).await
    }

    /// As [`Self::send`], where a task answers.
    pub(crate) async fn task(&self, message: Message) -> Result<Task, Why> {
        task(self.send(message).await?)
    }

    /// Starts a task, and returns it at once.
    pub(crate) async fn start(&self, message: Message) -> Result<Task, Why> {
        let at_once = SendMessageConfiguration {
            return_immediately: Some(true),
            ..SendMessageConfiguration::default()
        };
        let params = MessageSendParams::new(message).with_configuration(at_once);
        task(self.client.send_message(params).await?)
    }

    /// Starts a task that tells a webhook, and waits for it.
    pub(crate) async fn task_with_webhook(
        &self,
        message: Message,
        webhook: TaskPushNotificationConfig,
    ) -> Result<Task, Why> {
        let told = SendMessageConfiguration {
            task_push_notification_config: Some(webhook),
            ..SendMessageConfiguration::default()
        };
        let params = MessageSendParams::new(message).with_configuration(told);
        task(self.client.send_message(params).await?)
    }

    pub(crate) async fn stream(&self, message: Message) -> ClientResult<EventStream> {
        self.client.stream_message(MessageSendParams::new(message)).await
    }

    pub(crate) async fn events(&self, message: Message) -> ClientResult<Vec<StreamResponse>> {
        all(self.stream(message).await?).await
    }

    pub(crate) async fn subscribe(&self, id: &TaskId) -> ClientResult<EventStream> {
        self.client.subscribe_to_task(id.to_string()).await
    }

    pub(crate) async fn get(&self, id: &TaskId) -> ClientResult<Task> {
        self.client.get_task(TaskQueryParams::new(id.to_string())).await
    }

    pub(crate) async fn cancel(&self, id: &TaskId) -> ClientResult<Task> {
        self.client.cancel_task(id.to_string()).await
    }
}

/// A message of the user's.
pub(crate) fn user(text: &str) -> Message {
    Message::user_text(Uuid::new_v4().to_string(), text)
}

/// A message of the user's to a task.
pub(crate) fn to(task: &Task, text: &str) -> Message {
    user(text).with_task_id(task.id.clone())
}

/// What a stream says until it ends.
pub(crate) async fn all(mut stream: EventStream) -> ClientResult<Vec<StreamResponse>> {
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event?);
    }
    Ok(events)
}

/// By which error a call is refused, if it is.
pub(crate) fn code<T>(called: ClientResult<T>) -> Option<ErrorCode> {
    match called {
        Err(ClientError::Protocol(error)) => Some(error.code),
        _ => None,
    }
}

fn task(response: SendMessageResponse) -> Result<Task, Why> {
    match response {
        SendMessageResponse::Task(task) => Ok(task),
        other => Err(format!("{other:?}, wanted a task").into()),
    }
}
