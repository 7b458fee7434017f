use crate::support::{Player, card, kind, request, say};
use parking_lot::Mutex;
use sabir_engine::{
    Agent, Call, Delivery, DeliveryError, Engine, EngineConfig, Parcel, async_trait,
};
use sabir_types::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, Error, ErrorKind,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    SendMessageConfiguration, SendMessageResponse, StreamResponse, TaskId,
    TaskPushNotificationConfig, Version,
};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Answers as scripted and notes what it was given.
#[derive(Clone, Default)]
struct Receiver {
    got: Arc<Mutex<Vec<(String, String, u64)>>>,
    answers: Arc<Mutex<VecDeque<DeliveryError>>>,
    called: Arc<Notify>,
}

#[async_trait]
impl Delivery for Receiver {
    async fn check(&self, config: &TaskPushNotificationConfig) -> Result<(), Error> {
        if config.url.starts_with("https://") {
            return Ok(());
        }
        Err(Error::invalid_params("url", "must be https"))
    }

    async fn deliver(
        &self,
        config: &TaskPushNotificationConfig,
        event: Parcel,
    ) -> Result<(), DeliveryError> {
        let credentials = config.authentication.as_ref().and_then(|a| a.credentials.clone());
        let response: StreamResponse = serde_json::from_slice(&event.body).unwrap();
        let said = match response {
            StreamResponse::StatusUpdate(update) => update.status.state.short_name().to_owned(),
            StreamResponse::ArtifactUpdate(_) => "artifact".to_owned(),
            StreamResponse::Task(task) => {
                format!("task {} {}", task.state().short_name(), task.artifacts.len())
            }
            other => format!("{other:?}"),
        };
        assert_eq!(event.version == Version::V0_3, said.starts_with("task"));
        self.got.lock().push((credentials.unwrap_or_default(), said, event.seq));
        self.called.notify_one();
        self.answers.lock().pop_front().map_or(Ok(()), Err)
    }
}

impl Receiver {
    async fn until(&self, count: usize) -> Vec<String> {
        while self.got.lock().len() < count {
            self.called.notified().await;
        }
        self.got.lock().iter().map(|(_, said, _)| said.clone()).collect()
    }
}

async fn engine(receiver: &Receiver) -> Engine {
    engine_with(receiver, EngineConfig::default()).await
}

async fn engine_with(receiver: &Receiver, config: EngineConfig) -> Engine {
    let player =
        Player::default().on("ask", |turn| async move { Ok(turn.input_required("which?").await?) });
    let delivery = Arc::new(receiver.clone());
    Engine::builder(card(), player).delivery(delivery).config(config).start().await.unwrap()
}

fn hook(id: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        id: Some(id.to_owned()).filter(|id| !id.is_empty()),
        url: "https://example.com/hook".into(),
        token: Some("t0ken".into()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: Some("s3cret".into()),
        }),
        ..TaskPushNotificationConfig::default()
    }
}

async fn with_hook(engine: &Engine, text: &str) -> TaskId {
    with_hook_of(Version::V1_0, engine, text).await
}

