//! One run of a scenario: an agent of its own, a way to ask it, and all that was answered.

use crate::by_client;
use crate::fault::Fault;
use crate::raw::jsonrpc::ID;
use crate::raw::{grpc, http_json, jsonrpc, v0_3};
use crate::same::normalised;
use crate::way::Way;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::join_all;
use sabir::bindings::Binding;
use sabir::engine::EventStream;
use sabir::types::{ErrorKind, Operation, Version};
use sabir_conformance::{Profile, Serving, start};
use sabir_testkit::{GrpcCall, RawConnection, Webhook, patiently};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// A credential of the agent's.
pub(crate) const TOKEN: &str = "itk-valid-token";

/// What is said besides the request.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) version: Option<&'static str>,
    pub(crate) token: Option<&'static str>,
    pub(crate) extension: Option<&'static str>,
    /// Whether the client reads the card; without it, it asks for what the card does not offer.
    pub(crate) by_card: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self { version: Some("1.0"), token: Some(TOKEN), extension: None, by_card: true }
    }
}

/// One run of a scenario.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) way: Way,
    pub(crate) addr: SocketAddr,
    pub(crate) terms: Terms,
    pub(crate) webhook: Arc<Webhook>,
    transcript: Arc<Mutex<Vec<Value>>>,
}

/// Starts an agent; its address is the first.
pub(crate) async fn agent(profile: &Profile) -> (Serving, SocketAddr) {
    let serving = start(profile, &[SocketAddr::from(([127, 0, 0, 1], 0))]).await;
    let serving = serving.expect("loopback has a port");
    let addr = serving.addresses()[0];
    (serving, addr)
}

/// Plays a scenario in every way of 1.0 and in every way of 0.3, and compares what was answered
/// within each version: what 0.3 cannot say is left out of its answers.
pub(crate) async fn in_both_versions<F: Future<Output = ()> + Send + 'static>(
    scenario: impl Fn(World) -> F,
) {
    let profile = Profile { v0_3: true, ..Profile::default() };
    play(&Way::v1_0(), &profile, &scenario).await;
    play(&Way::v0_3(), &profile, &scenario).await;
}

/// Plays a scenario in every way of 0.3, where that is not as 1.0.
pub(crate) async fn in_v0_3<F: Future<Output = ()> + Send + 'static>(
    scenario: impl Fn(World) -> F,
) {
    let profile = Profile { v0_3: true, ..Profile::default() };
    play(&Way::v0_3(), &profile, &scenario).await;
}

/// Plays a scenario in every way of 1.0, and compares what was answered.
pub(crate) async fn everywhere<F: Future<Output = ()> + Send + 'static>(
    scenario: impl Fn(World) -> F,
) {
    everywhere_as(Profile::default(), scenario).await;
}

/// The same with another profile of the agent.
pub(crate) async fn everywhere_as<F: Future<Output = ()> + Send + 'static>(
    profile: Profile,
    scenario: impl Fn(World) -> F,
) {
    play(&Way::v1_0(), &profile, &scenario).await;
}

async fn play<F: Future<Output = ()> + Send + 'static>(
    ways: &[Way],
    profile: &Profile,
    scenario: &impl Fn(World) -> F,
) {
    let runs = ways.iter().copied().map(|way| async move {
        let (serving, addr) = agent(profile).await;
        let world = World {
            way,
            addr,
            terms: Terms::default(),
            webhook: Arc::new(Webhook::start().await),
            transcript: Arc::default(),
        };
        let played = tokio::spawn(scenario(world.clone())).await;
        assert!(played.is_ok(), "failed by {way:?}");
        let names = [(addr.to_string(), "agent"), (world.webhook.addr().to_string(), "webhook")];
        let transcript = normalised(&world.transcript.lock().unwrap(), &names);
        drop(serving);
        (way, transcript)
    });
    let mut runs = join_all(runs).await.into_iter();
    let (first, expected) = runs.next().expect("there are ways");
    assert!(!expected.is_empty(), "nothing was asked");
    for (way, transcript) in runs {
        for (ours, theirs) in transcript.iter().zip(&expected) {
            assert_eq!(ours, theirs, "{way:?} differs from {first:?}");
        }
        assert_eq!(transcript.len(), expected.len(), "{way:?} differs from {first:?}");
    }
}

