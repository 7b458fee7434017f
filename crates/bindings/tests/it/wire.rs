//! A server with the stub, and requests to it as bytes.

use crate::stub::{Stub, card};
use sabir_bindings::{Routes, Server, ServerConfig, ServerHandle};
use sabir_testkit::{Head, RawConnection, patiently};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A server with the stub as its default agent.
pub(crate) struct Fixture {
    pub(crate) stub: Arc<Stub>,
    handle: ServerHandle,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

impl Fixture {
    pub(crate) async fn new() -> Self {
        Self::with(ServerConfig::default()).await
    }

    pub(crate) async fn with(config: ServerConfig) -> Self {
        Self::of(config, |routes| routes).await
    }

    pub(crate) async fn of(config: ServerConfig, change: impl FnOnce(Routes) -> Routes) -> Self {
        let stub = Arc::new(Stub::default());
        let routes = change(Routes::new(stub.clone(), card()));
        let server = Server::new().config(config).default_agent(routes);
        let handle = server.listen("127.0.0.1:0").await.unwrap();
        Self { stub, handle }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.handle.local_addr()
    }

    pub(crate) async fn open(&self) -> RawConnection {
        RawConnection::open(self.addr()).await
    }

    /// One request on a connection of its own.
    pub(crate) async fn ask(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        ask(self.addr(), method, target, headers, body).await
    }

    /// A GET, or another request without a body, with the version.
    pub(crate) async fn call(&self, method: &str, target: &str) -> Reply {
        self.ask(method, target, &[("A2A-Version", "1.0")], b"").await
    }

    /// A POST of JSON with the version.
    pub(crate) async fn post(&self, target: &str, body: impl AsRef<[u8]>) -> Reply {
        let headers = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
        self.ask("POST", target, &headers, body.as_ref()).await
    }

    /// A JSON-RPC call with the version.
    pub(crate) async fn rpc(&self, method: &str, params: &str) -> Reply {
        self.post("/", envelope(method, params)).await
    }

    pub(crate) async fn shutdown(self, timeout: Duration) -> sabir_bindings::Drained {
        self.handle.shutdown(timeout).await
    }
}

impl Reply {
    pub(crate) fn status(&self) -> u16 {
        self.head.status
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.header(name)
    }

    pub(crate) fn json(&self) -> Value {
        match serde_json::from_slice(&self.body) {
            Ok(json) => json,
            Err(error) => panic!("{error}: {:?}", String::from_utf8_lossy(&self.body)),
        }
    }

    /// The code of a JSON-RPC error.
    pub(crate) fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {self:?}"))
    }

    /// The reason in the `ErrorInfo`, on either binding.
    pub(crate) fn reason(&self) -> String {
        let json = self.json();
        let details = json["error"].get("data").or(json["error"].get("details"));
        let reason = details.and_then(|details| details[0]["reason"].as_str());
        reason.unwrap_or_else(|| panic!("no reason: {self:?}")).to_owned()
    }

    /// The message of an error, on either binding.
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }
}

pub(crate) fn envelope(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)
}

/// The parameters that send a text.
pub(crate) fn message(text: &str) -> String {
    format!(
        r#"{{"message":{{"messageId":"m-0","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}"#
    )
}

pub(crate) async fn ask(
    addr: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Reply {
    let mut connection = RawConnection::open(addr).await;
    connection.request(method, target, headers, body).await;
    let head = connection.head().await;
    let has_body = method != "HEAD" && head.status != 304;
    let body = if has_body { connection.body().await } else { Vec::new() };
    Reply { head, body }
}

/// Sends bytes and reads until the server closes.
pub(crate) async fn exchange(addr: SocketAddr, request: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    patiently("the server to close", read).await.unwrap();
    answer
}
