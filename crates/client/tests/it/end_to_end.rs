//! The client against the workspace's own server, and as an agent behind it.

use crate::fixture::{QUICK, Server as Receiver, TEXTUAL, status};
use async_trait::async_trait;
use futures_util::StreamExt;
use sabir_bindings::{Routes, Server, ServerConfig, ServerHandle};
use sabir_client::{Client, Failure, Guard, GuardConfig, Transport, Webhooks};
use sabir_engine::{Agent, Engine, EventStream, Executor, ExecutorError, Turn};
use sabir_types::{
    AgentCapabilities, AgentCard, Artifact, ErrorKind, SendMessageResponse, StreamResponse, Task,
    TaskPushNotificationConfig, TaskState,
};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Asks back at `ask`; at `steps N` works N steps, each when the test lets it.
struct Puppet {
    gate: Arc<Semaphore>,
}

#[async_trait]
impl Executor for Puppet {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        let text = turn.text();
        match text.split_once(' ').unwrap_or((&text, "")) {
            ("ask", _) => turn.input_required("how many?").await?,
            ("steps", steps) => {
                for step in 0..steps.parse::<usize>()? {
                    self.gate.acquire().await?.forget();
                    turn.artifact(Artifact::new(step.to_string()).text("x")).await?;
                }
                turn.completed(()).await?;
            }
            _ => turn.completed(format!("you said {text}")).await?,
        }
        Ok(())
    }
}

/// A served puppet.
pub(crate) struct Served {
    pub(crate) handle: ServerHandle,
    pub(crate) gate: Arc<Semaphore>,
}

impl Served {
    pub(crate) async fn start() -> Self {
        Self::with(ServerConfig::default()).await
    }

    pub(crate) async fn with(config: ServerConfig) -> Self {
        let capabilities = AgentCapabilities {
            streaming: Some(true),
            push_notifications: Some(true),
            ..AgentCapabilities::default()
        };
        let card = AgentCard::new("Puppet", "Does as it is told.").with_capabilities(capabilities);
        let gate = Arc::new(Semaphore::new(0));
        let guard = GuardConfig { allow_loopback: true, ..GuardConfig::default() };
        let engine = Engine::builder(card.clone(), Puppet { gate: gate.clone() })
            .delivery(Arc::new(Webhooks::new(Guard::new(guard).expect("TLS"))))
            .start()
            .await
            .expect("started");
        Self { handle: serve_with(config, Arc::new(engine), card).await, gate }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.handle.local_addr())
    }
}

async fn serve(agent: Arc<dyn Agent>, card: AgentCard) -> ServerHandle {
    serve_with(ServerConfig::default(), agent, card).await
}

async fn serve_with(config: ServerConfig, agent: Arc<dyn Agent>, card: AgentCard) -> ServerHandle {
    let server = Server::new().config(config).default_agent(Routes::new(agent, card));
    server.listen("127.0.0.1:0").await.expect("listens")
}

pub(crate) async fn connect(url: &str, transport: Transport) -> Client {
    let builder = Client::builder().card(url).transport(transport);
    let client = builder.retry(QUICK).resubscribe(QUICK).connect().await.expect("connected");
    assert_eq!(client.transport(), transport);
    client
}

pub(crate) fn task_of(answer: SendMessageResponse) -> Task {
    match answer {
        SendMessageResponse::Task(task) => task,
        other => panic!("a task was expected: {other:?}"),
    }
}

pub(crate) async fn states_and_artifacts(stream: EventStream) -> Vec<String> {
    let items = stream.map(|item| match item.expect("no error").response().expect("readable") {
        StreamResponse::Task(task) => format!("task {}", task.state()),
        StreamResponse::StatusUpdate(update) => format!("status {}", update.status.state),
        StreamResponse::ArtifactUpdate(update) => {
            format!("artifact {}", update.artifact.name.clone().unwrap_or_default())
        }
        other => format!("{other:?}"),
    });
    items.collect().await
}

