//! The streams of SendStreamingMessage and SubscribeToTask.

use crate::accept::{Begin, Taken};
use crate::agent::{Answer, Call, Event, EventStream};
use crate::cursor::{Cursor, rests};
use crate::engine::Inner;
use crate::live::ended_before;
use crate::log::EntryKind;
use crate::ring::Item;
use crate::turn::{Phase, TurnCore};
use futures_util::{StreamExt, stream};
use sabir_types::{Error, ProtoMessage, StreamResponse, SubscribeToTaskRequest};
use std::collections::VecDeque;
use std::sync::Arc;

/// A stream on its way.
struct Follow {
    cursor: Cursor,
    begin: Option<Begin>,
    core: Option<Arc<TurnCore>>,
    /// The turn whose rest ends the stream; none for subscriptions.
    turn: Option<u64>,
    /// The latest turn that was seen to act.
    seen: u64,
    ready: VecDeque<Arc<Event>>,
    ends: bool,
}

impl Inner {
    /// The stream of a message that was taken.
    pub(crate) fn stream(&self, taken: Taken) -> Result<Answer<EventStream>, Error> {
        let Taken { live, turn, core, replayed, begin, .. } = taken;
        let begin = begin.ok_or_else(|| Error::internal("the stream has no beginning"))?;
        let cursor = Cursor::new(live, begin.after);
        let value = follow(cursor, *begin, core, Some(turn));
        Ok(Answer { value, replayed })
    }

    pub(crate) async fn subscribe_to_task(
        &self,
        call: &Call,
        request: &SubscribeToTaskRequest,
    ) -> Result<EventStream, Error> {
        self.check_streaming()?;
        if let Some(path) = request.missing() {
            return Err(Error::invalid_params(path, "is required"));
        }
        let key = self.key(self.scope(call, request.tenant.as_deref()), &request.id);
        let live = self.live(&key).await?.filter(|live| live.lock().visible);
        let live = live.ok_or_else(|| Error::task_not_found(&request.id))?;
        let begin = match call.resume_after {
            Some(after) => self.begin_after(&live, after, self.config.history).await?,
            None => {
                let state = live.lock().task_state();
                if state.is_terminal() {
                    return Err(Error::unsupported_operation(format!(
                        "task {} has ended as {}; read it with GetTask",
                        request.id,
                        state.short_name()
                    )));
                }
                live.begin(self.config.history)
            }
        };
        let cursor = Cursor::new(live, begin.after);
        Ok(follow(cursor, Begin { known: true, ..begin }, None, None))
    }

    pub(crate) fn check_streaming(&self) -> Result<(), Error> {
        if self.card.capabilities.streaming == Some(true) {
            return Ok(());
        }
        Err(Error::unsupported_operation("this agent does not stream (capabilities.streaming)"))
    }
}

fn follow(
    cursor: Cursor,
    begin: Begin,
    core: Option<Arc<TurnCore>>,
    turn: Option<u64>,
) -> EventStream {
    let follow = Follow {
        cursor,
        begin: Some(begin),
        core,
        turn,
        seen: 0,
        ready: VecDeque::new(),
        ends: false,
    };
    // Boxed, because it is moved in and out for each event.
    stream::unfold(Some(Box::new(follow)), |follow| async move {
        let mut follow = follow?;
        match follow.next().await {
            Ok(Some(event)) => Some((Ok(event), Some(follow))),
            Ok(None) => None,
            // An error is the last item.
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed()
}

impl Follow {
    async fn next(&mut self) -> Result<Option<Arc<Event>>, Error> {
        if let Some(event) = self.ready.pop_front() {
            return Ok(Some(event));
        }
        if self.ends {
            return Ok(None);
        }
        if let Some(begin) = self.begin.take() {
            return self.open(begin).await.map(Some);
        }
        match self.cursor.next().await? {
            Some(item) => Ok(Some(self.pass(item))),
            None => self.ended().map(|()| None),
        }
    }

    /// The first event: the task, or the message of an executor that replies directly.
    async fn open(&mut self, begin: Begin) -> Result<Arc<Event>, Error> {
        if !begin.known {
            match self.first().await? {
                Some(item) if item.kind == EntryKind::Reply => return Ok(self.pass(item)),
                Some(item) => {
                    let event = self.pass(item);
                    self.ready.push_back(event);
                }
                None => {}
            }
        }
        let seq = Some(begin.after);
        Ok(Arc::new(Event::from_response(seq, StreamResponse::Task(begin.task))))
    }

    /// Waits for the executor's first event; `None` when the task is to be shown without it.
    async fn first(&mut self) -> Result<Option<Item>, Error> {
        let Some(core) = self.core.clone() else {
            return self.cursor.next().await;
        };
        let patience = core.inner().config.first_event;
        match tokio::time::timeout(patience, self.cursor.next()).await {
            Ok(item) => item,
            Err(_) if core.show() == Phase::Message => self.cursor.next().await,
            // The task is named to the caller only once that is committed.
            Err(_) => core.committed().await.map(|()| None).map_err(Error::from),
        }
    }

    fn pass(&mut self, item: Item) -> Arc<Event> {
        self.seen = self.seen.max(item.turn);
        let rests = self.turn.is_some_and(|turn| rests(&item, turn));
        self.ends = item.state.is_terminal() || item.kind == EntryKind::Reply || rests;
        if self.ends && self.turn.is_some_and(|turn| turn > item.turn) {
            // The message never got its turn: after the last event its sender is told so.
            self.ends = false;
        }
        item.event
    }

    /// Everything was read. A message whose turn never came is refused.
    fn ended(&self) -> Result<(), Error> {
        match self.turn {
            Some(turn) if self.seen > 0 && self.seen < turn => {
                Err(ended_before(&self.cursor.live().lock().folded.task))
            }
            _ => Ok(()),
        }
    }
}
