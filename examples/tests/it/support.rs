//! Talks to an engine as a client would.

use futures_util::StreamExt;
use sabir::engine::{Agent, Call, Engine, EngineConfig, Executor};
use sabir::types::{
    AgentCard, CancelTaskRequest, Error, GetTaskRequest, Message, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskId, TaskState,
};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) async fn engine(card: AgentCard, executor: impl Executor) -> Engine {
    configured(card, executor, EngineConfig::default()).await
}

pub(crate) async fn configured(
    card: AgentCard,
    executor: impl Executor,
    config: EngineConfig,
) -> Engine {
    Engine::builder(card, executor).config(config).start().await.unwrap()
}

/// A message that nobody has sent before.
pub(crate) fn user(text: &str) -> Message {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    Message::user(text).with_id(format!("m{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

/// A message to a task.
pub(crate) fn to(task: &Task, text: &str) -> Message {
    user(text).with_task(&task.id)
}

fn request(message: Message) -> SendMessageRequest {
    SendMessageRequest { message, ..SendMessageRequest::default() }
}

pub(crate) async fn answer(engine: &Engine, message: Message) -> SendMessageResponse {
    engine.send_message(&Call::default(), request(message)).await.unwrap().value
}

/// Sends a message and waits for what becomes of its task.
pub(crate) async fn send(engine: &Engine, message: Message) -> Task {
    task(answer(engine, message).await)
}

/// Sends a message and does not wait.
pub(crate) async fn start(engine: &Engine, message: Message) -> Task {
    let configuration = SendMessageConfiguration {
        return_immediately: true,
        ..SendMessageConfiguration::default()
    };
    let request = SendMessageRequest { configuration: Some(configuration), ..request(message) };
    task(engine.send_message(&Call::default(), request).await.unwrap().value)
}

fn task(response: SendMessageResponse) -> Task {
    match response {
        SendMessageResponse::Task(task) => task,
        other => panic!("no task: {other:?}"),
    }
}

pub(crate) async fn get(engine: &Engine, id: &TaskId) -> Task {
    let request = GetTaskRequest { id: id.clone(), ..GetTaskRequest::default() };
    engine.get_task(&Call::default(), request).await.unwrap()
}

pub(crate) async fn cancel(engine: &Engine, id: &TaskId) -> Result<Task, Error> {
    let request = CancelTaskRequest { id: id.clone(), ..CancelTaskRequest::default() };
    engine.cancel_task(&Call::default(), request).await
}

/// Sends a message and reads its stream to the end.
pub(crate) async fn stream(engine: &Engine, message: Message) -> Vec<StreamResponse> {
    let mut events = open(engine, message).await;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event.unwrap().response().unwrap().clone());
    }
    seen
}

pub(crate) async fn open(engine: &Engine, message: Message) -> sabir::engine::EventStream {
    engine.send_streaming_message(&Call::default(), request(message)).await.unwrap().value
}

/// What the agent says in the task's status.
pub(crate) fn says(task: &Task) -> String {
    task.status.message.as_ref().map(Message::text).unwrap_or_default()
}

/// What a stream shows, one line an event.
pub(crate) fn script(events: &[StreamResponse]) -> Vec<String> {
    events
        .iter()
        .map(|event| match event {
            StreamResponse::Task(task) => format!("task {}", task.state()),
            StreamResponse::Message(message) => format!("message {}", message.text()),
            StreamResponse::StatusUpdate(update) => {
                let said = update.status.message.as_ref().map(Message::text);
                format!("{} {}", update.status.state, said.unwrap_or_default())
            }
            StreamResponse::ArtifactUpdate(update) => {
                let plus = if update.append { "+" } else { "" };
                let last = if update.last_chunk { "." } else { "" };
                format!("artifact{plus}{last} {}", update.artifact.to_text())
            }
            other => format!("{other:?}"),
        })
        .map(|line| line.trim_end().to_owned())
        .collect()
}

pub(crate) fn assert_state(task: &Task, state: TaskState) {
    assert_eq!(task.state(), state, "{}", says(task));
}
