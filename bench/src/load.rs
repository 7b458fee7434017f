//! Callers that call as fast as they are answered, each over a connection of its own.

use crate::grpc;
use crate::http::Connection;
use crate::outcome::Outcome;
use crate::request::{SendRequest, get_task};
use memchr::memmem;
use std::net::SocketAddr;
use std::str;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;

/// What answers of agents that have done their work contain.
const COMPLETED: &[u8] = b"TASK_STATE_COMPLETED";

/// What is called, and by how many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) method: &'static str,
    pub(crate) text: &'static str,
    pub(crate) connections: u64,
    /// Whether it is called by gRPC.
    pub(crate) grpc: bool,
    /// Whether every hundredth call asks for the task that the last one made.
    pub(crate) gets: bool,
    /// How many calls there are in all; without, until stopped.
    pub(crate) calls: Option<u64>,
}

/// Callers at work.
pub(crate) struct Callers {
    shared: Arc<Shared>,
    callers: JoinSet<Outcome>,
}

struct Shared {
    load: Load,
    address: SocketAddr,
    /// What the ids of messages are counted from: the time in nanoseconds, so that no server ever
    /// gets the same one twice.
    first_id: u64,
    begun: AtomicU64,
    answered: AtomicU64,
    stop: AtomicBool,
}

impl Callers {
    /// Has them begin.
    pub(crate) fn start(address: SocketAddr, load: Load) -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let first_id = since.as_nanos() as u64;
        let (begun, answered, stop) = Default::default();
        let shared = Arc::new(Shared { load, address, first_id, begun, answered, stop });
        let mut callers = JoinSet::new();
        for _ in 0..load.connections {
            match load.grpc {
                true => callers.spawn(call_by_grpc(shared.clone())),
                false => callers.spawn(call(shared.clone())),
            };
        }
        Self { shared, callers }
    }

    /// How many answers there were until now.
    pub(crate) fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }

    /// Waits until all have ended, or one has failed.
    pub(crate) async fn ended(&mut self) -> Outcome {
        while let Some(caller) = self.callers.join_next().await {
            caller??;
        }
        Ok(())
    }

    /// Has them end after the call that each is in.
    pub(crate) async fn stop(mut self) -> Outcome {
        self.shared.stop.store(true, Ordering::Relaxed);
        self.ended().await
    }
}

impl Shared {
    /// The number of the next call, unless that was the last one.
    fn next(&self) -> Option<u64> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.begun.fetch_add(1, Ordering::Relaxed);
        (number < self.load.calls.unwrap_or(u64::MAX)).then_some(number)
    }
}

async fn call(shared: Arc<Shared>) -> Outcome {
    let Shared { load, address, .. } = *shared;
    let mut connection = Connection::open(address).await?;
    let mut request = SendRequest::new(address, load.method, load.text);
    let mut made = String::new();
    while let Some(number) = shared.next() {
        if load.gets && number % 100 == 99 && !made.is_empty() {
            completed(connection.exchange(&get_task(address, &made)).await?)?;
        } else {
            let body =
                completed(connection.exchange(request.with_id(shared.first_id + number)).await?)?;
            if load.gets && (made.is_empty() || number % 100 > 80) {
                made.clear();
                made.push_str(task_id(body).ok_or("an answer that names no task")?);
            }
        }
        shared.answered.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

async fn call_by_grpc(shared: Arc<Shared>) -> Outcome {
    let Shared { load, address, .. } = *shared;
    let mut connection = grpc::Connection::open(address).await?;
    let mut message = grpc::SendMessage::new(load.text);
    let mut made = String::new();
    while let Some(number) = shared.next() {
        if load.gets && number % 100 == 99 && !made.is_empty() {
            grpc::completed(connection.exchange("GetTask", grpc::get_task(&made)).await?)?;
        } else {
            let message = message.with_id(shared.first_id + number);
            let answer = grpc::completed(connection.exchange(load.method, message).await?)?;
            if load.gets && (made.is_empty() || number % 100 > 80) {
                made.clear();
                made.push_str(grpc::task_id(&answer).ok_or("an answer that names no task")?);
            }
        }
        shared.answered.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// The body of an answer which says that the work is done.
pub(crate) fn completed((status, body): (u16, &[u8])) -> Outcome<&[u8]> {
    if status == 200 && memmem::find(body, COMPLETED).is_some() {
        return Ok(body);
    }
    let text = String::from_utf8_lossy(body);
    let end = text.char_indices().rev().nth(400).map_or(0, |(at, _)| at);
    Err(format!("an answer of {status} without {}: …{}", str::from_utf8(COMPLETED)?, &text[end..])
        .into())
}

/// The id of the task that an answer, or the first event of a stream, is about.
pub(crate) fn task_id(body: &[u8]) -> Option<&str> {
    // The id of the call is a number.
    let names = [&br#""id":""#[..], br#""taskId":""#];
    let start = names.iter().find_map(|name| Some(memmem::find(body, name)? + name.len()))?;
    let end = start + memchr::memchr(b'"', &body[start..])?;
    str::from_utf8(&body[start..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::{completed, task_id};

    #[test]
    fn the_task_of_an_answer_is_found() {
        let task = br#"{"id":1,"result":{"task":{"contextId":"c","id":"t1"}}}"#;
        assert_eq!(task_id(task), Some("t1"));
        let update = br#"{"id":1,"result":{"statusUpdate":{"contextId":"c","taskId":"t2"}}}"#;
        assert_eq!(task_id(update), Some("t2"));
        assert_eq!(task_id(b"{}"), None);
    }

    #[test]
    fn an_answer_that_is_not_the_work_is_an_error_with_its_end() {
        assert!(completed((200, br#"{"state":"TASK_STATE_COMPLETED"}"#)).is_ok());
        let refused = completed((200, br#"{"error":{"code":-32603}}"#)).unwrap_err().to_string();
        assert!(refused.ends_with(r#"…{"error":{"code":-32603}}"#), "{refused}");
        assert!(completed((500, b"TASK_STATE_COMPLETED")).is_err());
    }
}