async fn with_hook_of(version: Version, engine: &Engine, text: &str) -> TaskId {
    let call = Call { version, ..Call::default() };
    let mut request = request(text);
    request.configuration = Some(SendMessageConfiguration {
        task_push_notification_config: Some(hook("")),
        ..Default::default()
    });
    match engine.send_message(&call, request).await.unwrap().value {
        SendMessageResponse::Task(task) => task.id,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_of_0_3_gets_the_task_as_of_each_status_and_each_whole_artifact() {
    let receiver = Receiver::default();
    let engine = engine(&receiver).await;
    with_hook_of(Version::V0_3, &engine, "x").await;
    let told = ["task working 0", "task working 1", "task completed 1"];
    assert_eq!(receiver.until(3).await, told);
    with_hook(&engine, "x").await;
    assert_eq!(receiver.until(6).await[3..], ["working", "artifact", "completed"]);
}

#[tokio::test(start_paused = true)]
async fn every_event_is_delivered_in_order_with_the_callers_credentials() {
    let receiver = Receiver::default();
    let engine = engine(&receiver).await;
    with_hook(&engine, "x").await;
    assert_eq!(receiver.until(3).await, ["working", "artifact", "completed"]);
    assert!(receiver.got.lock().iter().all(|(credentials, ..)| credentials == "s3cret"));
    let seqs: Vec<_> = receiver.got.lock().iter().map(|(.., seq)| *seq).collect();
    assert!(seqs.is_sorted_by(|a, b| a < b));
}

#[tokio::test(start_paused = true)]
async fn an_answer_waits_for_deliveries_under_way_where_it_is_told_to_and_not_for_retries() {
    let receiver = Receiver::default();
    let config = EngineConfig { push_settle: Duration::from_secs(60), ..EngineConfig::default() };
    let engine = engine_with(&receiver, config).await;
    with_hook(&engine, "x").await;
    assert_eq!(receiver.got.lock().len(), 3);
    let later = DeliveryError::Later { reason: "503".into(), retry_after: None };
    receiver.answers.lock().push_back(later);
    with_hook(&engine, "x").await;
    assert_eq!(receiver.got.lock().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_cannot_now_gets_the_event_again_before_the_next_one() {
    let receiver = Receiver::default();
    let later = || DeliveryError::Later { reason: "503".into(), retry_after: None };
    receiver.answers.lock().extend([later(), later()]);
    let engine = engine(&receiver).await;
    with_hook(&engine, "x").await;
    assert_eq!(receiver.until(5).await, ["working", "working", "working", "artifact", "completed"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_refused_for_good_does_not_hold_up_the_others() {
    let receiver = Receiver::default();
    receiver.answers.lock().push_back(DeliveryError::Refused { reason: "404".into() });
    let engine = engine(&receiver).await;
    with_hook(&engine, "x").await;
    assert_eq!(receiver.until(3).await, ["working", "artifact", "completed"]);
    tokio::time::sleep(Duration::from_secs(7_200)).await;
    assert_eq!(receiver.got.lock().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn configs_are_kept_without_showing_their_secrets() {
    let engine = engine(&Receiver::default()).await;
    let call = Call::default();
    let task = say(&engine, "x").await;
    let config = TaskPushNotificationConfig { task_id: Some(task.id.clone()), ..hook("mine") };
    let made = engine.create_task_push_notification_config(&call, config).await.unwrap();
    assert_eq!(made.id.as_deref(), Some("mine"));
    let get = GetTaskPushNotificationConfigRequest {
        task_id: task.id.clone(),
        id: "mine".into(),
        tenant: None,
    };
    let got = engine.get_task_push_notification_config(&call, get.clone()).await.unwrap();
    assert_eq!(got.url, "https://example.com/hook");
    assert_eq!((got.token, got.authentication.unwrap().credentials), (None, None));
    let list = ListTaskPushNotificationConfigsRequest {
        task_id: task.id.clone(),
        ..ListTaskPushNotificationConfigsRequest::default()
    };
    let listed = engine.list_task_push_notification_configs(&call, list.clone()).await.unwrap();
    assert_eq!(listed.configs.len(), 1);
    let delete = DeleteTaskPushNotificationConfigRequest {
        task_id: task.id.clone(),
        id: "mine".into(),
        tenant: None,
    };
    for _ in 0..2 {
        engine.delete_task_push_notification_config(&call, delete.clone()).await.unwrap();
    }
    let gone = engine.get_task_push_notification_config(&call, get).await;
    assert_eq!(kind(gone), ErrorKind::TaskNotFound);
}

#[tokio::test]
async fn there_is_a_limit_per_task_and_bad_addresses_are_refused_by_field() {
    let engine = engine(&Receiver::default()).await;
    let call = Call::default();
    let task = say(&engine, "ask").await;
    let with = |hook| TaskPushNotificationConfig { task_id: Some(task.id.clone()), ..hook };
    for _ in 0..100 {
        engine.create_task_push_notification_config(&call, with(hook(""))).await.unwrap();
    }
    let more = engine.create_task_push_notification_config(&call, with(hook(""))).await;
    assert_eq!(kind(more), ErrorKind::InvalidParams);
    let mut bad = request("x");
    bad.configuration = Some(SendMessageConfiguration {
        task_push_notification_config: Some(TaskPushNotificationConfig {
            url: "http://127.0.0.1/".into(),
            ..hook("")
        }),
        ..Default::default()
    });
    let refused = crate::support::send(&engine, bad).await.unwrap_err();
    assert_eq!(refused.violations()[0].field, "url");
}
