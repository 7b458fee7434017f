//! What the reviewer does with a message.

use a2a::{
    A2AError, Artifact, Message, Part, Role, StreamResponse, Task, TaskArtifactUpdateEvent,
    TaskState, TaskStatus, TaskStatusUpdateEvent, new_artifact_id, new_message_id,
};
use a2a_server::{AgentExecutor, ExecutorContext};
use futures::stream::{self, BoxStream, StreamExt};
use interop_support::{Texts, names_a_contract};
use std::time::Duration;
use tokio::time::sleep;

const GAP: Duration = Duration::from_millis(150);
/// Before the first tick: the crates keep nothing of a status once the next one came, so whoever
/// subscribes later than that would miss some.
const FIRST_GAP: Duration = Duration::from_secs(1);

/// Reviews contracts, and knows some words.
pub(crate) struct Reviewer {
    texts: Texts,
}

impl Reviewer {
    pub(crate) fn new(texts: Texts) -> Self {
        Self { texts }
    }

    fn events(&self, context: &ExecutorContext, message: &Message) -> Vec<Step> {
        let text = message.text().unwrap_or_default();
        let turn = Turn { context };
        if let Some(said) = text.strip_prefix("msg ") {
            let message = Message { task_id: None, ..turn.say(said) };
            return vec![at_once(StreamResponse::Message(message))];
        }
        let mut steps = vec![at_once(turn.task(message))];
        if text == "parts" {
            steps.push(at_once(turn.artifact("parts", message.parts[1..].to_vec())));
            steps.push(at_once(turn.status(TaskState::Completed, None)));
        } else if let Some(count) = text.strip_prefix("ticks ").and_then(|k| k.parse().ok()) {
            steps.extend(turn.ticks(count));
        } else if names_a_contract(text) {
            steps.extend(turn.review(&self.texts));
        } else {
            let question = Some(self.texts.question.as_str());
            steps.push(at_once(turn.status(TaskState::InputRequired, question)));
        }
        steps
    }
}

impl AgentExecutor for Reviewer {
    fn execute(
        &self,
        context: ExecutorContext,
    ) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let Some(message) = &context.message else {
            return stream::iter([Err(A2AError::internal("no message"))]).boxed();
        };
        let steps = stream::iter(self.events(&context, message));
        let paced = steps.then(async |(pause, event)| {
            sleep(pause).await;
            Ok(event)
        });
        paced.boxed()
    }

    fn cancel(
        &self,
        context: ExecutorContext,
    ) -> BoxStream<'static, Result<StreamResponse, A2AError>> {
        let canceled = Turn { context: &context }.status(TaskState::Canceled, None);
        stream::iter([Ok(canceled)]).boxed()
    }
}

/// An event, and how long it keeps the caller waiting.
type Step = (Duration, StreamResponse);

fn at_once(event: StreamResponse) -> Step {
    (Duration::ZERO, event)
}

/// Makes the events of one turn.
struct Turn<'a> {
    context: &'a ExecutorContext,
}

impl Turn<'_> {
    /// The task as it begins or goes on: what was asked before belongs to its history, and the
    /// crates leave that to the agent.
    fn task(&self, message: &Message) -> StreamResponse {
        let before = self.context.stored_task.clone();
        let asked = before.as_ref().and_then(|task| task.status.message.clone());
        let mut history = before.and_then(|task| task.history).unwrap_or_default();
        history.retain(|said| said.message_id != message.message_id);
        history.extend(asked);
        history.push(message.clone());
        StreamResponse::Task(Task {
            id: self.context.task_id.clone(),
            context_id: self.context.context_id.clone(),
            status: status(TaskState::Submitted, None),
            artifacts: None,
            history: Some(history),
            metadata: None,
        })
    }

    fn ticks(&self, count: u32) -> Vec<Step> {
        let tick = |number| {
            let pause = if number == 1 { FIRST_GAP } else { GAP };
            (pause, self.status(TaskState::Working, Some(&format!("{number}/{count}"))))
        };
        let end = at_once(self.status(TaskState::Completed, None));
        (1..=count).map(tick).chain([end]).collect()
    }

    fn review(&self, texts: &Texts) -> [Step; 3] {
        let findings = Part::text(texts.findings()).with_media_type("text/plain");
        [
            self.status(TaskState::Working, Some(&texts.working)),
            self.artifact(&texts.artifact, vec![findings]),
            self.status(TaskState::Completed, Some(&texts.completed)),
        ]
        .map(at_once)
    }

    fn status(&self, state: TaskState, text: Option<&str>) -> StreamResponse {
        StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
            task_id: self.context.task_id.clone(),
            context_id: self.context.context_id.clone(),
            status: status(state, text.map(|text| self.say(text))),
            metadata: None,
        })
    }

    fn artifact(&self, name: &str, parts: Vec<Part>) -> StreamResponse {
        StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
            task_id: self.context.task_id.clone(),
            context_id: self.context.context_id.clone(),
            artifact: Artifact {
                artifact_id: new_artifact_id(),
                name: Some(name.to_owned()),
                description: None,
                parts,
                metadata: None,
                extensions: None,
            },
            append: None,
            last_chunk: Some(true),
            metadata: None,
        })
    }

    fn say(&self, text: &str) -> Message {
        Message {
            message_id: new_message_id(),
            context_id: Some(self.context.context_id.clone()),
            task_id: Some(self.context.task_id.clone()),
            ..Message::new(Role::Agent, vec![Part::text(text)])
        }
    }
}

fn status(state: TaskState, message: Option<Message>) -> TaskStatus {
    // The crates add the time.
    TaskStatus { state, message, timestamp: None }
}
