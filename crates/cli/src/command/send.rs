//! `send`: a message to an agent, and what comes of it.

use super::Call;
use crate::args::SendArgs;
use crate::connect::{self, Connection};
use crate::failure::{Failure, Kind, Shape};
use crate::follow::{self, Poll, Printer};
use crate::{message, text};
use sabir_types::{
    Content, Message, SendMessageConfiguration, SendMessageRequest, SendMessageResponse,
    StreamResponse, TaskId,
};
use std::cell::RefCell;

/// What is sent, and how what comes of it is waited for.
struct Sending<'a> {
    call: &'a Call,
    connection: &'a Connection,
    poll: Poll,
    no_wait: bool,
    known: &'a RefCell<Option<TaskId>>,
}

/// Sends it, waits, and prints the task or the reply.
pub(super) async fn run(args: SendArgs, call: Call) -> Result<(), Failure> {
    let no_wait = call.config.is_on("async")? && !args.stream;
    let history = message::history(args.history.as_deref())?;
    let request = request(&args, &call, no_wait, history)?;
    warn_if_large(&request, &call);
    let poll = Poll { interval: connect::poll_interval(&call)?, history };
    let connection = connect::connect(&call).await?;
    let known = RefCell::new(request.message.task_id.clone());
    let sending = Sending { call: &call, connection: &connection, poll, no_wait, known: &known };
    if args.stream {
        return follow::patiently(&connection, call.out, &known, sending.stream(request)).await;
    }
    let answer = follow::patiently(&connection, call.out, &known, sending.wait(request)).await?;
    print(&call, &answer)
}

fn request(
    args: &SendArgs,
    call: &Call,
    no_wait: bool,
    history: Option<i32>,
) -> Result<SendMessageRequest, Failure> {
    let parts = message::parts(args.message.as_deref(), &args.parts.0)?;
    let mut message = Message::user(parts).with_id(uuid::Uuid::now_v7().to_string());
    message.task_id = call.config.get("task-id").map(Into::into);
    message.context_id = call.config.get("context-id").map(Into::into);
    let configuration = (no_wait || history.is_some()).then(|| SendMessageConfiguration {
        history_length: history,
        return_immediately: no_wait,
        ..SendMessageConfiguration::default()
    });
    let metadata = message::metadata(&args.metadata)?;
    Ok(SendMessageRequest { message, configuration, metadata, ..SendMessageRequest::default() })
}

fn warn_if_large(request: &SendMessageRequest, call: &Call) {
    let size = |part: &sabir_types::Part| match &part.content {
        Content::Raw(bytes) => bytes.len(),
        _ => 0,
    };
    let bytes: usize = request.message.parts.iter().map(size).sum();
    if bytes > message::LARGE {
        call.out
            .warning(&format!("the files have {} MiB; many agents refuse so much", bytes >> 20));
    }
}

impl Sending<'_> {
    /// Sends, and waits until the task has ended or needs something.
    async fn wait(&self, request: SendMessageRequest) -> Result<SendMessageResponse, Failure> {
        match self.send(request).await? {
            SendMessageResponse::Task(task) if !self.no_wait => {
                self.knows(&task.id);
                let task =
                    self.poll.until_settled(self.connection, self.call.out, task, |_| Ok(()));
                Ok(SendMessageResponse::Task(task.await?))
            }
            other => Ok(other),
        }
    }

    async fn send(&self, request: SendMessageRequest) -> Result<SendMessageResponse, Failure> {
        let sent = self.connection.send(request).await;
        sent.map_err(|failure| failure.during("failed to send message"))
    }

    /// Sends, and prints what happens as it happens.
    async fn stream(&self, request: SendMessageRequest) -> Result<(), Failure> {
        let mut printer = Printer::new(self.call.out, self.known);
        if self.connection.streams() {
            let answering = request.message.task_id.is_some();
            let events = self.connection.stream(request).await;
            let events = events.map_err(|failure| failure.during("streaming error"))?;
            follow::print_until_settled(events, self.connection, &mut printer, answering).await?;
        } else {
            self.look_instead(request, &mut printer).await?;
        }
        follow::to_the_end(self.call.out, self.connection, self.poll, &mut printer).await?;
        printer.end()
    }

    /// What a stream begins with, for an agent that does not stream.
    async fn look_instead(
        &self,
        mut request: SendMessageRequest,
        printer: &mut Printer<'_>,
    ) -> Result<(), Failure> {
        self.call.out.detail(|| "the agent does not stream: looking at the task instead".into());
        request.configuration.get_or_insert_default().return_immediately = true;
        match self.send(request).await? {
            SendMessageResponse::Task(task) => printer.look(&task),
            SendMessageResponse::Message(reply) => printer.event(&StreamResponse::Message(reply)),
            _ => Err(neither()),
        }
    }

    fn knows(&self, id: &TaskId) {
        *self.known.borrow_mut() = Some(id.clone());
    }
}

fn print(call: &Call, answer: &SendMessageResponse) -> Result<(), Failure> {
    let out = call.out;
    if let SendMessageResponse::Task(task) = answer {
        follow::warn(out, task);
    }
    match answer {
        SendMessageResponse::Task(_) | SendMessageResponse::Message(_)
            if out.is_json() && out.shape == Shape::Spec =>
        {
            out.result(answer, |_| String::new())
        }
        SendMessageResponse::Task(task) => {
            out.result(task, |task| text::task(task) + &text::resume(task))
        }
        SendMessageResponse::Message(reply) => {
            out.result(reply, |reply| text::message(reply, 2) + "\n")
        }
        _ => Err(neither()),
    }
}

fn neither() -> Failure {
    let kind = Kind::Protocol {
        reason: "INVALID_AGENT_RESPONSE".to_owned(),
        name: "InvalidAgentResponseError".to_owned(),
    };
    Failure::new(kind, "failed to send message: the answer is neither a task nor a message")
}
