//! Takes a message: checks it, keeps it, and starts or queues its turn.

mod existing;
mod fresh;
mod replay;

use crate::agent::Call;
use crate::config::Idempotency;
use crate::engine::Inner;
use crate::fold::{Accepted, Asked, Body};
use crate::live::{Carried, Live, Rest};
use crate::log::EntryKind;
use crate::store::{AppendError, IdempotencyKey, IdempotencyRecord, NewEntry, PushRow, Scope};
use crate::turn::TurnCore;
use bytes::Bytes;
use sabir_types::{
    Error, Message, ProtoMessage, Role, SendMessageRequest, Task, TaskId,
    TaskPushNotificationConfig, TaskState, Timestamp,
};
use std::sync::Arc;

/// How the caller wants to be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// When the turn comes to rest.
    Wait,
    /// At once.
    Immediately,
    /// By a stream.
    Stream,
}

/// A message that was taken.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) live: Arc<Live>,
    pub(crate) turn: u64,
    /// The turn's core where this call started it.
    pub(crate) core: Option<Arc<TurnCore>>,
    pub(crate) replayed: bool,
    /// The end of the wait, for [`Mode::Wait`].
    pub(crate) rest: Option<Rest>,
    /// Where a stream begins, for [`Mode::Stream`].
    pub(crate) begin: Option<Box<Begin>>,
}

/// Where a stream begins: the task as of a sequence.
#[derive(Debug)]
pub(crate) struct Begin {
    pub(crate) after: u64,
    pub(crate) task: Task,
    /// Somebody knows the task already, so the stream may show it at once.
    pub(crate) known: bool,
}

/// A message on its way in.
pub(crate) struct Incoming {
    pub(crate) scope: Scope,
    pub(crate) message: Message,
    /// The entry's payload, up to the end of the message.
    payload: Vec<u8>,
    pub(crate) asked: Asked,
    pub(crate) digest: [u8; 32],
    pub(crate) idempotency: Option<IdempotencyKey>,
    /// A webhook that is asked for and not yet checked.
    new_push: Option<Box<TaskPushNotificationConfig>>,
    pub(crate) push: Option<PushRow>,
    pub(crate) mode: Mode,
    pub(crate) history: usize,
    pub(crate) principal_known: bool,
    pub(crate) resume_after: Option<u64>,
}

impl Inner {
    /// Takes a message; what it starts goes on whether or not the caller waits.
    pub(crate) async fn accept(&self, call: &Call, mut incoming: Incoming) -> Result<Taken, Error> {
        if let Some(config) = incoming.new_push.take() {
            incoming.push = Some(Box::pin(self.new_push(call, *config, "configuration.")).await?);
        }
        let task_id = incoming.message.task_id.clone().filter(|id| !id.is_empty());
        // Everything but the way of a new message is boxed, to keep that one's future small.
        if incoming.resume_after.is_some() && incoming.mode == Mode::Stream {
            return Box::pin(self.resume(&incoming)).await;
        }
        match task_id {
            Some(id) => Box::pin(self.accept_existing(incoming, id)).await,
            None => {
                let fresh = self.accept_fresh(&mut incoming);
                match self.launch(fresh.commit, &fresh.core, &incoming).await? {
                    Ok(begin) => Ok(Taken {
                        live: fresh.live,
                        turn: 1,
                        core: Some(fresh.core),
                        replayed: false,
                        rest: fresh.rest,
                        begin,
                    }),
                    Err(AppendError::Repeated(record)) => {
                        Box::pin(self.replay(incoming, record)).await
                    }
                    Err(error) => Err(self.append_error(&fresh.live.key, &error)),
                }
            }
        }
    }

