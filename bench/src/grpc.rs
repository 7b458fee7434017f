//! A connection over HTTP/2 that is kept, for gRPC calls, with as little work as an honest client
//! can do.

use crate::outcome::Outcome;
use bytes::{Bytes, BytesMut};
use h2::client::{self, SendRequest};
use http::{HeaderMap, Method, Request};
use memchr::memmem;
use sabir_types::{GetTaskRequest, Message, SendMessageRequest, wire};
use std::net::SocketAddr;
use std::ops::Range;
use tokio::net::TcpStream;

/// Room for what was sent and not read: no answer waits for a window.
const WINDOW: u32 = 16 << 20;

/// What stands before a message.
const PREFIX: usize = 5;

/// How an id of a message looks: as many digits as all others.
const ID: &str = "0000000000000000";

/// `TASK_STATE_COMPLETED` as the first field of a status.
const COMPLETED: &[u8] = b"\x08\x03";

/// One connection.
pub(crate) struct Connection {
    sender: SendRequest<Bytes>,
    address: SocketAddr,
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut builder = client::Builder::new();
        builder.initial_window_size(WINDOW).initial_connection_window_size(WINDOW);
        let (sender, connection) = builder.handshake(stream).await?;
        // It ends with the server, which is what ends a measurement.
        tokio::spawn(async move { drop(connection.await) });
        Ok(Self { sender, address })
    }

    /// Makes a call and reads its answer to the end; gives its messages as they were framed.
    pub(crate) async fn exchange(&mut self, method: &str, message: Bytes) -> Outcome<BytesMut> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("http://{}/lf.a2a.v1.A2AService/{method}", self.address))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header("a2a-version", "1.0")
            .body(())?;
        let mut sender = self.sender.clone().ready().await?;
        let (answer, mut body) = sender.send_request(request, false)?;
        body.send_data(message, true)?;
        let (head, mut body) = answer.await?.into_parts();
        let mut messages = BytesMut::new();
        while let Some(data) = body.data().await {
            let data = data?;
            body.flow_control().release_capacity(data.len())?;
            messages.extend_from_slice(&data);
        }
        let trailers = body.trailers().await?;
        check(trailers.as_ref().unwrap_or(&head.headers))?;
        Ok(messages)
    }
}

fn check(status: &HeaderMap) -> Outcome {
    match status.get("grpc-status") {
        Some(code) if code == "0" => Ok(()),
        _ => Err(format!("a call that ended with {status:?}").into()),
    }
}

/// The message that sends a text, again and again.
pub(crate) struct SendMessage {
    framed: Vec<u8>,
    /// Where the id of the message stands.
    id: Range<usize>,
}

impl SendMessage {
    /// The message with that text.
    pub(crate) fn new(text: &str) -> Self {
        let message = Message::user(text).with_id(ID);
        let framed = framed(&wire::to_protobuf(&SendMessageRequest::new(message)));
        let at = memmem::find(&framed, ID.as_bytes()).expect("the id was just written");
        Self { framed, id: at..at + ID.len() }
    }

    /// The message with another id, the number's.
    pub(crate) fn with_id(&mut self, number: u64) -> Bytes {
        self.framed[self.id.clone()].copy_from_slice(format!("{number:016x}").as_bytes());
        Bytes::copy_from_slice(&self.framed)
    }
}

/// The message that asks for a task.
pub(crate) fn get_task(id: &str) -> Bytes {
    let request = GetTaskRequest { id: id.into(), ..GetTaskRequest::default() };
    framed(&wire::to_protobuf(&request)).into()
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = u32::try_from(message.len()).expect("a request is small");
    [&[0], &length.to_be_bytes()[..], message].concat()
}

/// The messages of an answer which says that the work is done.
pub(crate) fn completed(messages: BytesMut) -> Outcome<BytesMut> {
    match memmem::rfind(&messages, COMPLETED) {
        Some(_) => Ok(messages),
        None => Err("an answer that does not say COMPLETED".into()),
    }
}

/// The id of the task that the first message of an answer is about: whatever it holds, the id is
/// the first field.
pub(crate) fn task_id(messages: &[u8]) -> Option<&str> {
    let (_, about) = messages.get(PREFIX..)?.split_first()?;
    let length = about.iter().position(|byte| byte & 0x80 == 0)? + 1;
    let (&length, rest) = about.get(length..)?.strip_prefix(b"\x0a")?.split_first()?;
    std::str::from_utf8(rest.get(..length.into())?).ok()
}

#[cfg(test)]
mod tests {
    use super::{SendMessage, completed, framed, task_id};
    use bytes::BytesMut;
    use sabir_types::{SendMessageResponse, Task, TaskState, wire};

    #[test]
    fn a_message_differs_from_the_next_by_its_id() {
        let mut message = SendMessage::new("hi");
        let (first, second) = (message.with_id(0x1f), message.with_id(u64::MAX));
        assert_eq!(first.len(), second.len());
        assert!(memchr::memmem::find(&first, b"000000000000001f").is_some());
        assert!(memchr::memmem::find(&second, b"ffffffffffffffff").is_some());
    }

    #[test]
    fn the_task_of_an_answer_is_found_and_its_end() {
        let answer = |state: TaskState| {
            let task = Task::new("t-1", "c".repeat(200), state.into());
            let answer = SendMessageResponse::Task(task);
            BytesMut::from(&framed(&wire::to_protobuf(&answer))[..])
        };
        let done = completed(answer(TaskState::Completed)).unwrap();
        assert_eq!(task_id(&done), Some("t-1"));
        assert!(completed(answer(TaskState::Working)).is_err());
        assert_eq!(task_id(b""), None);
    }
}
