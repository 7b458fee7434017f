//! An agent that answers fixed things and remembers what it was asked.

use async_trait::async_trait;
use futures_util::{FutureExt, StreamExt, stream};
use sabir_engine::{Agent, Answer, Call, Event, EventStream};
use sabir_types::{
    AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill, Artifact,
    CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Message, Part, SendMessageRequest, SendMessageResponse,
    StreamResponse, SubscribeToTaskRequest, Task, TaskArtifactUpdateEvent, TaskId,
    TaskPushNotificationConfig, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp, Version,
};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

/// A binding that is served elsewhere, and where.
pub(crate) const ELSEWHERE: (&str, &str) = ("https://bindings.example/x", "x.example:443");

/// An extension that the card declares.
pub(crate) const EXTENSION: &str = "https://ext.example/a";

/// What the agent was asked.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) call: Call,
    pub(crate) request: serde_json::Value,
}

/// The agent.
#[derive(Default)]
pub(crate) struct Stub {
    seen: Mutex<Vec<Seen>>,
    /// Held by every silent stream.
    silent: Arc<()>,
    /// What stands at the end of the extended card's version.
    name: String,
}

impl Stub {
    /// One of several.
    pub(crate) fn named(name: &str) -> Self {
        Self { name: format!(" {name}"), ..Self::default() }
    }

    fn see(&self, call: &Call, request: &impl serde::Serialize) {
        let request = serde_json::to_value(request).unwrap();
        self.seen.lock().unwrap().push(Seen { call: call.clone(), request });
    }

    /// The last thing it was asked.
    pub(crate) fn last(&self) -> Seen {
        self.seen.lock().unwrap().last().cloned().expect("the agent was asked nothing")
    }

    /// How many silent streams are being read.
    pub(crate) fn open_streams(&self) -> usize {
        Arc::strong_count(&self.silent) - 1
    }

    /// How often it was asked something.
    pub(crate) fn count(&self) -> usize {
        self.seen.lock().unwrap().len()
    }
}

/// The card, as an author writes it: with a binding that is served elsewhere.
pub(crate) fn card() -> AgentCard {
    let extension = AgentExtension { uri: EXTENSION.to_owned(), ..AgentExtension::default() };
    let capabilities = AgentCapabilities {
        streaming: Some(true),
        push_notifications: Some(true),
        extended_agent_card: Some(true),
        extensions: vec![extension],
    };
    AgentCard::new("Stub", "Answers fixed things.")
        .with_capabilities(capabilities)
        .with_interface(AgentInterface::new(ELSEWHERE.1, ELSEWHERE.0))
        .with_skill(AgentSkill::new("fixed", "Fixed things", "Says always the same."))
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + second * 1000)
}

/// The task that it always has.
pub(crate) fn task(id: &TaskId, state: TaskState) -> Task {
    let said = Message::agent("Hello ü").with_id("m-1");
    let status = TaskStatus::new(state).with_message(said).with_timestamp(at(1));
    let mut task = Task::new(id.clone(), "context-1", status);
    task.artifacts = vec![artifact()];
    task.history = vec![Message::user("hello").with_id("m-0")];
    task
}

fn artifact() -> Artifact {
    Artifact::new("findings").with_id("a-1").part(Part::data(serde_json::json!({"n": 1})))
}

fn status(state: TaskState, second: i64) -> StreamResponse {
    let event = TaskStatusUpdateEvent {
        task_id: "task-1".into(),
        context_id: "context-1".into(),
        status: TaskStatus::new(state).with_timestamp(at(second)),
        metadata: None,
    };
    event.into()
}

fn events() -> Vec<StreamResponse> {
    let chunk = TaskArtifactUpdateEvent {
        task_id: "task-1".into(),
        context_id: "context-1".into(),
        artifact: artifact(),
        last_chunk: true,
        ..TaskArtifactUpdateEvent::default()
    };
    vec![
        task(&"task-1".into(), TaskState::Submitted).into(),
        status(TaskState::Working, 2),
        chunk.into(),
        status(TaskState::Completed, 3),
    ]
}

fn numbered(events: Vec<StreamResponse>) -> impl Iterator<Item = Result<Arc<Event>, Error>> {
    let numbered = events.into_iter().zip(3_u64..);
    numbered.map(|(event, seq)| Ok(Arc::new(Event::from_response(Some(seq), event))))
}

/// A stream by the word it is asked for.
fn stream_of(word: &str, held: Arc<()>) -> EventStream {
    let opening = || stream::iter(numbered(events()).take(1));
    match word.split_once(' ').unwrap_or((word, "")) {
        ("later", reason) => opening().chain(stream::iter([Err(error(reason))])).boxed(),
        ("silent", _) => {
            let silence = stream::poll_fn(move |_| {
                let _held = &held;
                Poll::Pending
            });
            opening().chain(silence).boxed()
        }
        ("waits", _) => {
            let states = [TaskState::Working, TaskState::InputRequired, TaskState::Working];
            let first = task(&"task-1".into(), TaskState::InputRequired).into();
            let events = states.into_iter().zip(2..).map(|(state, at)| status(state, at));
            let events = std::iter::once(first).chain(events).collect();
            stream::iter(numbered(events)).chain(stream::pending()).boxed()
        }
        ("faulty", _) => opening().chain(stream::poll_fn(|_| panic!("as the test wants"))).boxed(),
        ("endless", _) => {
            let event = Arc::new(Event::from_response(Some(9), status(TaskState::Working, 2)));
            stream::repeat_with(move || Ok(event.clone())).boxed()
        }
        ("one-by-one", _) => {
            let yielding = |event| tokio::task::yield_now().map(move |()| event);
            stream::iter(numbered(events())).then(yielding).boxed()
        }
        _ => stream::iter(numbered(events())).boxed(),
    }
}

