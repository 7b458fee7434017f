//! A webhook receiver that keeps what it is sent and answers as the test says.

mod answer;

pub use answer::Answer;

use crate::patience::patiently;
use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// A webhook on a free port of the loopback address; gone when dropped.
///
/// ```no_run
/// # async fn example() {
/// use sabir_testkit::{Answer, Webhook};
///
/// let webhook = Webhook::start().await;
/// webhook.answer(Answer::status(503).with_header("retry-after", "1"));
/// // … register `webhook.url()` with a task, then:
/// let refused = webhook.next().await;
/// let taken = webhook.next().await;
/// assert_eq!(refused.body, taken.body);
/// # }
/// ```
#[derive(Debug)]
pub struct Webhook {
    addr: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

/// One request that a [`Webhook`] was sent.
#[derive(Clone, Debug)]
pub struct Received {
    /// Its verb.
    pub method: Method,
    /// Its path and query.
    pub target: String,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body.
    pub body: Bytes,
    /// When it had been read.
    pub at: Instant,
}

impl Received {
    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_slice(&self.body) {
            Ok(value) => value,
            Err(error) => panic!("the webhook was sent no JSON ({error}): {:?}", self.body),
        }
    }
}

#[derive(Debug, Default)]
struct Shared {
    kept: Mutex<Kept>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Kept {
    received: Vec<Received>,
    /// How many of them `next` has given out.
    read: usize,
    script: VecDeque<Answer>,
    otherwise: Answer,
}

impl Shared {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Each change is one push or pop, so a poisoned state is as good as any.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Webhook {
    /// Starts to listen.
    ///
    /// # Panics
    /// When no port can be had.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.unwrap_or_else(|error| panic!("no port for a webhook: {error}"));
        let addr = listener.local_addr();
        let addr = addr.unwrap_or_else(|error| panic!("the webhook has no address: {error}"));
        let shared = Arc::new(Shared::default());
        let app = Router::new().fallback(receive).with_state(Arc::clone(&shared));
        let server = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, app).await {
                panic!("the webhook receiver failed: {error}");
            }
        });
        Self { addr, shared, server }
    }

    /// Where to register it. Any other path on its address works as well.
    pub fn url(&self) -> String {
        format!("http://{}/webhook", self.addr)
    }

    /// Its address.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Answers one request so, after those that are already scripted; then as before.
    pub fn answer(&self, answer: Answer) {
        self.shared.kept().script.push_back(answer);
    }

    /// Answers all requests so for which nothing is scripted. In the beginning that is 200.
    pub fn answer_always(&self, answer: Answer) {
        self.shared.kept().otherwise = answer;
    }

    /// All that was received so far, in order.
    pub fn received(&self) -> Vec<Received> {
        self.shared.kept().received.clone()
    }

    /// Waits for the next request; each is given once, in order.
    ///
    /// # Panics
    /// When none comes.
    pub async fn next(&self) -> Received {
        let next = async {
            loop {
                let arrived = self.shared.arrived.notified();
                if let Some(received) = self.try_next() {
                    return received;
                }
                arrived.await;
            }
        };
        patiently("a request to the webhook", next).await
    }

    /// The next request if it is there; each is given once, in order.
    pub fn try_next(&self) -> Option<Received> {
        let mut kept = self.shared.kept();
        let received = kept.received.get(kept.read).cloned()?;
        kept.read += 1;
        Some(received)
    }
}

impl Drop for Webhook {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // A sender that hangs up sent nothing, and there is nobody to answer.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        return Answer::status(400).give().await;
    };
    let target = parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned();
    let (method, headers, at) = (parts.method, parts.headers, Instant::now());
    let answer = {
        let mut kept = shared.kept();
        kept.received.push(Received { method, target, headers, body, at });
        kept.script.pop_front().unwrap_or_else(|| kept.otherwise.clone())
    };
    shared.arrived.notify_waiters();
    answer.give().await
}
