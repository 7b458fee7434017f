//! Reads tasks: one, a page, or as they were.

use crate::agent::Call;
use crate::engine::Inner;
use crate::fold::{Folded, view};
use crate::log::LogEntry;
use crate::page::PageToken;
use crate::store::{Scope, TaskFilter, TaskKey, TaskRecord};
use crate::turn::TurnCore;
use sabir_types::{
    Error, GetTaskRequest, ListTasksRequest, ListTasksResponse, ProtoMessage, Task, TaskId,
    TaskState,
};
use tokio::time::Instant;

/// Entries read from a store at a time.
pub(crate) const PAGE: usize = 256;
/// Earlier tasks of a context an executor is shown.
const EARLIER: usize = 100;

impl Inner {
    pub(crate) async fn get_task(
        &self,
        call: &Call,
        request: &GetTaskRequest,
    ) -> Result<Task, Error> {
        if let Some(path) = request.missing() {
            return Err(Error::invalid_params(path, "is required"));
        }
        let history = self.history_length(request.history_length, "")?;
        let key = self.key(self.scope(call, request.tenant.as_deref()), &request.id);
        let task = self.task_view(&key, history, true).await?;
        task.ok_or_else(|| Error::task_not_found(&request.id))
    }

    /// A visible task, from memory where it is live.
    pub(crate) async fn task_view(
        &self,
        key: &TaskKey,
        history: usize,
        artifacts: bool,
    ) -> Result<Option<Task>, Error> {
        if let Some(live) = self.registry.get(key).filter(|live| live.loaded.get() == Some(&true)) {
            let mut state = live.lock();
            state.read_at = Some(Instant::now());
            let visible = state.visible;
            return Ok(visible.then(|| view(&state.folded.task, history, artifacts)));
        }
        let record = self.store.load(key).await.map_err(|error| self.store_error(&error))?;
        let Some(record) = record.filter(|record| record.row.visible) else { return Ok(None) };
        let (folded, _) = self.fold_record(key, &record).await?;
        Ok(Some(view(&folded.task, history, artifacts)))
    }

    /// A task as of a sequence; as it is where its entries are not kept, `None` where it is gone.
    pub(crate) async fn task_as_of(&self, key: &TaskKey, seq: u64) -> Result<Option<Task>, Error> {
        match self.fold_until(key, |entry| entry.seq >= seq).await? {
            Some((folded, _)) => Ok(Some(view(&folded.task, self.config.history, true))),
            None => self.task_view(key, self.config.history, true).await,
        }
    }

    pub(crate) async fn list_tasks(
        &self,
        call: &Call,
        request: &ListTasksRequest,
    ) -> Result<ListTasksResponse, Error> {
        let size = match request.page_size {
            None => 50,
            Some(size @ 1..=100) => size,
            Some(_) => return Err(Error::invalid_params("pageSize", "must be from 1 to 100")),
        };
        let history = self.history_length(request.history_length, "")?;
        let scope = self.scope(call, request.tenant.as_deref());
        let filter = TaskFilter {
            context_id: request.context_id.clone().filter(|id| !id.is_empty()),
            state: Some(request.status).filter(|state| *state != TaskState::Unspecified),
            since: request.status_timestamp_after,
        };
        let after = match request.page_token.as_deref().filter(|token| !token.is_empty()) {
            Some(token) => Some(PageToken::read(token, &filter)?),
            None => None,
        };
        // One more than asked for tells whether there is a next page.
        let limit = usize::try_from(size).unwrap_or(1);
        let page = self.store.list(&scope, &filter, after.as_ref(), limit + 1).await;
        let page = page.map_err(|error| self.store_error(&error))?;
        let artifacts = request.include_artifacts.unwrap_or(false);
        let mut tasks = Vec::with_capacity(limit.min(page.tasks.len()));
        for (id, _) in page.tasks.iter().take(limit) {
            tasks.extend(self.task_view(&self.key(scope.clone(), id), history, artifacts).await?);
        }
        let next = (page.tasks.len() > limit).then(|| page.tasks.get(limit - 1)).flatten();
        Ok(ListTasksResponse {
            tasks,
            next_page_token: next.map_or_else(String::new, |last| PageToken::write(last, &filter)),
            page_size: size,
            total_size: i32::try_from(page.total).unwrap_or(i32::MAX),
        })
    }