/// The error of a reason, as its maker makes it.
pub(crate) fn error(reason: &str) -> Error {
    let id = TaskId::new("task-1");
    match ErrorKind::from_reason(reason).expect("a reason of the table") {
        ErrorKind::TaskNotFound => Error::task_not_found(&id),
        ErrorKind::TaskNotCancelable => Error::task_not_cancelable(&id, TaskState::Completed),
        ErrorKind::ContentTypeNotSupported => Error::content_type_not_supported("image/x"),
        ErrorKind::ExtensionSupportRequired => Error::extension_support_required(EXTENSION),
        ErrorKind::VersionNotSupported => Error::version_not_supported("9.9", &[Version::V1_0]),
        ErrorKind::InvalidParams => Error::invalid_params("message.parts[1].content", "is missing"),
        ErrorKind::RateLimited => Error::rate_limited(Duration::from_millis(1500)),
        ErrorKind::TooLarge => Error::too_large(10),
        kind => Error::from(kind).with_source("what only the log may say"),
    }
}

/// Does what the word says, before anything else.
fn obey(word: &str) -> Result<(), Error> {
    match word.split_once('-').unwrap_or((word, "")) {
        ("error", reason) => Err(error(reason)),
        ("panic", _) => panic!("as the test wants"),
        _ => Ok(()),
    }
}

fn config(task: Option<TaskId>, id: &str) -> TaskPushNotificationConfig {
    let mut config = TaskPushNotificationConfig::new("https://hook.example/x");
    config.task_id = task;
    config.id = Some(id.to_owned());
    config
}

#[async_trait]
impl Agent for Stub {
    async fn send_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<SendMessageResponse>, Error> {
        self.see(call, &request);
        let text = request.message.text();
        obey(&text)?;
        if text == "wait" {
            std::future::pending::<()>().await;
        }
        let mut answer = Answer::new(match &*text {
            "reply" => Message::agent("Hello").with_id("m-2").with_context("context-1").into(),
            _ => task(&"task-1".into(), TaskState::Completed).into(),
        });
        answer.replayed = text == "again";
        Ok(answer)
    }

    async fn send_streaming_message(
        &self,
        call: &Call,
        request: SendMessageRequest,
    ) -> Result<Answer<EventStream>, Error> {
        self.see(call, &request);
        let text = request.message.text();
        obey(&text)?;
        Ok(Answer { value: stream_of(&text, self.silent.clone()), replayed: text == "again" })
    }

    async fn get_task(&self, call: &Call, request: GetTaskRequest) -> Result<Task, Error> {
        self.see(call, &request);
        obey(request.id.as_str())?;
        Ok(task(&request.id, TaskState::Completed))
    }

    async fn list_tasks(
        &self,
        call: &Call,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        self.see(call, &request);
        let page_size = request.page_size.unwrap_or(50);
        Ok(ListTasksResponse { page_size, ..ListTasksResponse::default() })
    }

    async fn cancel_task(&self, call: &Call, request: CancelTaskRequest) -> Result<Task, Error> {
        self.see(call, &request);
        obey(request.id.as_str())?;
        Ok(task(&request.id, TaskState::Canceled))
    }

    async fn subscribe_to_task(
        &self,
        call: &Call,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        self.see(call, &request);
        obey(request.id.as_str())?;
        if request.id == "ended" {
            return Err(Error::unsupported_operation("the task has ended"));
        }
        Ok(stream_of(request.id.as_str(), self.silent.clone()))
    }

    async fn create_task_push_notification_config(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.see(call, &request);
        Ok(config(request.task_id, "hook-1"))
    }

    async fn get_task_push_notification_config(
        &self,
        call: &Call,
        request: GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.see(call, &request);
        if request.id == "unnamed" {
            return Err(Error::task_not_found(&request.task_id));
        }
        Ok(config(Some(request.task_id), &request.id))
    }

    async fn list_task_push_notification_configs(
        &self,
        call: &Call,
        request: ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.see(call, &request);
        let configs = vec![config(Some(request.task_id), "hook-1")];
        Ok(ListTaskPushNotificationConfigsResponse { configs, ..Default::default() })
    }

    async fn delete_task_push_notification_config(
        &self,
        call: &Call,
        request: DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        self.see(call, &request);
        Ok(())
    }

    async fn get_extended_agent_card(
        &self,
        call: &Call,
        request: GetExtendedAgentCardRequest,
    ) -> Result<AgentCard, Error> {
        self.see(call, &request);
        Ok(card().with_version(format!("1.0.0-extended{}", self.name)))
    }
}
