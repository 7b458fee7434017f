//! What an echo agent answers: a task, or the events that lead to it.

use bytes::Bytes;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{
    Artifact, ArtifactId, ContextId, Error, Message, SendMessageRequest, StreamResponse, Task,
    TaskArtifactUpdateEvent, TaskId, TaskState, TaskStatus, TaskStatusUpdateEvent, Timestamp,
};
use serde::Serialize;
use std::io::Write;
use uuid::Uuid;

/// How much goes out in one piece while more is ready.
const PIECE: usize = 32 << 10;

/// One message and the ids that were made for it.
pub(crate) struct Echo {
    message: Message,
    task_id: TaskId,
    context_id: ContextId,
    /// How many chunks `blob K` asks for; without it, one artifact with what was said.
    chunks: Option<u64>,
}

fn new_id() -> String {
    Uuid::now_v7().to_string()
}

impl Echo {
    pub(crate) fn of(request: SendMessageRequest) -> Self {
        let mut message = request.message;
        let chunks = match &*message.parts {
            [part] => part.as_text().and_then(|text| text.strip_prefix("blob ")?.parse().ok()),
            _ => None,
        };
        let task_id = TaskId::from(new_id());
        let context_id = message.context_id.take().unwrap_or_else(|| new_id().into());
        message.task_id = Some(task_id.clone());
        message.context_id = Some(context_id.clone());
        Self { message, task_id, context_id, chunks }
    }

    /// The task when it is done.
    pub(crate) fn task(self) -> Task {
        let parts = self.message.parts.clone();
        let artifact = Artifact { artifact_id: new_id().into(), parts, ..Artifact::default() };
        Task {
            artifacts: vec![artifact],
            history: vec![self.message],
            ..Task::new(self.task_id, self.context_id, now(TaskState::Completed))
        }
    }

    fn begun(&self) -> StreamResponse {
        let status = now(TaskState::Submitted);
        let task = Task::new(self.task_id.clone(), self.context_id.clone(), status);
        Task { history: vec![self.message.clone()], ..task }.into()
    }

    fn status(&self, state: TaskState) -> StreamResponse {
        TaskStatusUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            status: now(state),
            metadata: None,
        }
        .into()
    }

    fn artifact(&self, artifact: Artifact, append: bool, last_chunk: bool) -> StreamResponse {
        TaskArtifactUpdateEvent {
            task_id: self.task_id.clone(),
            context_id: self.context_id.clone(),
            artifact,
            append,
            last_chunk,
            metadata: None,
        }
        .into()
    }

    /// The event at a place of the stream: the task, that it works, what it gives, that it is done.
    fn event(&self, at: u64) -> Option<StreamResponse> {
        let count = self.chunks.unwrap_or(1);
        Some(match at {
            0 => self.begun(),
            1 => self.status(TaskState::Working),
            at if at < count + 2 => match self.chunks {
                None => {
                    let (artifact_id, parts) = (new_id().into(), self.message.parts.clone());
                    let artifact = Artifact { artifact_id, parts, ..Artifact::default() };
                    self.artifact(artifact, false, true)
                }
                Some(_) => {
                    let chunk = Artifact::new("blob").with_id(ArtifactId::new("blob"));
                    let chunk = chunk.text(format!("{}\n", at - 1));
                    self.artifact(chunk, at > 2, at == count + 1)
                }
            },
            at if at == count + 2 => self.status(TaskState::Completed),
            _ => return None,
        })
    }
}

fn now(state: TaskState) -> TaskStatus {
    TaskStatus::new(state).with_timestamp(Timestamp::now())
}

/// The frames of a stream in pieces.
pub(crate) struct Frames {
    echo: Echo,
    prefix: Vec<u8>,
    at: u64,
}

impl Frames {
    pub(crate) fn new(echo: Echo, id: &Id) -> Self {
        Self { echo, prefix: jsonrpc::success_prefix(id, 0), at: 0 }
    }
}

impl Iterator for Frames {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut out = Vec::with_capacity(2048);
        while out.len() < PIECE
            && let Some(event) = self.echo.event(self.at)
        {
            self.at += 1;
            write!(out, "id: {}\ndata: ", self.at).expect("memory takes what is written");
            out.extend_from_slice(&self.prefix);
            put(&event, &mut out).expect("an event of ours is JSON");
            out.extend_from_slice(jsonrpc::SUCCESS_SUFFIX);
            out.extend_from_slice(b"\n\n");
        }
        if out.is_empty() { None } else { Some(out.into()) }
    }
}

/// Writes a message as JSON.
pub(crate) fn put(message: &impl Serialize, out: &mut Vec<u8>) -> Result<(), Error> {
    serde_json::to_writer(out, message)
        .map_err(|error| Error::internal("the answer cannot be written").with_source(error))
}
