//! Makes a client of what flags, environment and files say about the agent.

mod place;
mod wire;

use crate::command::Call;
use crate::failure::{Failure, Kind};
use place::Place;
use sabir_client::{Client, ClientBuilder, FoundCard};
use sabir_engine::{Agent, EventStream};
use sabir_types::{
    CancelTaskRequest, Error, GetTaskRequest, ListTasksRequest, ListTasksResponse,
    SendMessageRequest, SendMessageResponse, SubscribeToTaskRequest, Task, Version,
};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// An agent to call, and how long that may take.
#[derive(Debug)]
pub(crate) struct Connection {
    client: Client,
    call: sabir_engine::Call,
    credentials: bool,
    limit: Option<Limit>,
}

/// When the time is over, and how much there was.
#[derive(Clone, Copy, Debug)]
struct Limit {
    until: Instant,
    time: Duration,
}

/// Finds the agent's card.
pub(crate) async fn find_card(call: &Call) -> Result<Arc<FoundCard>, Failure> {
    let Place::Card(reference) = place::place(call)? else {
        return Err(Failure::usage("an endpoint has no card: give the agent by --agent-card"));
    };
    let limit = limit(call)?;
    let found = in_time(limit, builder(call)?.card(reference).find_card()).await?;
    found.map_err(|failure| Failure::of_card(&failure))
}

/// Finds the agent and chooses how to talk to it.
pub(crate) async fn connect(call: &Call) -> Result<Connection, Failure> {
    let limit = limit(call)?;
    let builder = match place::place(call)? {
        Place::Endpoint(url, transport) => builder(call)?.endpoint(url, transport),
        Place::Card(_) => builder(call)?.found_card(find_card(call).await?),
    };
    let client = in_time(limit, builder.connect()).await?;
    let client = client.map_err(|failure| Failure::of_client(&failure))?;
    call.out.detail(|| format!("calling {} by {}", client.url(), client.transport()));
    let credentials = has_credentials(call);
    warn(call, &client, credentials)?;
    Ok(Connection { client, call: sabir_engine::Call::default(), credentials, limit })
}

/// The time between two looks at a task.
pub(crate) fn poll_interval(call: &Call) -> Result<Duration, Failure> {
    let interval = call.config.span("poll-interval")?.unwrap_or(Duration::from_secs(2));
    if interval.is_zero() {
        return Err(call.config.wrong("poll-interval", "must be more than nothing"));
    }
    Ok(interval)
}

fn limit(call: &Call) -> Result<Option<Limit>, Failure> {
    let time = call.config.span("timeout")?;
    Ok(time.map(|time| Limit { until: call.since + time, time }))
}

async fn in_time<T>(limit: Option<Limit>, work: impl Future<Output = T>) -> Result<T, Failure> {
    let Some(Limit { until, time }) = limit else { return Ok(work.await) };
    tokio::time::timeout_at(until, work).await.map_err(|_| {
        Failure::new(Kind::Timeout, format!("timed out after {time:?}"))
            .hint("give a longer --timeout, or start the task with --async and follow it later")
    })
}

/// Everything but where the agent is.
fn builder(call: &Call) -> Result<ClientBuilder, Failure> {
    let config = &call.config;
    // An older version only where it was asked for.
    let version = match config.get("a2a-version") {
        None | Some("1.0") => Version::V1_0,
        Some("0.3") => Version::V0_3,
        Some(_) => return Err(config.wrong("a2a-version", "must be `1.0` or `0.3`")),
    };
    let mut builder = Client::builder().version(version).insecure(config.is_on("insecure")?);
    for transport in place::transports(call)? {
        builder = builder.transport(transport);
    }
    for parameter in config.all("svc-param") {
        let (name, value) = parameter
            .split_once([':', '='])
            .ok_or_else(|| config.wrong("svc-param", "must be NAME=VALUE"))?;
        builder = builder.parameter(name.trim(), value.trim());
    }
    builder = match (config.get("auth"), config.get("bearer")) {
        (Some(_), Some(_)) => return Err(Failure::usage("give only one of --auth and --bearer")),
        (Some(value), None) => builder.authorization(value),
        (None, Some(token)) => builder.bearer(token),
        (None, None) => builder,
    };
    if let Some(key) = config.get("api-key") {
        builder = builder.api_key(key);
    }
    if let Some(tenant) = config.get("tenant") {
        builder = builder.tenant(tenant);
    }
    if let Some(time) = config.span("timeout")? {
        builder = builder.timeout(time);
    }
    if config.is_on("debug")? {
        builder = builder.wire_log(|event| wire::show(&event));
    }
    Ok(builder)
}

fn has_credentials(call: &Call) -> bool {
    ["auth", "bearer", "api-key"].into_iter().any(|key| call.config.get(key).is_some())
}

/// Warns of what others on the way can do.
fn warn(call: &Call, client: &Client, credentials: bool) -> Result<(), Failure> {
    let url = client.url();
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if call.config.is_on("insecure")? {
        call.out.warning(if credentials {
            "--insecure: the certificate is not verified, and your credentials are sent: whoever is \
             on the way can take them"
        } else {
            "--insecure: the certificate is not verified: whoever is on the way can read and \
             change everything"
        });
    } else if credentials && url.scheme() == "http" && !local {
        call.out.warning("your credentials are sent without encryption");
    }
    Ok(())
}

impl Connection {
    /// Whether the agent says that it streams; without a card it is taken at its word.
    pub(crate) fn streams(&self) -> bool {
        self.client.card().is_none_or(|card| card.capabilities.streaming == Some(true))
    }

    /// Does something within the time that there is.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        in_time(self.limit, work).await
    }

    /// What an operation failed with, as a failure of the command.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        Failure::of(error, self.credentials)
    }

    pub(crate) async fn send(
        &self,
        request: SendMessageRequest,
    ) -> Result<SendMessageResponse, Failure> {
        let answer = self.client.send_message(&self.call, request).await;
        answer.map(|answer| answer.value).map_err(|error| self.failure(&error))
    }

    pub(crate) async fn stream(&self, request: SendMessageRequest) -> Result<EventStream, Failure> {
        let answer = self.client.send_streaming_message(&self.call, request).await;
        answer.map(|answer| answer.value).map_err(|error| self.failure(&error))
    }

    pub(crate) async fn get_task(&self, request: GetTaskRequest) -> Result<Task, Failure> {
        let answer = self.client.get_task(&self.call, request).await;
        answer.map_err(|error| self.failure(&error))
    }

    pub(crate) async fn list_tasks(
        &self,
        request: ListTasksRequest,
    ) -> Result<ListTasksResponse, Failure> {
        let answer = self.client.list_tasks(&self.call, request).await;
        answer.map_err(|error| self.failure(&error))
    }

    pub(crate) async fn cancel_task(&self, request: CancelTaskRequest) -> Result<Task, Failure> {
        let answer = self.client.cancel_task(&self.call, request).await;
        answer.map_err(|error| self.failure(&error))
    }

    pub(crate) async fn subscribe(
        &self,
        request: SubscribeToTaskRequest,
    ) -> Result<EventStream, Failure> {
        let answer = self.client.subscribe_to_task(&self.call, request).await;
        answer.map_err(|error| self.failure(&error))
    }
}