impl World {
    /// The same, saying something else besides the request.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Terms)) -> Self {
        let mut world = self.clone();
        change(&mut world.terms);
        world
    }

    /// The same, without a transcript: for answers that depend on the moment.
    pub(crate) fn unseen(&self) -> Self {
        Self { transcript: Arc::default(), ..self.clone() }
    }

    fn note(&self, what: &str, answer: &Value) {
        let mut answer = answer.clone();
        if answer["nextPageToken"].as_str().is_some_and(|token| !token.is_empty()) {
            // It means something to the agent alone.
            answer["nextPageToken"] = "token".into();
        }
        self.transcript.lock().unwrap().push(json!({ what: answer }));
    }

    async fn ask(&self, operation: Operation, request: &Value) -> Result<Value, Fault> {
        let (addr, terms) = (self.addr, &self.terms);
        let answer = match self.way {
            Way::Raw(Binding::JsonRpc) => jsonrpc::ask(addr, operation, request, terms).await,
            Way::Raw(Binding::HttpJson) => http_json::ask(addr, operation, request, terms).await,
            Way::Raw(Binding::Grpc) => grpc::ask(addr, operation, request, terms).await,
            Way::Client(by) => {
                by_client::ask(addr, (by, Version::V1_0), operation, request, terms).await
            }
            Way::RawV0_3(by) => {
                let answer = v0_3::ask(addr, by, operation, request, terms).await;
                answer.map_err(Fault::without_fields)
            }
            Way::ClientV0_3(by) => {
                let way = (by, Version::V0_3);
                let answer = by_client::ask(addr, way, operation, request, terms).await;
                answer.map_err(Fault::without_fields)
            }
        };
        let noted = answer.as_ref().map_or_else(Fault::to_json, Value::clone);
        self.note(operation.name(), &noted);
        answer
    }

    /// Asks what is answered.
    pub(crate) async fn get(&self, operation: Operation, request: Value) -> Value {
        match self.ask(operation, &request).await {
            Ok(answer) => answer,
            Err(fault) => panic!("{:?}: {operation} {request}: {fault:?}", self.way),
        }
    }

    /// Asks what is refused.
    pub(crate) async fn refused(&self, operation: Operation, request: Value) -> Fault {
        match self.ask(operation, &request).await {
            Ok(answer) => panic!("{:?}: {operation} {request}: {answer}", self.way),
            Err(fault) => fault,
        }
    }

    /// Asks what is refused as this.
    pub(crate) async fn refused_as(&self, kind: ErrorKind, operation: Operation, request: Value) {
        let fault = self.refused(operation, request).await;
        assert_eq!(fault.kind, kind, "{:?}: {fault:?}", self.way);
        assert!(fault.message.len() >= 12, "{:?}: {fault:?}", self.way);
    }

    /// Sends a text; the answer is a task.
    pub(crate) async fn send(&self, text: &str) -> Value {
        self.get(Operation::SendMessage, says(text)).await["task"].clone()
    }

    /// Sends a text about a task.
    pub(crate) async fn reply(&self, task: &Value, text: &str) -> Value {
        let mut request = says(text);
        request["message"]["taskId"] = task["id"].clone();
        self.get(Operation::SendMessage, request).await["task"].clone()
    }

    /// Sends a text and is answered before the work is done.
    pub(crate) async fn begin(&self, text: &str) -> Value {
        let mut request = says(text);
        request["configuration"] = json!({"returnImmediately": true});
        // Whether it is still submitted or working already is a matter of the moment.
        self.unseen().get(Operation::SendMessage, request).await["task"].clone()
    }

    /// Reads a task.
    pub(crate) async fn task(&self, task: &Value) -> Value {
        self.get(Operation::GetTask, json!({"id": task["id"]})).await
    }

    async fn open(&self, operation: Operation, request: &Value) -> Result<Events, Fault> {
        let (addr, terms) = (self.addr, &self.terms);
        match self.way {
            Way::Raw(Binding::JsonRpc) => jsonrpc::follow(addr, operation, request, terms).await,
            Way::Raw(Binding::HttpJson) => http_json::follow(addr, operation, request, terms).await,
            Way::Raw(Binding::Grpc) => grpc::follow(addr, operation, request, terms).await,
            Way::Client(by) => {
                by_client::follow(addr, (by, Version::V1_0), operation, request, terms).await
            }
            Way::RawV0_3(by) => v0_3::follow(addr, by, operation, request, terms).await,
            Way::ClientV0_3(by) => {
                by_client::follow(addr, (by, Version::V0_3), operation, request, terms).await
            }
        }
    }

    /// Opens a stream.
    pub(crate) async fn follow(&self, operation: Operation, request: Value) -> Following {
        match self.open(operation, &request).await {
            Ok(events) => Following { world: self.clone(), events },
            Err(fault) => panic!("{:?}: {operation} {request}: {fault:?}", self.way),
        }
    }

    /// Opens a stream that is refused, before there is one.
    pub(crate) async fn follow_refused_as(
        &self,
        kind: ErrorKind,
        operation: Operation,
        request: Value,
    ) {
        match self.open(operation, &request).await {
            Ok(_) => panic!("{:?}: {operation} {request} was opened", self.way),
            Err(fault) => {
                self.note(operation.name(), &fault.to_json());
                assert_eq!(fault.kind, kind, "{:?}: {fault:?}", self.way);
            }
        }
    }

    /// Sends a text and reads all that happens.
    pub(crate) async fn stream(&self, text: &str) -> Vec<Value> {
        self.follow(Operation::SendStreamingMessage, says(text)).await.rest().await
    }

    /// Follows a task.
    pub(crate) async fn subscribe(&self, task: &Value) -> Following {
        self.follow(Operation::SubscribeToTask, json!({"id": task["id"]})).await
    }
}

