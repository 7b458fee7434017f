//! Follows a stream to the end of its task, over broken connections.

mod source;

use crate::Failure;
use crate::link::{Link, is_transient};
use crate::retry::chance;
use futures_util::StreamExt;
use futures_util::stream;
use sabir_engine::{Call, Event, EventStream};
use sabir_types::{
    Error, ErrorKind, GetTaskRequest, Operation, StreamResponse, SubscribeToTaskRequest, Task,
    TaskId,
};
use source::Source;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;
use tokio::time::Instant;

/// How long a server may take to close a stream that has told the end of its task.
const LINGER: Duration = Duration::from_secs(1);

/// Which operation opened the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// SendStreamingMessage: it may close when the task waits for its caller.
    Message,
    /// SubscribeToTask: it stays open until the task has ended.
    Subscription,
}

/// What the events so far say about how the stream may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The task is under way.
    Running,
    /// The task waits for its caller.
    Waiting,
    /// The task has ended, or the answer was a message.
    Ended,
}

/// What a look at the connection gave.
enum Read {
    /// An event with its id.
    Event(Option<String>, Arc<Event>),
    /// There is a new connection.
    Resumed,
    /// The task itself, where there is no new connection to be had.
    Fetched(Arc<Event>),
    /// The stream ended as it should.
    End,
    /// The connection ended as it should not.
    Broken(Error),
    /// There is no new connection, and there will be none.
    Failed(Error),
}

/// A resumption whose first event has not come yet.
struct Resuming {
    /// The id that was sent, where the server cannot have made it anew for this connection.
    from: Option<String>,
    /// The last event before.
    last: Option<Arc<Event>>,
}

/// Reads events from one connection after another.
struct Follower {
    link: Arc<Link>,
    call: Call,
    opening: Opening,
    source: Option<Source>,
    task_id: Option<TaskId>,
    tenant: Option<String>,
    /// The id of the last event, as the server wrote it.
    last_id: Option<String>,
    /// The last event that was passed on.
    last: Option<Arc<Event>>,
    /// Events on this connection.
    heard: usize,
    /// What this connection shall resume after, while it has to show that it does.
    resuming: Option<Resuming>,
    /// The server resumes by id, so a number is the same event on every connection.
    resumes_by_id: bool,
    stage: Stage,
    /// How long the server wants to be left alone before a reconnection.
    hint: Option<Duration>,
    /// Resubscriptions since something new was heard.
    attempts: u32,
    deadline: Option<Instant>,
    finished: bool,
}

/// The events of a stream that was opened, and of those that continue it.
pub(crate) fn follow(
    link: Arc<Link>,
    call: Call,
    opening: Opening,
    task: Option<(TaskId, Option<String>)>,
    body: crate::http::StreamBody,
) -> EventStream {
    let (task_id, tenant) = task.map_or((None, None), |(id, tenant)| (Some(id), tenant));
    let follower = Follower {
        deadline: link.timeout.map(|timeout| Instant::now() + timeout),
        source: Some(Source::new(body)),
        last_id: call.resume_after.map(|seq| seq.to_string()),
        link,
        call,
        opening,
        task_id,
        tenant,
        last: None,
        heard: 0,
        resuming: None,
        resumes_by_id: false,
        stage: Stage::Running,
        hint: None,
        attempts: 0,
        finished: false,
    };
    stream::unfold(follower, |mut follower| async move {
        let item = follower.next_in_time().await?;
        follower.finished |= item.is_err();
        Some((item, follower))
    })
    .boxed()
}

impl Follower {
    async fn next_in_time(&mut self) -> Option<Result<Arc<Event>, Error>> {
        let Some(deadline) = self.deadline else { return self.next().await };
        if let Ok(item) = tokio::time::timeout_at(deadline, self.next()).await {
            return item;
        }
        let url = self.link.http.name(&self.link.selected.url);
        let after = self.link.timeout.unwrap_or_default();
        Some(Err(Failure::Timeout { url, after }.into()))
    }