#[tokio::test]
async fn a_conversation_over_every_transport() {
    let served = Served::start().await;
    for transport in Transport::ALL {
        let client = connect(&served.url(), transport).await;
        let asked = task_of(client.send("ask").await.expect("sent"));
        assert_eq!(asked.state(), TaskState::InputRequired);
        let handle = client.task(&asked.id);
        let done = task_of(handle.reply("80").await.expect("sent"));
        assert_eq!((&done.id, done.state()), (&asked.id, TaskState::Completed));
        let got = handle.get().await.expect("got");
        assert_eq!(got.status.message.expect("one").text(), "you said 80");
        let error = handle.reply("more").await.expect_err("it is over");
        assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
        let error = handle.cancel().await.expect_err("it is over");
        assert_eq!(error.kind(), ErrorKind::TaskNotCancelable);
        let error = client.get("nothing").await.expect_err("unknown");
        assert_eq!(error.kind(), ErrorKind::TaskNotFound);
        assert_eq!(Failure::of(&error), None);
        let error = handle.follow().await.map(drop).expect_err("it is over");
        assert_eq!(error.kind(), ErrorKind::UnsupportedOperation);
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_again_and_again_has_every_event_once() {
    for transport in TEXTUAL {
        let served = Served::start().await;
        let wire = Cutter::start(served.handle.local_addr()).await;
        let client = connect(&wire.url(), transport).await;
        let mut stream = client.stream("steps 9").await.expect("opened");
        let first = stream.next().await.expect("an item").expect("the task");
        assert!(matches!(first.response(), Ok(StreamResponse::Task(_))));
        let mut got = Vec::new();
        for step in 0..9 {
            served.gate.add_permits(1);
            while got.len() <= step {
                let event = stream.next().await.expect("an item").expect("no error");
                if let Ok(StreamResponse::ArtifactUpdate(update)) = event.response() {
                    got.push((event.seq, update.artifact.name.clone().expect("named")));
                }
            }
            if step % 3 == 1 {
                wire.cut().await;
            }
        }
        let rest = states_and_artifacts(stream).await;
        assert_eq!(rest.last().map(String::as_str), Some("status completed"), "{rest:?}");
        let names: Vec<_> = got.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
        assert!(got.is_sorted_by(|a, b| a.0 < b.0), "{got:?}");
        assert!(wire.connections() > 3);
    }
}

#[tokio::test]
async fn a_stream_that_was_cut_before_the_end_is_completed_after_it() {
    let served = Served::start().await;
    let wire = Cutter::start(served.handle.local_addr()).await;
    let client = connect(&wire.url(), Transport::HttpJson).await;
    let mut stream = client.stream("steps 2").await.expect("opened");
    let first = stream.next().await.expect("an item").expect("the task");
    let id = first.response().expect("readable").task_id().expect("named").clone();
    wire.cut().await;
    served.gate.add_permits(2);
    let direct = connect(&served.url(), Transport::JsonRpc).await;
    while direct.get(&id).await.expect("got").state() != TaskState::Completed {
        tokio::task::yield_now().await;
    }
    let rest = states_and_artifacts(stream).await;
    // The task as it was may be told once more: only that was heard of it.
    let rest: Vec<_> = rest.iter().filter(|item| !item.contains("submitted")).collect();
    assert_eq!(rest, ["artifact 0", "artifact 1", "status completed"]);
}

#[tokio::test]
async fn a_remote_agent_is_served_like_a_local_one() {
    let served = Served::start().await;
    let near = connect(&served.url(), Transport::JsonRpc).await;
    let card = near.card().expect("has one").card().clone();
    let relay = serve(Arc::new(near), card).await;
    for transport in Transport::ALL {
        let client = connect(&format!("http://{}", relay.local_addr()), transport).await;
        let asked = task_of(client.send("ask").await.expect("sent"));
        let done = task_of(client.task(&asked.id).reply("80").await.expect("sent"));
        assert_eq!(done.state(), TaskState::Completed);
        let error = client.get("nothing").await.expect_err("unknown");
        assert_eq!(error.kind(), ErrorKind::TaskNotFound);
        served.gate.add_permits(2);
        let items = states_and_artifacts(client.stream("steps 2").await.expect("opened")).await;
        assert_eq!(items.last().map(String::as_str), Some("status completed"), "{items:?}");
        assert!(items.contains(&"artifact 1".to_owned()), "{items:?}");
    }
}

#[tokio::test]
async fn the_engine_delivers_to_a_webhook_in_order() {
    let served = Served::start().await;
    let (heard, mut hears) = tokio::sync::mpsc::unbounded_channel();
    let receiver = Receiver::start(move |seen, _| {
        let _ = heard.send(seen.clone());
        status(200, "")
    })
    .await;
    let client = connect(&served.url(), Transport::HttpJson).await;
    let push = TaskPushNotificationConfig {
        url: receiver.url("/hook"),
        token: Some("n0tify".into()),
        ..TaskPushNotificationConfig::default()
    };
    let mut request = sabir_types::SendMessageRequest::new(sabir_types::Message::user("steps 3"));
    request.configuration.get_or_insert_default().task_push_notification_config = Some(push);
    served.gate.add_permits(3);
    let task = task_of(client.send(request).await.expect("sent"));
    assert_eq!(task.state(), TaskState::Completed);
    let mut seqs = Vec::new();
    loop {
        let seen = hears.recv().await.expect("the receiver lives");
        assert_eq!(seen.header("x-a2a-notification-token"), Some("n0tify"));
        seqs.push(seen.header("sabir-event-seq").expect("sent").parse::<u64>().expect("number"));
        if seen.json()["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED" {
            break;
        }
    }
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
    let inside = TaskPushNotificationConfig {
        task_id: Some(task.id.clone()),
        url: "http://10.0.0.1/".into(),
        ..TaskPushNotificationConfig::default()
    };
    let call = sabir_engine::Call::default();
    let error = client.create_task_push_notification_config(&call, inside).await;
    assert_eq!(error.expect_err("refused").kind(), ErrorKind::InvalidParams);
}

/// Carries bytes to a server, and cuts what it carries when told.
pub(crate) struct Cutter {
    addr: SocketAddr,
    carried: Arc<tokio::sync::Mutex<JoinSet<()>>>,
    count: Arc<std::sync::atomic::AtomicUsize>,
}

impl Cutter {
    pub(crate) async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("bound");
        let this = Self { addr, carried: Arc::default(), count: Arc::default() };
        let (carried, count) = (this.carried.clone(), this.count.clone());
        tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                carried.lock().await.spawn(async move {
                    let mut far = TcpStream::connect(server).await.expect("the server lives");
                    let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
        this
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Cuts every connection there is.
    pub(crate) async fn cut(&self) {
        self.carried.lock().await.shutdown().await;
    }

    pub(crate) fn connections(&self) -> usize {
        self.count.load(std::sync::atomic::Ordering::Relaxed)
    }
}
