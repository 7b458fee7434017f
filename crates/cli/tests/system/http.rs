//! One HTTP/1.1 exchange, which a crash may cut: every failure is a value.

use crate::caller::Failure;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use sabir_testkit::patiently;
use std::net::SocketAddr;
use tokio::net::TcpStream;

/// Sends a request on a connection of its own. The connection ends when the answer is dropped.
pub(crate) async fn exchange(
    addr: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Result<Response<Incoming>, Failure> {
    let what = format!("an answer to {} {}", request.method(), request.uri());
    patiently(&what, async {
        let stream = TcpStream::connect(addr).await.map_err(Failure::lost)?;
        stream.set_nodelay(true).map_err(Failure::lost)?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(Failure::lost)?;
        // Its error reaches whoever waits for the answer.
        tokio::spawn(async move { drop(connection.await) });
        sender.send_request(request).await.map_err(Failure::lost)
    })
    .await
}

/// Reads the rest of an answer.
pub(crate) async fn body(response: Response<Incoming>) -> Result<Bytes, Failure> {
    let body = patiently("the body of an answer", response.into_body().collect()).await;
    Ok(body.map_err(Failure::lost)?.to_bytes())
}

/// A GET of a path, which must succeed.
pub(crate) async fn get(addr: SocketAddr, path: &str) -> Bytes {
    let request = Request::get(path).header("host", addr.to_string());
    let response = exchange(addr, request.body(Full::default()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200, "GET {path}");
    body(response).await.unwrap()
}
