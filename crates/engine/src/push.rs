//! Webhooks: their configs, and the outbox behind them.

mod breaker;
mod courier;

use crate::agent::{Call, encode};
use crate::engine::Inner;
use crate::id::new_id;
use crate::store::{PushRow, TaskKey};
use sabir_types::{
    DeleteTaskPushNotificationConfigRequest, Error, GetTaskPushNotificationConfigRequest,
    ListTaskPushNotificationConfigsRequest, ListTaskPushNotificationConfigsResponse, ProtoMessage,
    TaskId, TaskPushNotificationConfig, Timestamp,
};

/// Webhooks of one task on a page, when the caller asks for no number.
const PAGE: usize = 100;
/// Due deliveries among which those of one task are looked for.
const DUE: usize = 1_024;

impl Inner {
    /// # Errors
    /// `PushNotificationNotSupported` unless the card offers it, before anything is looked up.
    fn check_push(&self) -> Result<(), Error> {
        if self.card.capabilities.push_notifications == Some(true) && self.delivery.is_some() {
            return Ok(());
        }
        Err(Error::push_notification_not_supported())
    }

    /// Checks a webhook and gives it an id.
    pub(crate) async fn new_push(
        &self,
        call: &Call,
        mut config: TaskPushNotificationConfig,
        at: &str,
    ) -> Result<PushRow, Error> {
        self.check_push()?;
        if let Some(path) = config.missing() {
            return Err(Error::invalid_params(
                format!("{at}taskPushNotificationConfig.{path}"),
                "is required",
            ));
        }
        if let Some(delivery) = &self.delivery {
            delivery.check(&config).await?;
        }
        let id = config
            .id
            .take()
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| new_id().as_ref().into());
        config.id = Some(id.clone());
        Ok(PushRow { id: id.into(), config: encode(&config), version: call.version })
    }

    pub(crate) async fn create_push(
        &self,
        call: &Call,
        request: TaskPushNotificationConfig,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.check_push()?;
        let task_id = request.task_id.clone().filter(|id| !id.is_empty());
        let task_id = task_id
            .ok_or_else(|| Error::invalid_params("taskId", "names the task; it is required"))?;
        let key = self.known(call, request.tenant.as_deref(), &task_id).await?;
        let mut config = request;
        config.tenant = None;
        let push = self.new_push(call, config, "").await?;
        let put = self.store.put_push(&key, push.clone(), self.config.pushes).await;
        if !put.map_err(|error| self.store_error(&error))? {
            return Err(Error::invalid_params(
                "taskId",
                format!("the task has {} webhooks, the most it may have", self.config.pushes),
            ));
        }
        shown(&push, &task_id)
    }

    pub(crate) async fn get_push(
        &self,
        call: &Call,
        request: &GetTaskPushNotificationConfigRequest,
    ) -> Result<TaskPushNotificationConfig, Error> {
        self.check_push()?;
        check(request)?;
        let key = self.known(call, request.tenant.as_deref(), &request.task_id).await?;
        let pushes = self.pushes(&key).await?;
        let push = pushes.iter().find(|push| *push.id == *request.id);
        let push = push.ok_or_else(|| {
            Error::task_not_found(&request.task_id)
                .with_message(format!("the task has no webhook {}", request.id))
        })?;
        shown(push, &request.task_id)
    }

    pub(crate) async fn list_pushes(
        &self,
        call: &Call,
        request: &ListTaskPushNotificationConfigsRequest,
    ) -> Result<ListTaskPushNotificationConfigsResponse, Error> {
        self.check_push()?;
        check(request)?;
        let size = match usize::try_from(request.page_size) {
            Ok(0) => PAGE,
            Ok(size) => size.min(PAGE),
            Err(_) => return Err(Error::invalid_params("pageSize", "must be 0 or more")),
        };
        let key = self.known(call, request.tenant.as_deref(), &request.task_id).await?;
        let pushes = self.pushes(&key).await?;
        // The token of a page is the last id on it; ids come in order.
        let after = request.page_token.as_deref().unwrap_or_default();
        let rest: Vec<_> = pushes.iter().filter(|push| &*push.id > after).collect();
        let page = &rest[..size.min(rest.len())];
        let more = rest.len() > page.len();
        Ok(ListTaskPushNotificationConfigsResponse {
            configs: page
                .iter()
                .map(|push| shown(push, &request.task_id))
                .collect::<Result<_, _>>()?,
            next_page_token: page
                .last()
                .filter(|_| more)
                .map_or_else(String::new, |push| push.id.to_string()),
        })
    }

    pub(crate) async fn delete_push(
        &self,
        call: &Call,
        request: &DeleteTaskPushNotificationConfigRequest,
    ) -> Result<(), Error> {
        self.check_push()?;
        check(request)?;
        let key = self.known(call, request.tenant.as_deref(), &request.task_id).await?;
        // Deleting what is gone succeeds (PUSH-05).
        let deleted = self.store.delete_push(&key, &request.id).await;
        deleted.map(drop).map_err(|error| self.store_error(&error))
    }

    /// Waits until no webhook call of the task is due or under way, as long as the configuration
    /// lets an answer wait.
    pub(crate) async fn settle_pushes(&self, key: &TaskKey) {
        let settled = async {
            loop {
                let attempted = self.attempted.notified();
                match self.store.due(&self.name, Timestamp::now(), DUE).await {
                    Ok((rows, _)) if rows.iter().any(|row| row.key == *key) => attempted.await,
                    _ => return,
                }
            }
        };
        // Running out of patience is what the setting is for.
        drop(tokio::time::timeout(self.config.push_settle, settled).await);
    }

    async fn pushes(&self, key: &TaskKey) -> Result<Vec<PushRow>, Error> {
        self.store.pushes(key).await.map_err(|error| self.store_error(&error))
    }

    /// The key of a task the caller may see.
    async fn known(
        &self,
        call: &Call,
        tenant: Option<&str>,
        id: &TaskId,
    ) -> Result<TaskKey, Error> {
        let key = self.key(self.scope(call, tenant), id);
        let record = self.store.load(&key).await.map_err(|error| self.store_error(&error))?;
        match record {
            Some(record) if record.row.visible => Ok(key),
            _ => Err(Error::task_not_found(id)),
        }
    }
}

fn check(request: &impl ProtoMessage) -> Result<(), Error> {
    request.missing().map_or(Ok(()), |path| Err(Error::invalid_params(path, "is required")))
}

/// A webhook as it is shown: what is secret is write-only.
fn shown(push: &PushRow, task_id: &TaskId) -> Result<TaskPushNotificationConfig, Error> {
    let mut config = read(push).map_err(|error| {
        tracing::error!(task = %task_id, %error, "a stored webhook cannot be read");
        Error::internal(format!("webhook {} cannot be read", push.id))
    })?;
    config.task_id = Some(task_id.clone());
    config.token = None;
    if let Some(authentication) = &mut config.authentication {
        authentication.credentials = None;
    }
    Ok(config)
}

fn read(push: &PushRow) -> Result<TaskPushNotificationConfig, serde_json::Error> {
    serde_json::from_slice(&push.config)
}
