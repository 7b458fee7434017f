//! What the reviewer does with a message.

use a2a_protocol_sdk::prelude::*;
use interop_support::{Texts, names_a_contract};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::sleep;
use uuid::Uuid;

const GAP: Duration = Duration::from_millis(150);
/// Before the first tick: the SDK keeps nothing of a status once the next one came, so whoever
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

    async fn answer(&self, turn: Turn<'_>) -> A2aResult<()> {
        let message = &turn.context.message;
        let text = message.text().unwrap_or_default();
        if let Some(said) = text.strip_prefix("msg ") {
            let reply = Message::agent_text(Uuid::new_v4().to_string(), said);
            return turn.queue.write(StreamResponse::Message(reply)).await;
        }
        // It may also be another task of the same context.
        let before = turn.context.stored_task.as_ref();
        if let Some(before) = before.filter(|before| before.id == turn.context.task_id) {
            turn.go_on(before).await?;
        }
        if text == "parts" {
            turn.artifact("parts", message.parts[1..].to_vec()).await?;
            return turn.status(TaskState::Completed, "").await;
        }
        if let Some(count) = text.strip_prefix("ticks ").and_then(|count| count.parse().ok()) {
            sleep(FIRST_GAP).await;
            return turn.tick(count).await;
        }
        if !names_a_contract(text) {
            return turn.status(TaskState::InputRequired, &self.texts.question).await;
        }
        turn.status(TaskState::Working, &self.texts.working).await?;
        let findings = Part::text(self.texts.findings()).with_media_type("text/plain");
        turn.artifact(&self.texts.artifact, vec![findings]).await?;
        turn.status(TaskState::Completed, &self.texts.completed).await
    }
}

impl AgentExecutor for Reviewer {
    fn execute<'a>(
        &'a self,
        context: &'a RequestContext,
        queue: &'a dyn EventQueueWriter,
    ) -> Pin<Box<dyn Future<Output = A2aResult<()>> + Send + 'a>> {
        boxed_future(self.answer(Turn { context, queue }))
    }
}

/// Writes the events of one turn.
struct Turn<'a> {
    context: &'a RequestContext,
    queue: &'a dyn EventQueueWriter,
}

impl Turn<'_> {
    /// Puts what was asked before into the history of the task: the SDK leaves that to the agent.
    async fn go_on(&self, before: &Task) -> A2aResult<()> {
        let mut task = before.clone();
        let asked = task.status.message.take();
        task.status = TaskStatus::new(TaskState::Working);
        let history = task.history.get_or_insert_default();
        history.extend(asked);
        history.push(self.context.message.clone());
        self.queue.write(StreamResponse::Task(task)).await
    }

    async fn tick(&self, count: u32) -> A2aResult<()> {
        for number in 1..=count {
            tokio::select! {
                () = sleep(GAP) => {}
                () = self.context.cancellation_token.cancelled() => return Ok(()),
            }
            self.status(TaskState::Working, &format!("{number}/{count}")).await?;
        }
        self.status(TaskState::Completed, "").await
    }

    /// Writes a state, with what the agent says to it if that is something.
    async fn status(&self, state: TaskState, said: &str) -> A2aResult<()> {
        let mut status = TaskStatus::new(state);
        if !said.is_empty() {
            let message = Message::agent_text(Uuid::new_v4().to_string(), said)
                .with_task_id(self.context.task_id.clone())
                .with_context_id(self.context.context_id.clone());
            status.message = Some(message);
        }
        let update = TaskStatusUpdateEvent {
            task_id: self.context.task_id.clone(),
            context_id: ContextId::new(&self.context.context_id),
            status,
            metadata: None,
        };
        self.queue.write(StreamResponse::StatusUpdate(update)).await
    }

    async fn artifact(&self, name: &str, parts: Vec<Part>) -> A2aResult<()> {
        let mut artifact = Artifact::new(Uuid::new_v4().to_string(), parts);
        artifact.name = Some(name.to_owned());
        let update = TaskArtifactUpdateEvent {
            task_id: self.context.task_id.clone(),
            context_id: ContextId::new(&self.context.context_id),
            artifact,
            append: None,
            last_chunk: Some(true),
            metadata: None,
        };
        self.queue.write(StreamResponse::ArtifactUpdate(update)).await
    }
}
