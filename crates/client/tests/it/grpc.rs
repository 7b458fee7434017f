//! gRPC: what is sent, how answers end, and streams over broken connections.

use crate::end_to_end::{Cutter, Served, connect, states_and_artifacts, task_of};
use crate::fixture::{Seen, Server, builder, client, state_of, status, task};
use axum::body::{Body, Bytes};
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use futures_util::{StreamExt, stream};
use http::{HeaderMap, HeaderName};
use http_body::Frame;
use http_body_util::StreamBody;
use sabir_client::{Client, Failure, Transport, WireEvent};
use sabir_engine::{Agent, Call};
use sabir_types::{
    Error, ErrorKind, ErrorTable, GetTaskRequest, Message, Part, SendMessageRequest,
    SendMessageResponse, StreamResponse, Task, TaskState, wire,
};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("small");
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// The protobuf of a message that is written as JSON.
fn protobuf<M: wire::ProtoMessage + serde::de::DeserializeOwned>(json: &Value) -> Vec<u8> {
    framed(&wire::to_protobuf(&serde_json::from_value::<M>(json.clone()).expect("a message")))
}

fn metadata(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&'static str, &str)| {
        (HeaderName::from_static(name), value.parse().expect("text"))
    };
    pairs.iter().map(pair).collect()
}

/// An answer of these frames.
fn frames(frames: impl IntoIterator<Item = Frame<Bytes>>) -> Response {
    let frames: Vec<_> = frames.into_iter().map(Ok::<_, Infallible>).collect();
    let builder = Response::builder().header("content-type", "application/grpc");
    builder.body(Body::new(StreamBody::new(stream::iter(frames)))).expect("an answer")
}