/// A stream that is being read.
pub(crate) struct Following {
    world: World,
    events: Events,
}

/// Events, as each way has them.
pub(crate) enum Events {
    JsonRpc(Box<RawConnection>),
    HttpJson(Box<RawConnection>),
    /// The first one was read to see whether there is a stream.
    Grpc(Option<Bytes>, Box<GrpcCall>),
    Client(EventStream),
    /// As [`Grpc`](Self::Grpc): in 0.3 a refusal may be the first event.
    SseV0_3(Binding, Option<Value>, Box<RawConnection>),
    GrpcV0_3(Option<Bytes>, Box<GrpcCall>),
}

impl Following {
    /// The next event; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let event = self.events.next().await;
        self.world.note("event", event.as_ref().unwrap_or(&Value::Null));
        event
    }

    /// All that is left.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}

impl Events {
    async fn next(&mut self) -> Option<Value> {
        match self {
            Self::JsonRpc(connection) => {
                let frame = connection.event().await?.json();
                assert_eq!((&frame["jsonrpc"], &frame["id"]), (&json!("2.0"), &json!(ID)));
                Some(frame["result"].clone())
            }
            Self::HttpJson(connection) => Some(connection.event().await?.json()),
            Self::Grpc(first, call) => match first.take() {
                Some(first) => Some(grpc::event(&first)),
                None => call.message().await.map(|message| grpc::event(&message)),
            },
            Self::SseV0_3(binding, first, connection) => {
                let frame = match first.take() {
                    Some(first) => first,
                    None => connection.event().await?.json(),
                };
                let event = if *binding == Binding::JsonRpc { &frame["result"] } else { &frame };
                Some(v0_3::event(v0_3::Form::of(*binding), event.to_string().as_bytes()))
            }
            Self::GrpcV0_3(first, call) => {
                let message = match first.take() {
                    Some(first) => Some(first),
                    None => call.message().await,
                };
                Some(v0_3::event(v0_3::Form::Protobuf, &message?))
            }
            Self::Client(events) => {
                let event = patiently("an event", events.next()).await?.expect("an event");
                Some(serde_json::to_value(event.response().expect("an event")).expect("JSON"))
            }
        }
    }
}

/// A request that says this text.
pub(crate) fn says(text: &str) -> Value {
    holds(&json!([{"text": text}]))
}

/// A request with these parts.
pub(crate) fn holds(parts: &Value) -> Value {
    json!({"message": {"messageId": "message-1", "role": "ROLE_USER", "parts": parts}})
}

/// The state of a task, or of an event that has one.
pub(crate) fn state(of: &Value) -> &str {
    let status = [&of["status"], &of["task"]["status"], &of["statusUpdate"]["status"]];
    status
        .iter()
        .find_map(|status| status["state"].as_str())
        .unwrap_or("")
        .trim_start_matches("TASK_STATE_")
}
