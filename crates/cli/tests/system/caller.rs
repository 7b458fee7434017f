//! The protocol from the caller's side, on either binding.

use crate::events::Stream;
use crate::send::Send;
use crate::{http, task};
use http_body_util::Full;
use hyper::Request;
use hyper::body::Bytes;
use sabir_testkit::{PATIENCE, Running};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::time::Instant;

/// A binding of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    JsonRpc,
    Rest,
}

/// Both of them.
pub(crate) const BINDINGS: [Binding; 2] = [Binding::JsonRpc, Binding::Rest];

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The agent said no.
    Refused { reason: String, message: String },
    /// The connection ended.
    Lost(String),
}

impl Failure {
    pub(crate) fn lost(error: impl std::fmt::Display) -> Self {
        Self::Lost(error.to_string())
    }

    /// The reason of a refusal.
    pub(crate) fn reason(&self) -> Option<&str> {
        match self {
            Self::Refused { reason, .. } => Some(reason),
            Self::Lost(_) => None,
        }
    }
}

/// A caller of one agent on one binding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    addr: SocketAddr,
    binding: Binding,
}

/// What is asked for.
enum Ask<'a> {
    Send(&'a Send),
    Stream(&'a Send),
    Get(&'a str),
    List(&'a str),
    Cancel(&'a str),
    Subscribe(&'a str),
}

impl Caller {
    pub(crate) fn new(server: &Running, binding: Binding) -> Self {
        Self { addr: server.addr(), binding }
    }

    /// A caller on each binding.
    pub(crate) fn both(server: &Running) -> [Self; 2] {
        BINDINGS.map(|binding| Self::new(server, binding))
    }

    /// SendMessage.
    pub(crate) async fn send(&self, send: &Send) -> Result<Value, Failure> {
        self.answer(&Ask::Send(send), &send.headers).await
    }

    /// SendStreamingMessage.
    pub(crate) async fn stream(&self, send: &Send) -> Result<Stream, Failure> {
        self.open(&Ask::Stream(send), &send.headers).await
    }

    /// GetTask.
    pub(crate) async fn get(&self, id: &str) -> Result<Value, Failure> {
        self.answer(&Ask::Get(id), &[]).await
    }

    /// How many tasks are in a state, by ListTasks.
    pub(crate) async fn count(&self, state: &str) -> Result<u64, Failure> {
        let page = self.answer(&Ask::List(state), &[]).await?;
        // ProtoJSON leaves out nothing that is REQUIRED.
        Ok(page["totalSize"].as_u64().unwrap_or_else(|| panic!("no total: {page}")))
    }

    /// CancelTask.
    pub(crate) async fn cancel(&self, id: &str) -> Result<Value, Failure> {
        self.answer(&Ask::Cancel(id), &[]).await
    }

    /// SubscribeToTask, after an event if one is named.
    pub(crate) async fn subscribe(&self, id: &str, after: Option<u64>) -> Result<Stream, Failure> {
        let headers = after.map(|seq| ("Last-Event-ID", seq.to_string()));
        self.open(&Ask::Subscribe(id), headers.as_slice()).await
    }

    /// Starts a task without waiting for its end.
    pub(crate) async fn start(&self, text: &str) -> String {
        let answer = self.send(&Send::new(text).immediately()).await.unwrap();
        task::id(task::of(&answer)).to_owned()
    }

    /// Looks at a task until it has ended.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        self.until(id, |task| task::is_terminal(task::state(task))).await
    }

    /// Looks at a task until it is as wanted.
    pub(crate) async fn until(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + PATIENCE;
        loop {
            let task = self.get(id).await.unwrap();
            if wanted(&task) {
                return task;
            }
            assert!(Instant::now() < end, "waited too long for another state: {task}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn answer(
        &self,
        ask: &Ask<'_>,
        headers: &[(&'static str, String)],
    ) -> Result<Value, Failure> {
        let response = http::exchange(self.addr, self.request(ask, headers)).await?;
        let ok = response.status().is_success();
        result(ok, http::body(response).await?.as_ref())
    }

    async fn open(
        &self,
        ask: &Ask<'_>,
        headers: &[(&'static str, String)],
    ) -> Result<Stream, Failure> {
        let response = http::exchange(self.addr, self.request(ask, headers)).await?;
        let kind = response.headers().get("content-type").cloned();
        if kind.is_some_and(|kind| kind == "text/event-stream") {
            return Ok(Stream::new(response.into_body(), self.binding));
        }
        let ok = response.status().is_success();
        let answer = result(ok, http::body(response).await?.as_ref())?;
        panic!("an answer instead of a stream: {answer}");
    }

    fn request(&self, ask: &Ask<'_>, headers: &[(&'static str, String)]) -> Request<Full<Bytes>> {
        let (method, target, body) = match self.binding {
            Binding::JsonRpc => ("POST", "/".to_owned(), Some(ask.jsonrpc())),
            Binding::Rest => ask.rest(),
        };
        let request = Request::builder().method(method).uri(target);
        let request = request.header("host", self.addr.to_string()).header("a2a-version", "1.0");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
        let body = body.map_or_else(Bytes::new, |body| body.to_string().into());
        request.header("content-type", "application/json").body(Full::new(body)).unwrap()
    }
}

impl Ask<'_> {
    fn jsonrpc(&self) -> Value {
        let (method, params) = match self {
            Self::Send(send) => ("SendMessage", send.request()),
            Self::Stream(send) => ("SendStreamingMessage", send.request()),
            Self::Get(id) => ("GetTask", json!({"id": id})),
            Self::List(state) => ("ListTasks", json!({"status": state, "pageSize": 1})),
            Self::Cancel(id) => ("CancelTask", json!({"id": id})),
            Self::Subscribe(id) => ("SubscribeToTask", json!({"id": id})),
        };
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    fn rest(&self) -> (&'static str, String, Option<Value>) {
        match self {
            Self::Send(send) => ("POST", "/message:send".to_owned(), Some(send.request())),
            Self::Stream(send) => ("POST", "/message:stream".to_owned(), Some(send.request())),
            Self::Get(id) => ("GET", format!("/tasks/{id}"), None),
            Self::List(state) => ("GET", format!("/tasks?status={state}&pageSize=1"), None),
            Self::Cancel(id) => ("POST", format!("/tasks/{id}:cancel"), Some(json!({}))),
            Self::Subscribe(id) => ("POST", format!("/tasks/{id}:subscribe"), None),
        }
    }
}

/// The result of an answer on either binding.
fn result(ok: bool, body: &[u8]) -> Result<Value, Failure> {
    let mut answer: Value = serde_json::from_slice(body)
        .unwrap_or_else(|error| panic!("{error} in {}", String::from_utf8_lossy(body)));
    if let Some(error) = answer.get("error") {
        return Err(refused(error));
    }
    assert!(ok, "a failure without an error: {answer}");
    let is_jsonrpc = answer.get("jsonrpc").is_some();
    Ok(if is_jsonrpc { answer["result"].take() } else { answer })
}

/// A refusal as either binding writes it.
pub(crate) fn refused(error: &Value) -> Failure {
    let details = error.get("details").or(error.get("data")).and_then(Value::as_array);
    let reason = details.and_then(|details| details.iter().find_map(|one| one["reason"].as_str()));
    Failure::Refused {
        reason: reason.unwrap_or_default().to_owned(),
        message: error["message"].as_str().unwrap_or_default().to_owned(),
    }
}
