//! An executor that plays what a test says, and short ways to call an engine.

use futures_util::StreamExt;
use sabir_engine::store::Store;
use sabir_engine::{
    Agent, Call, Engine, EngineConfig, Event, Executor, ExecutorError, MemoryStore, Retention,
    Turn, async_trait,
};
use sabir_types::{
    AgentCard, AgentSkill, Error, ErrorKind, GetTaskRequest, Message, SendMessageConfiguration,
    SendMessageRequest, SendMessageResponse, StreamResponse, SubscribeToTaskRequest, Task, TaskId,
    TaskState,
};
use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) type Played = Pin<Box<dyn Future<Output = Result<(), ExecutorError>> + Send>>;
type Script = Arc<dyn Fn(Turn) -> Played + Send + Sync>;

/// Plays the script named by the first word of the message.
#[derive(Clone, Default)]
pub(crate) struct Player {
    pub(crate) scripts: BTreeMap<String, Script>,
    pub(crate) starts: Arc<AtomicUsize>,
    pub(crate) resumable: bool,
    pub(crate) steered: bool,
}

impl Player {
    pub(crate) fn on<F>(
        mut self,
        word: &str,
        script: impl Fn(Turn) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), ExecutorError>> + Send + 'static,
    {
        self.scripts.insert(word.to_owned(), Arc::new(move |turn| Box::pin(script(turn))));
        self
    }

    pub(crate) fn starts(&self) -> usize {
        self.starts.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Executor for Player {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        self.starts.fetch_add(1, Ordering::SeqCst);
        let text = turn.text();
        let word = text.split(' ').next().unwrap_or_default().to_owned();
        match self.scripts.get(&word) {
            Some(script) => script(turn).await,
            None => {
                turn.working("on it").await?;
                turn.artifact(sabir_types::Artifact::new("echo").text(text)).await?;
                turn.completed("done").await?;
                Ok(())
            }
        }
    }

    fn is_resumable(&self) -> bool {
        self.resumable
    }

    fn takes_steering(&self) -> bool {
        self.steered
    }
}

pub(crate) fn card() -> AgentCard {
    let mut card = AgentCard::new("Player", "Plays")
        .with_skill(AgentSkill::new("play", "Play", "Plays").tags(["test"]));
    card.capabilities.streaming = Some(true);
    card.capabilities.push_notifications = Some(true);
    card
}

pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new(Retention::memory()))
}

pub(crate) async fn engine(player: &Player) -> Engine {
    engine_with(player, memory(), EngineConfig::default()).await
}

pub(crate) async fn engine_with(
    player: &Player,
    store: Arc<dyn Store>,
    config: EngineConfig,
) -> Engine {
    Engine::builder(card(), player.clone()).store(store).config(config).start().await.unwrap()
}

pub(crate) fn request(text: &str) -> SendMessageRequest {
    let message = Message::user(text).with_id(sabir_engine::new_id());
    SendMessageRequest { message, ..SendMessageRequest::default() }
}

pub(crate) fn at_once(mut request: SendMessageRequest) -> SendMessageRequest {
    request.configuration =
        Some(SendMessageConfiguration { return_immediately: true, ..Default::default() });
    request
}

pub(crate) fn on_task(text: &str, task: &TaskId) -> SendMessageRequest {
    let mut request = request(text);
    request.message.task_id = Some(task.clone());
    request
}

pub(crate) async fn send(engine: &Engine, request: SendMessageRequest) -> Result<Task, Error> {
    match engine.send_message(&Call::default(), request).await?.value {
        SendMessageResponse::Task(task) => Ok(task),
        other => panic!("a task was expected, not {other:?}"),
    }
}

pub(crate) async fn say(engine: &Engine, text: &str) -> Task {
    send(engine, request(text)).await.unwrap()
}

pub(crate) async fn get(engine: &Engine, id: &TaskId) -> Result<Task, Error> {
    let request = GetTaskRequest { id: id.clone(), ..GetTaskRequest::default() };
    engine.get_task(&Call::default(), request).await
}

pub(crate) async fn stream(
    engine: &Engine,
    request: SendMessageRequest,
) -> sabir_engine::EventStream {
    engine.send_streaming_message(&Call::default(), request).await.unwrap().value
}

pub(crate) async fn subscribe(
    engine: &Engine,
    id: &TaskId,
    resume_after: Option<u64>,
) -> Result<sabir_engine::EventStream, Error> {
    let call = Call { resume_after, ..Call::default() };
    engine.subscribe_to_task(&call, SubscribeToTaskRequest { id: id.clone(), tenant: None }).await
}

/// What an event is, in a word or two.
pub(crate) fn word(event: &Event) -> String {
    match event.response().unwrap() {
        StreamResponse::Task(task) => format!("task {}", task.status.state.short_name()),
        StreamResponse::Message(message) => format!("message {}", message.text()),
        StreamResponse::StatusUpdate(update) => {
            let text = update.status.message.as_ref().map(Message::text).unwrap_or_default();
            format!("{} {text}", update.status.state.short_name()).trim().to_owned()
        }
        StreamResponse::ArtifactUpdate(update) => {
            let text: String =
                update.artifact.parts.iter().filter_map(|part| part.as_text()).collect();
            format!("artifact {text}")
        }
        other => panic!("an empty event: {other:?}"),
    }
}

/// Everything a stream says until it ends; an error is its last word.
pub(crate) async fn all(mut stream: sabir_engine::EventStream) -> Vec<String> {
    let mut words = Vec::new();
    while let Some(event) = stream.next().await {
        words.push(match event {
            Ok(event) => word(&event),
            Err(error) => format!("error {:?}", error.kind()),
        });
    }
    words
}

pub(crate) fn text_of(task: &Task) -> String {
    task.status.message.as_ref().map(Message::text).unwrap_or_default()
}

pub(crate) fn kind<T: std::fmt::Debug>(result: Result<T, Error>) -> ErrorKind {
    result.unwrap_err().kind()
}

pub(crate) fn state(task: &Task) -> TaskState {
    task.status.state
}
