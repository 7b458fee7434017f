//! A message on its way out.

use serde_json::{Value, json};
use uuid::Uuid;

/// A message with what its sender asks for.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    pub(crate) id: String,
    text: String,
    task: Option<String>,
    immediately: bool,
    /// Headers beside those of every request.
    pub(crate) headers: Vec<(&'static str, String)>,
}

impl Send {
    /// A message with this text and an id of its own.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let id = Uuid::now_v7().to_string();
        Self { id, text: text.into(), task: None, immediately: false, headers: Vec::new() }
    }

    /// It goes to this task.
    pub(crate) fn to(mut self, task: impl Into<String>) -> Self {
        self.task = Some(task.into());
        self
    }

    /// Nobody waits for the end (`returnImmediately`).
    pub(crate) fn immediately(mut self) -> Self {
        self.immediately = true;
        self
    }

    /// The task is to be canceled after so many seconds.
    pub(crate) fn deadline(mut self, seconds: f64) -> Self {
        self.headers.push(("Sabir-Task-Deadline", seconds.to_string()));
        self
    }

    /// The stream goes on after this event.
    pub(crate) fn resume_after(mut self, seq: u64) -> Self {
        self.headers.push(("Last-Event-ID", seq.to_string()));
        self
    }

    /// The request of SendMessage and SendStreamingMessage.
    pub(crate) fn request(&self) -> Value {
        let mut message =
            json!({"messageId": self.id, "role": "ROLE_USER", "parts": [{"text": self.text}]});
        if let Some(task) = &self.task {
            message["taskId"] = task.as_str().into();
        }
        json!({"message": message, "configuration": {"returnImmediately": self.immediately}})
    }
}
