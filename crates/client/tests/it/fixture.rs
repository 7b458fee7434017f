//! Servers that do as a test tells them, and remember what they were asked.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use sabir_client::{Client, ClientBuilder, RetryPolicy, Transport};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// A request as a server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: Method,
    /// The path, and the query where there is one.
    pub(crate) target: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Seen {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("text"))
    }
}

/// A server on loopback; it stops with the value.
pub(crate) struct Server {
    pub(crate) addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: AbortHandle,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Answers each request by `answer`, which also gets how many came before.
    pub(crate) async fn start(
        answer: impl Fn(&Seen, usize) -> Response + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let (log, answer) = (seen.clone(), Arc::new(answer));
        let app = Router::new().fallback(move |request: Request| {
            let (log, answer) = (log.clone(), answer.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.expect("a body").to_bytes();
                let target = head.uri.path_and_query().map(ToString::to_string);
                let seen = Seen {
                    method: head.method,
                    target: target.unwrap_or_default(),
                    headers: head.headers,
                    body,
                };
                let before = {
                    let mut log = log.lock().expect("no panic");
                    log.push(seen.clone());
                    log.len() - 1
                };
                answer(&seen, before)
            }
        });
        let task = tokio::spawn(async move { axum::serve(listener, app).await });
        Self { addr, seen, task: task.abort_handle() }
    }

    /// Gives these answers in order; asked for more, it fails the test by a 599.
    pub(crate) async fn script(answers: Vec<Response>) -> Self {
        let answers = Mutex::new(answers.into_iter());
        let next = move || answers.lock().expect("no panic").next();
        Self::start(move |_, _| next().unwrap_or_else(|| status(599, "the script is over"))).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr)
    }

    /// What was asked, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:#?}");
        seen[0].clone()
    }

    pub(crate) fn targets(&self) -> Vec<String> {
        self.seen().iter().map(|seen| format!("{} {}", seen.method, seen.target)).collect()
    }
}

/// An answer with a JSON body.
pub(crate) fn json_answer(body: &Value) -> Response {
    typed(200, "application/json", body.to_string())
}

/// A JSON-RPC answer with a result.
pub(crate) fn result(result: &Value) -> Response {
    json_answer(&json!({"jsonrpc": "2.0", "id": 1, "result": result}))
}

/// An answer with a status and some text.
pub(crate) fn status(code: u16, body: &str) -> Response {
    typed(code, "text/html", body.to_owned())
}

pub(crate) fn typed(code: u16, content_type: &str, body: String) -> Response {
    let status = StatusCode::from_u16(code).expect("a status");
    let builder = Response::builder().status(status).header("content-type", content_type);
    builder.body(Body::from(body)).expect("an answer")
}

pub(crate) fn with_header(mut response: Response, name: &'static str, value: &str) -> Response {
    response.headers_mut().insert(name, value.parse().expect("a header"));
    response
}

pub(crate) fn redirect(code: u16, location: &str) -> Response {
    with_header(status(code, "moved"), "location", location)
}

/// A stream of events that ends regularly.
pub(crate) fn events(text: impl Into<String>) -> Response {
    typed(200, "text/event-stream", text.into())
}

/// A stream of events that comes in these pieces and then breaks.
pub(crate) fn broken_events(pieces: &[&str]) -> Response {
    let pieces: Vec<io::Result<Bytes>> =
        pieces.iter().map(|piece| Ok(Bytes::from((*piece).to_owned()))).collect();
    // The server writes out what it has when nothing more is there; only then may it break.
    let cut = stream::once(async {
        tokio::task::yield_now().await;
        Err(io::Error::other("cut"))
    });
    body_stream(Body::from_stream(stream::iter(pieces).chain(cut)))
}

/// A stream of events that comes byte by byte.
pub(crate) fn dribbled_events(text: &str) -> Response {
    let bytes: Vec<_> =
        text.bytes().map(|byte| Ok::<_, Infallible>(Bytes::copy_from_slice(&[byte]))).collect();
    body_stream(Body::from_stream(stream::iter(bytes)))
}

/// A stream of events that stays open after them.
pub(crate) fn open_events(text: &str) -> Response {
    let first = stream::iter([Ok::<_, Infallible>(Bytes::from(text.to_owned()))]);
    body_stream(Body::from_stream(first.chain(stream::pending())))
}

fn body_stream(body: Body) -> Response {
    let builder = Response::builder().header("content-type", "text/event-stream");
    builder.body(body).expect("an answer")
}

/// A request that is never answered: its connection breaks.
pub(crate) fn cut() -> Response {
    let cut = stream::iter([Err::<Bytes, _>(io::Error::other("cut"))]);
    typed(200, "application/json", String::new()).map(|_| Body::from_stream(cut))
}

/// The card of an agent with these interfaces.
pub(crate) fn card(interfaces: &[Value]) -> Value {
    json!({
        "name": "Fixture", "description": "Does as it is told.", "version": "1.0.0",
        "supportedInterfaces": interfaces,
        "capabilities": {"streaming": true, "pushNotifications": true, "extendedAgentCard": true},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
    })
}

pub(crate) fn interface(url: &str, transport: Transport) -> Value {
    json!({"url": url, "protocolBinding": transport.binding(), "protocolVersion": "1.0"})
}

/// Retries without pauses worth mentioning.
pub(crate) const QUICK: RetryPolicy = RetryPolicy {
    attempts: 3,
    pause: Duration::from_millis(1),
    max_pause: Duration::from_millis(50),
};

/// The transports whose answers are text.
pub(crate) const TEXTUAL: [Transport; 2] = [Transport::JsonRpc, Transport::HttpJson];

/// A client of a server, without a card, that does not pause.
pub(crate) async fn client(server: &Server, transport: Transport) -> Client {
    builder(server, transport).connect().await.expect("needs no network")
}

pub(crate) fn builder(server: &Server, transport: Transport) -> ClientBuilder {
    Client::builder().endpoint(server.url(""), transport).retry(QUICK).resubscribe(QUICK)
}

pub(crate) fn task(id: &str, state: &str) -> Value {
    json!({"id": id, "contextId": "c", "status": {"state": format!("TASK_STATE_{state}")}})
}

pub(crate) fn state_of(task: &str, state: &str) -> Value {
    let status = json!({"state": format!("TASK_STATE_{state}")});
    json!({"statusUpdate": {"taskId": task, "contextId": "c", "status": status}})
}
