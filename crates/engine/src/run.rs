//! Runs a turn: polled once in place, then by a task of its own.

use crate::executor::ExecutorError;
use crate::turn::{Panicked, Turn, TurnCore};
use futures_util::FutureExt;
use sabir_types::Timestamp;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

type Work = Pin<Box<dyn Future<Output = Result<Result<(), ExecutorError>, Panicked>> + Send>>;

/// Starts the executor on a turn whose start is committed. Returns after its first poll: what can
/// be answered at once needs no task and no wake-up.
pub(crate) async fn run(core: &Arc<TurnCore>) {
    // Held until the executor's result is known, so that dropping its handle decides nothing.
    let guard = core.handle();
    core.live.lock().running = Some(Arc::downgrade(core));
    core.emitting.lock().gather();
    let mut work = work(core, guard.clone());
    let polled = poll_once(&mut work).await;
    core.hand_over();
    match polled {
        Some(result) => core.returned(result),
        None => {
            core.inner().runtime.spawn(drive(core.clone(), work, guard));
        }
    }
}

fn work(core: &Arc<TurnCore>, turn: Turn) -> Work {
    let core = core.clone();
    let execute = AssertUnwindSafe(async move { core.inner().executor.execute(turn).await });
    Box::pin(execute.catch_unwind().map(|result| result.map_err(|payload| panicked(&*payload))))
}

fn panicked(payload: &(dyn std::any::Any + Send)) -> Panicked {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    tracing::error!(panic = text.unwrap_or("of unknown kind"), "the agent panicked");
    Panicked
}

async fn poll_once(work: &mut Work) -> Option<Result<Result<(), ExecutorError>, Panicked>> {
    std::future::poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(Some(result)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Follows a turn to its end: its own, its deadline's, or that of the grace after cancellation.
async fn drive(core: Arc<TurnCore>, mut work: Work, guard: Turn) {
    let mut expired = core.deadline.is_none();
    let deadline = until(core.deadline);
    tokio::pin!(deadline);
    let abandoned = abandoned(&core);
    tokio::pin!(abandoned);
    let mut deserted = false;
    loop {
        tokio::select! {
            biased;
            result = &mut work => {
                core.returned(result);
                break;
            }
            () = core.kill.raised() => break,
            () = &mut deadline, if !expired => {
                expired = true;
                core.request_cancel(Some("the deadline of the task has passed".into()));
            }
            () = &mut abandoned, if !deserted => {
                deserted = true;
                core.request_cancel(Some("nobody was reading the task any more".into()));
            }
        }
    }
    // The executor's own handle goes before ours, so that ours decides last.
    drop(work);
    drop(guard);
}

/// Sleeps until an instant in milliseconds since 1970; for ever without one.
pub(crate) async fn until(deadline: Option<i64>) {
    match deadline {
        Some(at) => {
            let left = at.saturating_sub(Timestamp::now().as_millis());
            tokio::time::sleep(Duration::from_millis(u64::try_from(left).unwrap_or(0))).await;
        }
        None => std::future::pending().await,
    }
}

/// Waits until nobody has read the task for as long as the configuration allows.
async fn abandoned(core: &Arc<TurnCore>) {
    let Some(limit) = core.inner().config.abandoned else { return std::future::pending().await };
    let mut last_read = Instant::now();
    loop {
        let now = Instant::now();
        last_read = core.live.lock().last_read(now).unwrap_or(last_read).max(last_read);
        let quiet = now.duration_since(last_read);
        if quiet >= limit {
            return;
        }
        // Looking more often than the limit notices readers who came and left.
        tokio::time::sleep((limit - quiet).min(limit / 4)).await;
    }
}
