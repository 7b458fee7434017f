//! What a server acknowledged before it was killed, and whether it is still so.

use crate::caller::{BINDINGS, Caller};
use crate::dice;
use crate::events::Event;
use crate::send::Send;
use crate::task;
use futures_util::{StreamExt, stream};
use sabir_testkit::{Running, patiently};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::AddAssign;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// Looks at once.
const LOOKS: usize = 8;

/// What was acknowledged.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// Every task whose id was told.
    known: BTreeSet<String>,
    /// Tasks that had ended, as they were answered.
    ended: BTreeMap<String, Value>,
    /// Tasks that waited for a message and were sent none, as they were answered.
    waiting: BTreeMap<String, Value>,
    /// Streams, as far as they were read.
    streams: Vec<Vec<Event>>,
    /// Messages that a task had taken.
    queued: Vec<Queued>,
}

/// A message that a task had taken while it worked on others.
#[derive(Debug)]
struct Queued {
    task: String,
    message: String,
    /// Its turn had started before the server was killed.
    started: bool,
}

/// A ledger that is being written.
#[derive(Clone, Default)]
pub(super) struct Shared(Arc<Mutex<Ledger>>);

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger> {
        self.0.lock().unwrap()
    }

    pub(super) fn into_ledger(self) -> Ledger {
        std::mem::take(&mut *self.lock())
    }
}

/// Writing.
impl Ledger {
    /// A task was answered as it was at rest.
    pub(super) fn answered(&mut self, task: &Value) {
        let (id, state) = (task::id(task).to_owned(), task::state(task));
        self.known.insert(id.clone());
        if task::is_terminal(state) {
            self.ended.insert(id, task.clone());
        } else if matches!(state, "INPUT_REQUIRED" | "AUTH_REQUIRED") {
            self.waiting.insert(id, task.clone());
        }
    }

    /// A task is about to be sent a message.
    pub(super) fn touched(&mut self, id: &str) {
        self.waiting.remove(id);
    }

    /// A task was started.
    pub(super) fn started(&mut self, id: &str) {
        self.known.insert(id.to_owned());
    }

    /// A stream has begun; gives its number.
    pub(super) fn opened(&mut self, first: Event) -> usize {
        self.known.insert(task::id(&first.task()).to_owned());
        self.streams.push(vec![first]);
        self.streams.len() - 1
    }

    /// A stream told an event.
    pub(super) fn read(&mut self, stream: usize, event: Event) {
        self.streams[stream].push(event);
    }

    /// A task has taken a message.
    pub(super) fn queued(&mut self, id: &str, message: &str) {
        let (task, message) = (id.to_owned(), message.to_owned());
        self.queued.push(Queued { task, message, started: false });
    }

    /// These messages had started, says the puppet's book.
    pub(super) fn note_starts(&mut self, started: &BTreeSet<String>) {
        for queued in &mut self.queued {
            queued.started = started.contains(&queued.message);
        }
    }

    /// The tasks that had ended.
    pub(super) fn into_ended(self) -> impl Iterator<Item = (String, Value)> {
        self.ended.into_iter()
    }
}

/// Reading it to the server that came after.
impl Ledger {
    /// Requires that everything is as it was acknowledged, and that all goes on.
    pub(super) async fn check(&self, server: &Running) -> Counts {
        let callers = Caller::both(server);
        at_once(&self.ended, |(id, task)| async move {
            assert_eq!(anyone(callers).get(id).await.as_ref(), Ok(task), "an ended task");
        })
        .await;
        at_once(&self.waiting, |(id, task)| async move {
            assert_eq!(anyone(callers).get(id).await.as_ref(), Ok(task), "a waiting task");
        })
        .await;
        at_once(&self.streams, |events| check_stream(anyone(callers), events)).await;
        at_once(&self.waiting, |(id, _)| async move {
            let answer = anyone(callers).send(&Send::new("echo go on").to(id.as_str())).await;
            let answer = answer.unwrap();
            let task = task::of(&answer);
            assert_eq!((task::state(task), &*task::artifacts(task)), ("COMPLETED", "go on"));
        })
        .await;
        at_once(&self.known, |id| async move { anyone(callers).get(id).await.unwrap() }).await;
        nothing_runs(&callers[0]).await;
        let ran = at_once(&self.queued, |queued| check_queued(anyone(callers), queued)).await;
        let late = self.queued.iter().zip(ran).filter(|(queued, ran)| *ran && !queued.started);
        Counts {
            late: late.count(),
            known: self.known.len(),
            ended: self.ended.len(),
            waiting: self.waiting.len(),
            events: self.streams.iter().map(Vec::len).sum(),
            queued: self.queued.len(),
        }
    }
}

/// Does something for each, several at once.
async fn at_once<T, F: Future>(
    of: impl IntoIterator<Item = T>,
    look: impl Fn(T) -> F,
) -> Vec<F::Output> {
    stream::iter(of).map(look).buffered(LOOKS).collect().await
}

fn anyone(callers: [Caller; BINDINGS.len()]) -> Caller {
    dice::one_of(&callers)
}

/// The stored events are those that were told, to the byte, and none is missing between them.
async fn check_stream(caller: Caller, told: &[Event]) {
    let id = task::id(&told[0].task()).to_owned();
    let mut stored = caller.subscribe(&id, Some(told[0].seq)).await.unwrap();
    for event in told {
        let stored = stored.next().await.unwrap();
        assert_eq!(stored.as_ref(), Some(event), "the stream of task {id}");
    }
}

/// A message that was taken has its turn, unless the crash ended the task before. Gives whether it
/// had. It is waited for: between two turns of a queue a task is at rest as well.
async fn check_queued(caller: Caller, queued: &Queued) -> bool {
    let Queued { task: id, message, .. } = queued;
    let settled = async {
        loop {
            let task = caller.get(id).await.unwrap();
            let times = task::history(&task).iter().filter(|taken| *taken == message).count();
            assert!(times <= 1, "{message} in {task}");
            match task::state(&task) {
                "FAILED" => return times == 1,
                "INPUT_REQUIRED" if times == 1 => return true,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    };
    patiently(&format!("message {message} to have its turn in task {id}"), settled).await
}

/// Every task comes to rest.
async fn nothing_runs(caller: &Caller) {
    let nothing = async {
        for state in ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"] {
            while caller.count(state).await.unwrap() > 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    };
    patiently("every task to come to rest", nothing).await;
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    known: usize,
    ended: usize,
    waiting: usize,
    events: usize,
    queued: usize,
    /// Messages that were started by the server that came after.
    pub(super) late: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.known += other.known;
        self.ended += other.ended;
        self.waiting += other.waiting;
        self.events += other.events;
        self.queued += other.queued;
        self.late += other.late;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { known, ended, waiting, events, queued, late } = self;
        write!(
            f,
            "{known} tasks: {ended} ended, {waiting} waiting; {queued} messages in a queue, {late} of \
             them started only afterwards; {events} events of streams"
        )
    }
}
