//! One line on stderr for each call: which operation, and how it went.

use async_trait::async_trait;
use sabir_engine::{Agent, Answer, Call, EventStream};
use sabir_types::{
    AgentCard, CancelTaskRequest, DeleteTaskPushNotificationConfigRequest, Error,
    GetExtendedAgentCardRequest, GetTaskPushNotificationConfigRequest, GetTaskRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse,
    ListTasksRequest, ListTasksResponse, Operation, SendMessageRequest, SendMessageResponse,
    SubscribeToTaskRequest, Task, TaskPushNotificationConfig,
};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Lines that may wait to be written; what comes when they do is only counted.
const WAITING: usize = 4096;

/// How a call went.
type Line = (Operation, Option<&'static str>);

/// Writes the lines on a thread of its own: no call waits for stderr.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    lines: SyncSender<Line>,
    missed: Arc<AtomicU64>,
}

impl Traffic {
    /// Starts the thread; it ends with the last agent that is watched.
    pub(crate) fn start() -> Self {
        let (lines, waiting) = sync_channel(WAITING);
        let missed = Arc::new(AtomicU64::new(0));
        let counted = missed.clone();
        std::thread::spawn(move || write_all(&waiting, &counted));
        Self { lines, missed }
    }

    /// The same agent, watched.
    pub(crate) fn watch(&self, agent: Arc<dyn Agent>) -> Watched {
        Watched { agent, traffic: self.clone() }
    }

    fn note<T>(&self, operation: Operation, outcome: Result<T, Error>) -> Result<T, Error> {
        let reason = outcome.as_ref().err().map(|error| error.kind().reason());
        if self.lines.try_send((operation, reason)).is_err() {
            self.missed.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }
}

/// Writes lines as they come, as many at once as wait.
fn write_all(waiting: &Receiver<Line>, missed: &AtomicU64) {
    let mut text = String::new();
    while let Ok(first) = waiting.recv() {
        text.clear();
        for (operation, reason) in std::iter::once(first).chain(waiting.try_iter().take(WAITING)) {
            text.push_str(operation.name());
            match reason {
                None => text.push_str(" → ok\n"),
                Some(reason) => {
                    text.push_str(" → error ");
                    text.push_str(reason);
                    text.push('\n');
                }
            }
        }
        match missed.swap(0, Ordering::Relaxed) {
            0 => {}
            missed => text.push_str(&format!("({missed} more calls)\n")),
        }
        // If stderr is gone there is nobody to tell.
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// An agent whose calls are noted.
pub(crate) struct Watched {
    agent: Arc<dyn Agent>,
    traffic: Traffic,
}

macro_rules! watched {
    ($($method:ident($request:ty) -> $answer:ty = $operation:ident;)*) => {
        #[async_trait]
        impl Agent for Watched {
            $(async fn $method(&self, call: &Call, request: $request) -> Result<$answer, Error> {
                let outcome = self.agent.$method(call, request).await;
                self.traffic.note(Operation::$operation, outcome)
            })*
        }
    };
}

watched! {
    send_message(SendMessageRequest) -> Answer<SendMessageResponse> = SendMessage;
    send_streaming_message(SendMessageRequest) -> Answer<EventStream> = SendStreamingMessage;
    get_task(GetTaskRequest) -> Task = GetTask;
    list_tasks(ListTasksRequest) -> ListTasksResponse = ListTasks;
    cancel_task(CancelTaskRequest) -> Task = CancelTask;
    subscribe_to_task(SubscribeToTaskRequest) -> EventStream = SubscribeToTask;
    create_task_push_notification_config(TaskPushNotificationConfig) -> TaskPushNotificationConfig
        = CreateTaskPushNotificationConfig;
    get_task_push_notification_config(GetTaskPushNotificationConfigRequest)
        -> TaskPushNotificationConfig = GetTaskPushNotificationConfig;
    list_task_push_notification_configs(ListTaskPushNotificationConfigsRequest)
        -> ListTaskPushNotificationConfigsResponse = ListTaskPushNotificationConfigs;
    delete_task_push_notification_config(DeleteTaskPushNotificationConfigRequest) -> ()
        = DeleteTaskPushNotificationConfig;
    get_extended_agent_card(GetExtendedAgentCardRequest) -> AgentCard = GetExtendedAgentCard;
}