    async fn next(&mut self) -> Option<Result<Arc<Event>, Error>> {
        while !self.finished {
            let item = match self.read().await {
                Read::Event(id, event) => self.take(id, event).transpose(),
                Read::Fetched(event) => Some(Ok(event)),
                Read::Resumed => None,
                Read::End => return None,
                Read::Broken(error) => self.broken(error).map(Err),
                Read::Failed(error) => Some(Err(error)),
            };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    async fn read(&mut self) -> Read {
        let Some(source) = &mut self.source else {
            return match self.resume().await {
                Ok(None) => Read::Resumed,
                Ok(Some(event)) => Read::Fetched(event),
                Err(error) => Read::Failed(error),
            };
        };
        let next = source.next(&self.link.wire);
        if self.stage == Stage::Ended {
            // Whatever happens now, everything has been said.
            return match tokio::time::timeout(LINGER, next).await {
                Ok(Ok(Some((id, event)))) => Read::Event(id, event),
                _ => Read::End,
            };
        }
        let next = next.await;
        let is_subscribed = self.opening == Opening::Subscription || self.resuming.is_some();
        if self.link.wire.is_older() && is_subscribed && self.heard == 0 {
            // Servers of 0.3 differ in what they stream of a task that has ended or that they do
            // not know: some nothing, some break off.
            match &next {
                Ok(Some(_)) => {}
                Err(error) if !is_cut(error) && !self.says_it_ended(error) => {}
                Ok(None) | Err(_) => return self.look_instead().await,
            }
        }
        match next {
            Ok(Some((id, event))) => Read::Event(id, event),
            // Servers differ in whether a stream outlives a question.
            Ok(None) if self.stage == Stage::Waiting => Read::End,
            Ok(None) => {
                let url = self.link.http.name(&self.link.selected.url);
                let reason = "the stream ended before its task".to_owned();
                Read::Broken(Failure::Cut { url, reason }.into())
            }
            Err(error) => Read::Broken(error),
        }
    }

    /// Notes what an event says; `None` for one that was seen before the connection broke.
    fn take(&mut self, id: Option<String>, event: Arc<Event>) -> Result<Option<Arc<Event>>, Error> {
        let response = event.response()?;
        self.stage = match response {
            StreamResponse::Message(_) => Stage::Ended,
            response => match response.state() {
                Some(state) if state.is_terminal() => Stage::Ended,
                Some(state) if state.is_interrupted() => Stage::Waiting,
                Some(_) => Stage::Running,
                None => self.stage,
            },
        };
        if let Some(task_id) = response.task_id() {
            self.task_id = Some(task_id.clone());
        }
        let repeats = self.repeats(id.as_deref(), &event, response);
        self.heard += 1;
        if repeats {
            return Ok(None);
        }
        if id.is_some() || self.link.wire.is_binary() {
            // In gRPC no event has an id: what the last connection ended with is over.
            self.last_id = id;
        }
        self.last = Some(event.clone());
        Ok(Some(event))
    }

    /// Whether an event is one that the reader has.
    ///
    /// A server that resumes by id begins with the task as of that id, which is what the reader
    /// already has. One that does not begins with the task as it is, and may number the events of
    /// each connection anew: nothing of that is a repeat.
    fn repeats(&mut self, id: Option<&str>, event: &Event, response: &StreamResponse) -> bool {
        let Some(resuming) = self.resuming.take() else {
            // Only now is there news: the first event would come however often we ask.
            self.attempts = 0;
            return self.resumes_by_id && !is_beyond(id, self.last_id.as_deref());
        };
        if !matches!(response, StreamResponse::Task(_)) {
            return false;
        }
        self.resumes_by_id = resuming.from.is_some() && resuming.from.as_deref() == id;
        let is_unchanged = resuming.last.is_some_and(|last| last.json() == event.json());
        self.resumes_by_id || is_unchanged
    }

    /// Gets ready to resume after a failure, or says that it cannot be.
    fn broken(&mut self, error: Error) -> Option<Error> {
        let policy = &self.link.resubscribe;
        // What the agent itself says is its last word; only the way may be tried again.
        if !is_cut(&error) || self.task_id.is_none() || self.attempts >= policy.attempts {
            return Some(error);
        }
        tracing::debug!(%error, "a stream broke and is resumed");
        if let Some(source) = self.source.take() {
            self.hint = source.retry();
            self.last_id = source.last_id().or(self.last_id.take());
        }
        None
    }

    /// Subscribes to the task again. Gives an event where the task had to be fetched instead.
    async fn resume(&mut self) -> Result<Option<Arc<Event>>, Error> {
        let Some(id) = self.task_id.clone() else {
            return Err(Error::internal("a stream without a task cannot be resumed"));
        };
        self.pause().await;
        self.attempts += 1;
        let request = SubscribeToTaskRequest { id: id.clone(), tenant: self.tenant.clone() };
        let call = Call { resume_after: None, deadline: None, ..self.call.clone() };
        let from = self.last_id.clone();
        let operation = Operation::SubscribeToTask;
        match self.link.open(operation, &call, request, from.as_deref()).await {
            Ok(body) => {
                // A first event of the last connection may have an id that begins every connection.
                let from = from.filter(|_| self.heard > 1 || self.resumes_by_id);
                self.resuming = Some(Resuming { from, last: self.last.take() });
                self.source = Some(Source::new(body));
                self.heard = 0;
                Ok(None)
            }
            // It has ended meanwhile (section 3.1.6), or the server streams no subscriptions.
            Err(error) if error.kind() == ErrorKind::UnsupportedOperation => self.look(&id).await,
            Err(error) if self.says_it_ended(&error) => self.look(&id).await,
            // The server does not know the id any more: begin with the task as it is.
            Err(error) if error.kind() == ErrorKind::InvalidParams && from.is_some() => {
                self.last_id = None;
                self.retry_or(error)
            }
            Err(error) if is_transient(&error) => self.retry_or(error),
            Err(error) => Err(error),
        }
    }

    fn retry_or(&self, error: Error) -> Result<Option<Arc<Event>>, Error> {
        if self.attempts < self.link.resubscribe.attempts { Ok(None) } else { Err(error) }
    }

    /// Whether a subscription that was to go on with a stream is refused because the task has ended,
    /// as servers of 0.3 say it.
    fn says_it_ended(&self, error: &Error) -> bool {
        let goes_on = self.attempts > 0 && self.last_id.is_none();
        self.link.wire.is_older() && goes_on && error.kind() == ErrorKind::InvalidParams
    }

    /// Fetches the task in place of a stream that told nothing of it.
    async fn look_instead(&mut self) -> Read {
        self.source = None;
        let Some(id) = self.task_id.clone() else { return Read::End };
        match self.look(&id).await {
            Ok(Some(event)) => Read::Fetched(event),
            Ok(None) => Read::End,
            Err(error) => Read::Failed(error),
        }
    }

    /// Fetches the task where it cannot be subscribed to.
    async fn look(&mut self, id: &TaskId) -> Result<Option<Arc<Event>>, Error> {
        let request = GetTaskRequest {
            tenant: self.tenant.clone(),
            id: id.clone(),
            ..GetTaskRequest::default()
        };
        let call = Call { resume_after: None, ..self.call.clone() };
        let timeout = Some(self.link.timeout.unwrap_or(crate::builder::TIMEOUT));
        let sent = AtomicU32::new(0);
        let reply = self.link.call::<Task>(Operation::GetTask, &call, request, timeout, &sent);
        let task = reply.await?.value;
        let state = task.state();
        let waits = state.is_interrupted() && self.opening == Opening::Message;
        self.finished = state.is_terminal() || waits;
        if !self.finished && self.attempts >= self.link.resubscribe.attempts {
            let message = "the stream broke, and the agent lets nobody subscribe to its task";
            return Err(Error::unavailable(message));
        }
        Ok(Some(Arc::new(Event::from_response(None, task.into()))))
    }

    /// The first resubscription is at once, unless the server asks for a pause.
    async fn pause(&self) {
        let policy = &self.link.resubscribe;
        let hint = self.hint.unwrap_or_default().min(policy.max_pause);
        let pause = match self.attempts {
            0 => Duration::ZERO,
            attempts => policy.pause_after(attempts, None, chance()).unwrap_or_default(),
        };
        tokio::time::sleep(pause.max(hint)).await;
    }
}

/// Whether the way failed, in a manner that may pass.
fn is_cut(error: &Error) -> bool {
    Failure::of(error).is_some_and(Failure::is_transient)
}

/// Whether a numbered event comes after another; what is not numbered does.
fn is_beyond(id: Option<&str>, last: Option<&str>) -> bool {
    let number = |id: Option<&str>| id.and_then(|id| id.parse::<u64>().ok());
    match (number(id), number(last)) {
        (Some(id), Some(last)) => id > last,
        _ => true,
    }
}