/// An answer of these pieces and these trailers; without any the body just ends.
fn answer(pieces: Vec<Vec<u8>>, trailers: &[(&'static str, &str)]) -> Response {
    let end = (!trailers.is_empty()).then(|| Frame::trailers(metadata(trailers)));
    frames(pieces.into_iter().map(|piece| Frame::data(piece.into())).chain(end))
}

fn ok(message: Vec<u8>) -> Response {
    answer(vec![message], &[("grpc-status", "0")])
}

/// An answer that is nothing but a status.
fn refusal(error: &Error) -> Response {
    let mut response = answer(Vec::new(), &[]);
    *response.body_mut() = Body::empty();
    response.headers_mut().extend(status_of(error));
    response
}

fn status_of(error: &Error) -> HeaderMap {
    let table = ErrorTable::V1_0_1;
    let code = error.kind().grpc_code(table).number().to_string();
    let details = BASE64_STANDARD_NO_PAD.encode(error.to_status_protobuf(table));
    metadata(&[("grpc-status", &code), ("grpc-status-details-bin", &details)])
}

fn sent<M: wire::ProtoMessage>(seen: &Seen) -> M {
    wire::from_protobuf(seen.body.slice(5..)).expect("a message")
}

fn event(json: &Value) -> Vec<u8> {
    protobuf::<StreamResponse>(json)
}

#[tokio::test]
async fn a_call_is_a_post_of_one_message_to_its_method() {
    let server = Server::start(|_, _| ok(protobuf::<Task>(&task("t", "WORKING")))).await;
    let builder = builder(&server, Transport::Grpc).bearer("s3cret").extension("https://e.example");
    let client = builder.timeout(Duration::from_secs(7)).connect().await.expect("set up");
    let request =
        GetTaskRequest { tenant: Some("acme".into()), id: "t/1".into(), history_length: None };
    let call = Call { deadline: Some(Duration::from_secs(9)), ..Call::default() };
    assert_eq!(client.get_task(&call, request).await.expect("got").state(), TaskState::Working);
    let seen = server.only();
    assert_eq!(server.targets(), ["POST /lf.a2a.v1.A2AService/GetTask"]);
    for (name, value) in [
        ("content-type", "application/grpc"),
        ("te", "trailers"),
        ("a2a-version", "1.0"),
        ("a2a-extensions", "https://e.example"),
        ("authorization", "Bearer s3cret"),
        ("sabir-task-deadline", "9"),
        ("grpc-timeout", "7500m"),
    ] {
        assert_eq!(seen.header(name), Some(value), "{name}");
    }
    let request: GetTaskRequest = sent(&seen);
    assert_eq!((request.tenant.as_deref(), request.id.as_str()), (Some("acme"), "t/1"));
}

#[tokio::test]
async fn errors_have_their_kind_wherever_the_status_stands() {
    for kind in ErrorKind::all() {
        let error = Error::new(kind, "what went wrong");
        let (in_head, in_trailers) = (error.clone(), error.clone());
        let servers = [
            Server::start(move |_, _| refusal(&in_head)).await,
            Server::start(move |_, _| frames([Frame::trailers(status_of(&in_trailers))])).await,
        ];
        for server in servers {
            let client = client(&server, Transport::Grpc).await;
            let found = client.get("t").await.expect_err("refused");
            assert_eq!((found.kind(), found.message()), (kind, error.message()));
            assert!(Failure::of(&found).is_none(), "{found:?}");
            let found = client.stream("hi").await.map(drop).expect_err("does not open");
            assert_eq!(found.kind(), kind);
        }
    }
}

#[tokio::test]
async fn a_code_alone_says_what_it_can_to_its_operation() {
    // As @a2a-js/sdk 0.3.14 refuses to cancel a task that has ended.
    let alone = || answer(Vec::new(), &[("grpc-status", "9"), ("grpc-message", "it%20is%20over")]);
    let server = Server::start(move |_, _| alone()).await;
    let client = client(&server, Transport::Grpc).await;
    let error = client.cancel("t").await.expect_err("refused");
    assert_eq!((error.kind(), error.message()), (ErrorKind::TaskNotCancelable, "it is over"));
    let error = client.get("t").await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
    // What is named stays as it is.
    let named = Server::start(|_, _| refusal(&Error::unsupported_operation("no"))).await;
    let client = crate::fixture::client(&named, Transport::Grpc).await;
    let error = client.cancel("t").await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
}

#[tokio::test]
async fn what_is_no_answer_of_grpc_is_a_failure_of_the_way() {
    let whole = protobuf::<Task>(&task("t", "WORKING"));
    let two = [whole.clone(), whole.clone()].concat();
    let half = whole[..whole.len() - 1].to_vec();
    let cases: Vec<(Box<dyn Fn() -> Response + Send + Sync>, ErrorKind)> = vec![
        (Box::new(|| status(502, "<html>")), ErrorKind::Unavailable),
        (Box::new(|| status(200, "<html>")), ErrorKind::InvalidAgentResponse),
        (Box::new(move || ok(two.clone())), ErrorKind::InvalidAgentResponse),
        (Box::new(move || ok(half.clone())), ErrorKind::InvalidAgentResponse),
        (Box::new(|| ok(framed(b"\xff"))), ErrorKind::InvalidAgentResponse),
        (Box::new(|| answer(Vec::new(), &[("grpc-status", "0")])), ErrorKind::InvalidAgentResponse),
        (Box::new(move || answer(vec![whole.clone()], &[])), ErrorKind::Unavailable),
        (Box::new(|| answer(Vec::new(), &[("grpc-status", "14")])), ErrorKind::Unavailable),
    ];
    for (number, (make, kind)) in cases.into_iter().enumerate() {
        let server = Server::start(move |_, _| make()).await;
        let error = client(&server, Transport::Grpc).await.get("t").await.expect_err("wrong");
        assert_eq!(error.kind(), kind, "{number}: {error:?}");
        assert!(Failure::of(&error).is_some(), "{number}: {error:?}");
    }
}

#[tokio::test]
async fn a_stream_that_a_closing_server_ends_goes_on_where_it_was() {
    let server = Server::start(|seen, before| {
        let closing = [("grpc-status", "14"), ("last-event-id", "7")];
        match before {
            0 => answer(vec![event(&json!({"task": task("t", "WORKING")}))], &closing),
            1 if seen.header("last-event-id") == Some("7") => {
                let pieces = event(&state_of("t", "COMPLETED"));
                let pieces = pieces.iter().map(|byte| vec![*byte]).collect();
                answer(pieces, &[("grpc-status", "0")])
            }
            _ => status(599, ""),
        }
    })
    .await;
    let stream = client(&server, Transport::Grpc).await.stream("hi").await.expect("opened");
    assert_eq!(states_and_artifacts(stream).await, ["task working", "status completed"]);
    assert_eq!(server.targets()[1], "POST /lf.a2a.v1.A2AService/SubscribeToTask");
}

#[tokio::test]
async fn an_error_within_a_stream_is_its_last_item() {
    let error = Error::internal("the agent fell over");
    let server = Server::start(move |_, _| {
        frames([
            Frame::data(event(&json!({"task": task("t", "WORKING")})).into()),
            Frame::trailers(status_of(&error)),
        ])
    })
    .await;
    let stream = client(&server, Transport::Grpc).await.stream("hi").await.expect("opened");
    let items: Vec<_> = stream.collect().await;
    assert_eq!(items.len(), 2);
    assert_eq!(items[1].as_ref().expect_err("the end").kind(), ErrorKind::Internal);
}

#[tokio::test]
async fn what_came_while_a_stream_was_cut_is_in_the_task_it_begins_anew_with() {
    let served = Served::start().await;
    let wire = Cutter::start(served.handle.local_addr()).await;
    let client = connect(&wire.url(), Transport::Grpc).await;
    let mut stream = client.stream("steps 9").await.expect("opened");
    let (mut known, mut state) = (Vec::new(), None);
    for step in 0..9 {
        served.gate.add_permits(1);
        while known.len() <= step {
            let event = stream.next().await.expect("an item").expect("no error");
            let response = event.response().expect("readable");
            state = response.state().or(state);
            match response {
                StreamResponse::Task(task) => {
                    known = task.artifacts.iter().map(|a| a.name.clone()).collect();
                }
                StreamResponse::ArtifactUpdate(update) => known.push(update.artifact.name.clone()),
                _ => {}
            }
        }
        if step % 3 == 1 {
            wire.cut().await;
        }
    }
    let names: Vec<_> = known.iter().flatten().collect();
    assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    let rest = states_and_artifacts(stream).await;
    // The end may stand in the last of the tasks already.
    let is_told = rest.last().map(String::as_str) == Some("status completed");
    assert!(is_told || state == Some(TaskState::Completed), "{state:?}, {rest:?}");
    assert!(wire.connections() > 3);
}

#[tokio::test]
async fn everything_a_part_can_hold_comes_back_as_it_was() {
    let relay = Server::start(|seen, _| {
        let request: SendMessageRequest = sent(seen);
        ok(framed(&wire::to_protobuf(&SendMessageResponse::Message(request.message))))
    })
    .await;
    let client = client(&relay, Transport::Grpc).await;
    let mut message = Message::user(vec![
        Part::data(json!(null)),
        Part::data(json!(0)),
        Part::data(json!([1, null])),
        Part::raw(&b"\xfb\xff\xfe"[..]),
        Part::text(""),
    ])
    .with_id("m");
    message.metadata = json!({"timestamp": "soon"}).as_object().cloned();
    match client.send(message.clone()).await.expect("sent") {
        SendMessageResponse::Message(back) => assert_eq!(back, message),
        other => panic!("{other:?}"),
    }
    // A Struct has doubles: the loss is documented.
    let large = Message::user(Part::data(json!(9_007_199_254_740_993_u64)));
    match client.send(large).await.expect("sent") {
        SendMessageResponse::Message(back) => {
            assert_eq!(back.parts[0], Part::data(json!(9_007_199_254_740_992_u64)));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_log_shows_messages_as_json_without_secrets() {
    let server = Server::start(|_, _| ok(protobuf::<Task>(&task("t", "WORKING")))).await;
    let heard: Arc<Mutex<Vec<WireEvent>>> = Arc::default();
    let log = heard.clone();
    let builder = builder(&server, Transport::Grpc).bearer("s3cret");
    let builder = builder.wire_log(move |event| log.lock().expect("no panic").push(event));
    builder.connect().await.expect("set up").get("t-1").await.expect("got");
    let heard = heard.lock().expect("no panic");
    let [WireEvent::Request { body, .. }, WireEvent::Answer { .. }, WireEvent::Body { body: back }] =
        &heard[..]
    else {
        panic!("{heard:?}")
    };
    assert_eq!(serde_json::from_str::<Value>(body).expect("JSON"), json!({"id": "t-1"}));
    assert_eq!(serde_json::from_str::<Value>(back).expect("JSON"), task("t", "WORKING"));
    assert!(!format!("{heard:?}").contains("s3cret"));
}

#[tokio::test]
async fn the_interface_of_a_card_is_host_and_port() {
    let served = Served::start().await;
    let client = connect(&served.url(), Transport::Grpc).await;
    assert_eq!(client.url().as_str(), format!("{}/", served.url()));
    let task = task_of(client.send("hello").await.expect("sent"));
    assert_eq!(task.state(), TaskState::Completed);
    let endpoint = served.handle.local_addr().to_string();
    let direct = Client::builder().endpoint(endpoint, Transport::Grpc).connect().await;
    assert_eq!(direct.expect("set up").get(&task.id).await.expect("got").id, task.id);
    let refused = Client::builder().endpoint("unix:/tmp/x", Transport::Grpc).connect().await;
    assert!(matches!(refused, Err(Failure::Setup(_))));
}