    /// Checks everything that needs neither store nor network.
    ///
    /// Not `async`, like what it calls on the way of a new message: their locals would make the
    /// future of every call large, and it is moved.
    pub(crate) fn incoming(
        &self,
        call: &Call,
        request: SendMessageRequest,
        mode: Mode,
    ) -> Result<Incoming, Error> {
        self.check_open()?;
        if let Some(path) = request.missing() {
            return Err(Error::invalid_params(path, "is required"));
        }
        self.check_extensions(call)?;
        let SendMessageRequest { tenant, message, configuration, metadata } = request;
        if message.role != Role::User {
            return Err(Error::invalid_params("message.role", "must be ROLE_USER"));
        }
        self.modes.check(&message)?;
        let configuration = configuration.unwrap_or_default();
        let history = self.history_length(configuration.history_length, "configuration.")?;
        let scope = self.scope(call, tenant.as_deref());
        let mut payload = Vec::with_capacity(512);
        let digest = *blake3::hash(Accepted::open(&message, &mut payload)).as_bytes();
        let deadline = call.deadline.map(|limit| {
            let limit = i64::try_from(limit.as_millis()).unwrap_or(i64::MAX);
            Timestamp::now().as_millis().saturating_add(limit)
        });
        let principal_known = !call.principal.is_anonymous();
        Ok(Incoming {
            idempotency: self.idempotency_key(&scope, &message, digest, principal_known),
            scope,
            message,
            payload,
            asked: Asked {
                principal: call.principal.owner().to_owned(),
                output_modes: configuration.accepted_output_modes,
                extensions: call.extensions.clone(),
                metadata,
                deadline,
                trace: call.trace.clone(),
                steers: false,
            },
            digest,
            new_push: configuration.task_push_notification_config.map(Box::new),
            push: None,
            mode: if mode == Mode::Wait && configuration.return_immediately {
                Mode::Immediately
            } else {
                mode
            },
            history,
            principal_known,
            resume_after: call.resume_after,
        })
    }

    fn idempotency_key(
        &self,
        scope: &Scope,
        message: &Message,
        digest: [u8; 32],
        principal_known: bool,
    ) -> Option<IdempotencyKey> {
        let wanted = match self.config.idempotency {
            Idempotency::All => true,
            Idempotency::Authenticated => principal_known,
            Idempotency::Off => false,
        };
        wanted.then(|| IdempotencyKey {
            scope: scope.clone(),
            message_id: message.message_id.clone(),
            content: (!principal_known).then_some(digest),
        })
    }

    /// # Errors
    /// `ExtensionSupportRequired` naming the first required extension that was not declared.
    fn check_extensions(&self, call: &Call) -> Result<(), Error> {
        let required = self.card.capabilities.extensions.iter().filter(|e| e.required);
        for extension in required {
            if !call.extensions.contains(&extension.uri) {
                return Err(Error::extension_support_required(&extension.uri));
            }
        }
        Ok(())
    }

    /// The scope a caller's things live in.
    pub(crate) fn scope(&self, call: &Call, tenant: Option<&str>) -> Scope {
        Scope::new(&*self.name, tenant.unwrap_or_default(), call.principal.owner())
    }

    /// How many messages of the history a caller sees.
    pub(crate) fn history_length(&self, asked: Option<i32>, at: &str) -> Result<usize, Error> {
        match asked {
            None => Ok(self.config.history),
            Some(length) => usize::try_from(length).map_err(|_| {
                Error::invalid_params(format!("{at}historyLength"), "must be 0 or more")
            }),
        }
    }
}

impl Incoming {
    /// The entry that keeps the message.
    fn accepted(&mut self, turn: u64, at: Timestamp) -> Carried {
        let accepted = Accepted {
            message: std::mem::take(&mut self.message),
            asked: std::mem::take(&mut self.asked),
        };
        let payload = accepted.close(std::mem::take(&mut self.payload));
        Carried {
            entry: entry(EntryKind::Accepted, turn, at, payload),
            body: Body::Accepted(Box::new(accepted)),
        }
    }

    /// The record that recognises a repeat.
    fn record(
        &self,
        inner: &Inner,
        task: &TaskId,
        turn: u64,
        at: Timestamp,
    ) -> Option<(IdempotencyKey, IdempotencyRecord)> {
        let key = self.idempotency.clone()?;
        let kept = if self.principal_known {
            inner.config.idempotency_principals
        } else {
            inner.config.idempotency_anonymous
        };
        let kept = i64::try_from(kept.as_millis()).unwrap_or(i64::MAX);
        let expires = Timestamp::from_millis(at.as_millis().saturating_add(kept));
        Some((key, IdempotencyRecord { digest: self.digest, task: task.clone(), turn, expires }))
    }
}

fn entry(kind: EntryKind, turn: u64, at: Timestamp, payload: Bytes) -> NewEntry {
    NewEntry { kind, turn, at, state: TaskState::Unspecified, payload }
}

/// An entry that says no more than its kind.
pub(crate) fn mark(kind: EntryKind, turn: u64, at: Timestamp) -> Carried {
    Carried { entry: entry(kind, turn, at, Bytes::new()), body: Body::None }
}
