//! Webhooks: how they are kept, and what they are told.

use crate::Agents;
use crate::agent::{Agent, to, user};
use crate::events::said;
use a2a_protocol_sdk::prelude::*;
use a2a_protocol_sdk::types::params::ListPushConfigsParams;
use a2a_protocol_sdk::types::push::{AuthenticationInfo, TaskPushNotificationConfig};
use interop_support::{Delivery, Receiver, Why, equal};

pub(crate) async fn configs(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let task = puppet.task(user("ask")).await?;
    let wanted = TaskPushNotificationConfig {
        id: Some("mine".to_owned()),
        task_id: Some(task.id.to_string()),
        ..webhook("http://127.0.0.1:9/hook")
    };
    let kept = puppet.client.set_push_config(wanted.clone()).await?;
    equal(told(&kept), told(&wanted))?;
    let found = puppet.client.get_push_config(task.id.to_string(), "mine").await?;
    equal(told(&found), told(&wanted))?;
    equal(ids(puppet, &task).await?, ["mine"])?;
    puppet.client.delete_push_config(task.id.to_string(), "mine").await?;
    equal(ids(puppet, &task).await?, [""; 0])
}

pub(crate) async fn of_a_new_task(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let receiver = Receiver::start().await?;
    let task = puppet.task_with_webhook(user("ticks 3"), webhook(&receiver.url)).await?;
    delivered(receiver, &task).await
}

pub(crate) async fn of_a_waiting_task(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let receiver = Receiver::start().await?;
    let task = puppet.task(user("ask")).await?;
    let task_id = Some(task.id.to_string());
    let webhook = TaskPushNotificationConfig { task_id, ..webhook(&receiver.url) };
    puppet.client.set_push_config(webhook).await?;
    puppet.task(to(&task, "ticks 3")).await?;
    delivered(receiver, &task).await
}

/// What `ticks 3` tells a webhook: events of the one task, with its secrets, in their order.
async fn delivered(mut receiver: Receiver, task: &Task) -> Result<(), Why> {
    let deliveries = receiver.until(ends_the_task).await?;
    let mut ticks = Vec::new();
    for delivery in deliveries {
        equal(delivery.header("authorization"), "Bearer a credential")?;
        equal(delivery.header("x-a2a-notification-token"), "a token")?;
        let (id, status) = match serde_json::from_value(delivery.body)? {
            StreamResponse::Task(task) => (task.id, Some(task.status)),
            StreamResponse::StatusUpdate(update) => (update.task_id, Some(update.status)),
            StreamResponse::ArtifactUpdate(update) => (update.task_id, None),
            other => return Err(format!("{other:?}, of a task").into()),
        };
        equal(&id, &task.id)?;
        ticks.extend(status.map(|status| said(&status)).filter(|said| said.contains('/')));
    }
    equal(ticks, ["1/3", "2/3", "3/3"])
}

fn ends_the_task(delivery: &Delivery) -> bool {
    match serde_json::from_value(delivery.body.clone()) {
        Ok(StreamResponse::Task(task)) => task.status.state.is_terminal(),
        Ok(StreamResponse::StatusUpdate(update)) => update.status.state.is_terminal(),
        _ => false,
    }
}

fn webhook(url: &str) -> TaskPushNotificationConfig {
    TaskPushNotificationConfig {
        tenant: None,
        id: None,
        task_id: None,
        url: url.to_owned(),
        token: Some("a token".to_owned()),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".to_owned(),
            credentials: Some("a credential".to_owned()),
        }),
    }
}

/// What an agent tells of a push config; it may keep the credentials to itself.
fn told(config: &TaskPushNotificationConfig) -> [Option<&str>; 4] {
    let scheme = config.authentication.as_ref().map(|how| how.scheme.as_str());
    [config.task_id.as_deref(), config.id.as_deref(), Some(&config.url), scheme]
}

async fn ids(agent: &Agent, task: &Task) -> Result<Vec<String>, Why> {
    let params = ListPushConfigsParams {
        task_id: task.id.to_string(),
        page_size: None,
        page_token: None,
        tenant: None,
    };
    let listed = agent.client.list_push_configs(params).await?;
    Ok(listed.configs.into_iter().filter_map(|config| config.id).collect())
}
