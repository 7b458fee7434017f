//! Calls another agent for ITK, by our own client.

use super::FINISHED;
use super::proto::{Behaviour, CallAgent, PushNotification};
use futures_util::StreamExt;
use prost::Message as _;
use sabir::client::Transport;
use sabir::prelude::*;
use sabir::types::{
    Role, SendMessageConfiguration, SendMessageRequest, StreamResponse, TaskPushNotificationConfig,
};

/// Sends the nested instruction, and gives back what the agent said.
pub(super) async fn call(call: &CallAgent) -> Result<Vec<String>, ExecutorError> {
    said(call).await.map_err(|error| {
        let (uri, transport) = (&call.agent_card_uri, &call.transport);
        ExecutorError::new(format!("calling {uri} by {transport} failed: {error}"))
    })
}

async fn said(call: &CallAgent) -> Result<Vec<String>, ExecutorError> {
    let client = connect(call).await?;
    let mut request = wrap(call)?;
    match &call.behaviour {
        Some(Behaviour::Resubscribe(_)) => return resubscribe(&client, request).await,
        Some(Behaviour::PushNotification(push)) => {
            request.configuration = Some(SendMessageConfiguration {
                task_push_notification_config: Some(webhook(push)),
                ..SendMessageConfiguration::default()
            });
        }
        Some(Behaviour::SendMessage(_)) | None => {}
    }
    if !call.streaming {
        return Ok(texts(&client.send(request).await?.into()));
    }
    let mut events = client.stream(request).await?;
    let mut said = Vec::new();
    while let Some(event) = events.next().await {
        said.extend(texts(event?.response()?));
    }
    Ok(said)
}

/// A client on exactly the transport that is asked for.
async fn connect(call: &CallAgent) -> Result<Client, ExecutorError> {
    let name = call.transport.replace('_', "+");
    let transport: Transport = name.parse()?;
    let client = Client::builder()
        .card(&call.agent_card_uri)
        .transport(transport)
        // Whoever resubscribes here does it by hand.
        .resubscribe(None)
        .connect()
        .await?;
    if client.transport() != transport {
        return Err(ExecutorError::new(format!("its card does not offer {transport}")));
    }
    if matches!(call.behaviour, Some(Behaviour::PushNotification(_))) {
        // The kit asks for webhooks of agents whose cards declare none; without a card the client
        // does not hold it against them.
        let url = client.url().as_str();
        return Ok(Client::builder().endpoint(url, transport).connect().await?);
    }
    Ok(client)
}

fn wrap(call: &CallAgent) -> Result<SendMessageRequest, ExecutorError> {
    let instruction = call.instruction.as_ref();
    let instruction = instruction.ok_or_else(|| ExecutorError::new("it is to be told nothing"))?;
    let part = Part::raw(instruction.encode_to_vec())
        .with_filename("instruction.bin")
        .with_media_type("application/x-protobuf");
    Ok(Message::user(part).into())
}

/// Neither its id nor its task are known before the message is sent.
fn webhook(push: &PushNotification) -> TaskPushNotificationConfig {
    let scheme = if push.url.contains("://") { "" } else { "http://" };
    TaskPushNotificationConfig {
        token: Some("itk-token".to_owned()),
        ..TaskPushNotificationConfig::new(format!("{scheme}{}/notifications", push.url))
    }
}

/// Sends, hangs up after the first event, and follows the task again until it says that it has
/// finished; then cancels it, because it would go on.
async fn resubscribe(
    client: &Client,
    request: SendMessageRequest,
) -> Result<Vec<String>, ExecutorError> {
    let mut events = client.stream(request).await?;
    let first = events.next().await.ok_or_else(|| ExecutorError::new("a stream of nothing"))??;
    let id = first.response()?.task_id().cloned();
    let id = id.ok_or_else(|| ExecutorError::new("the first event is not about a task"))?;
    drop(events);
    let task = client.task(id);
    let mut events = task.follow().await?;
    while let Some(event) = events.next().await {
        let event = event?;
        let mut said = texts(event.response()?);
        said.extend(history(event.response()?));
        if said.iter().any(|text| text.contains(FINISHED)) {
            task.cancel().await?;
            let without = |text: String| text.replace(FINISHED, "").trim_end().to_owned();
            return Ok(said.into_iter().map(without).collect());
        }
    }
    Err(ExecutorError::new(format!("the stream ended without `{FINISHED}`")))
}

/// What the agent says in an event: in a message, or with a status.
fn texts(event: &StreamResponse) -> Vec<String> {
    let message = match event {
        StreamResponse::Message(message) => Some(message),
        StreamResponse::Task(task) => task.status.message.as_ref(),
        StreamResponse::StatusUpdate(update) => update.status.message.as_ref(),
        _ => None,
    };
    message.into_iter().map(Message::text).filter(|text| !text.is_empty()).collect()
}

/// What the agent said before.
fn history(event: &StreamResponse) -> Vec<String> {
    let StreamResponse::Task(task) = event else { return Vec::new() };
    let by_agent = task.history.iter().filter(|message| message.role == Role::Agent);
    by_agent.map(Message::text).filter(|text| text.contains(FINISHED)).collect()
}
