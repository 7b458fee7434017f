//! Looks at a task again and again until it ends or waits.

use crate::connect::Connection;
use crate::failure::Failure;
use crate::output::Output;
use sabir_types::{GetTaskRequest, Task, TaskId};
use std::time::Duration;
use tokio::time::sleep;

/// The longest pause between two looks.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// So many looks that fail in a row end the wait.
const PATIENCE: u32 = 3;

/// How a task is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Poll {
    /// The first pause; later ones grow.
    pub(crate) interval: Duration,
    /// How much of the history is wanted.
    pub(crate) history: Option<i32>,
}

impl Poll {
    /// Looks until the task ends or waits; `seen` gets every look.
    pub(crate) async fn until_settled(
        &self,
        connection: &Connection,
        out: Output,
        task: Task,
        mut seen: impl FnMut(&Task) -> Result<(), Failure>,
    ) -> Result<Task, Failure> {
        let mut task = task;
        let mut pause = self.interval;
        let mut failed = 0;
        while !is_settled(&task) {
            out.detail(|| format!("looking at task {} again in {pause:?}", task.id));
            sleep(spread(pause)).await;
            match self.look(connection, &task.id).await {
                Ok(now) => {
                    failed = 0;
                    task = now;
                    seen(&task)?;
                }
                Err(failure) => {
                    failed += 1;
                    if failed == PATIENCE || !failure.is_passing() {
                        return Err(failure);
                    }
                    out.detail(|| format!("that failed, trying again: {}", failure.message));
                }
            }
            pause = (pause.mul_f64(1.5)).min(MAX_PAUSE.max(self.interval));
        }
        Ok(task)
    }

    /// Looks once.
    pub(crate) async fn look(&self, connection: &Connection, id: &TaskId) -> Result<Task, Failure> {
        let request = GetTaskRequest {
            id: id.clone(),
            history_length: self.history,
            ..GetTaskRequest::default()
        };
        let doing = format!("failed to get task {id}");
        connection.get_task(request).await.map_err(|failure| failure.during(doing))
    }
}

/// Whether waiting on would bring nothing.
pub(crate) fn is_settled(task: &Task) -> bool {
    task.state().is_terminal() || task.state().is_interrupted()
}

/// The pause, up to a tenth shorter, so that many callers spread out.
fn spread(pause: Duration) -> Duration {
    let chance = uuid::Uuid::now_v7().as_u64_pair().1 % 1024;
    pause.mul_f64(1.0 - chance as f64 / 10_240.0)
}