    /// The fold of everything a record stands for, and the sequence it reaches.
    pub(crate) async fn fold_record(
        &self,
        key: &TaskKey,
        record: &TaskRecord,
    ) -> Result<(Folded, u64), Error> {
        let (mut folded, mut head) = match &record.snapshot {
            Some((seq, bytes)) => {
                (Folded::from_snapshot(bytes).map_err(|error| unreadable(key, &error))?, *seq)
            }
            None => (self.blank(key, record), 0),
        };
        loop {
            let entries = self.store.entries(key, head, PAGE).await;
            let entries = entries.map_err(|error| self.store_error(&error))?;
            let Some(last) = entries.last() else {
                if head >= record.row.head {
                    return Ok((folded, head));
                }
                // The entries went between the two reads: they stand in a newer snapshot now.
                let newer = self.store.load(key).await.map_err(|error| self.store_error(&error))?;
                let newer = newer.and_then(|record| record.snapshot).filter(|(seq, _)| *seq > head);
                let (seq, bytes) = newer.ok_or_else(|| Error::task_not_found(&key.id))?;
                folded = Folded::from_snapshot(&bytes).map_err(|error| unreadable(key, &error))?;
                head = seq;
                continue;
            };
            head = last.seq;
            for entry in &entries {
                folded.apply_entry(entry).map_err(|error| unreadable(key, &error))?;
            }
        }
    }

    /// The fold up to and with the first entry that `stop` picks; `None` where the entries from
    /// the beginning are not kept or none is picked.
    pub(crate) async fn fold_until(
        &self,
        key: &TaskKey,
        stop: impl Fn(&LogEntry) -> bool,
    ) -> Result<Option<(Folded, u64)>, Error> {
        let record = self.store.load(key).await.map_err(|error| self.store_error(&error))?;
        let Some(record) = record.filter(|record| record.first == 1) else { return Ok(None) };
        let mut folded = self.blank(key, &record);
        let mut head = 0;
        loop {
            let entries = self.store.entries(key, head, PAGE).await;
            let entries = entries.map_err(|error| self.store_error(&error))?;
            let Some(last) = entries.last() else { return Ok(None) };
            head = last.seq;
            for entry in &entries {
                folded.apply_entry(entry).map_err(|error| unreadable(key, &error))?;
                if stop(entry) {
                    return Ok(Some((folded, entry.seq)));
                }
            }
        }
    }

    fn blank(&self, key: &TaskKey, record: &TaskRecord) -> Folded {
        Folded::new(key.id.clone(), record.row.context_id.clone(), record.row.status_at)
    }

    pub(crate) async fn earlier_tasks(&self, core: &TurnCore) -> Result<Vec<Task>, Error> {
        let scope = &core.live.key.scope;
        let filter =
            TaskFilter { context_id: Some(core.context_id.clone()), ..TaskFilter::default() };
        let page = self.store.list(scope, &filter, None, EARLIER + 1).await;
        let page = page.map_err(|error| self.store_error(&error))?;
        let ids = page.tasks.into_iter().map(|(id, _)| id).filter(|id| *id != core.live.key.id);
        self.tasks(scope, ids.take(EARLIER)).await
    }

    pub(crate) async fn referenced_tasks(&self, core: &TurnCore) -> Result<Vec<Task>, Error> {
        let ids = core.message.reference_task_ids.iter().cloned();
        self.tasks(&core.live.key.scope, ids.take(EARLIER)).await
    }

    async fn tasks(
        &self,
        scope: &Scope,
        ids: impl Iterator<Item = TaskId>,
    ) -> Result<Vec<Task>, Error> {
        let mut tasks = Vec::new();
        for id in ids {
            tasks.extend(self.task_view(&self.key(scope.clone(), &id), usize::MAX, true).await?);
        }
        Ok(tasks)
    }
}

fn unreadable(key: &TaskKey, error: &serde_json::Error) -> Error {
    tracing::error!(task = %key.id, %error, "the stored log cannot be read");
    Error::internal(format!("task {} cannot be read", key.id))
}
