//! The least that could serve the same JSON: one axum route that reads the request into its type,
//! and writes from types what `sabir server --echo` writes. It keeps nothing and checks nothing.

mod answer;

use answer::{Echo, put};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};
use axum::routing::post;
use clap::Parser;
use futures_util::stream;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{
    Error, GetTaskRequest, Operation, SendMessageRequest, SendMessageResponse, Task, wire,
};
use serde_json::value::RawValue;
use std::convert::Infallible;
use std::net::Ipv4Addr;
use tokio::net::TcpListener;

/// That of `sabir`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Serves the least that could answer the same
#[derive(Parser)]
struct Args {
    /// The port; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let args = Args::parse();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).await?;
    eprintln!("Listening on http://{}", listener.local_addr()?);
    axum::serve(NoDelay(listener), Router::new().route("/", post(serve))).await
}

/// As every server of the comparison does it: small answers go out at once.
struct NoDelay(TcpListener);

impl axum::serve::Listener for NoDelay {
    type Io = tokio::net::TcpStream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, address) = axum::serve::Listener::accept(&mut self.0).await;
        io.set_nodelay(true).expect("TCP_NODELAY is available on TCP");
        (io, address)
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.0.local_addr()
    }
}

async fn serve(body: Bytes) -> Response<Body> {
    let request = match jsonrpc::Request::decode(&body) {
        Ok(request) => request,
        Err(refused) => return refuse(&refused.id, &refused.error),
    };
    answer(&request).unwrap_or_else(|error| refuse(&request.id, &error))
}

fn answer(request: &jsonrpc::Request<'_>) -> Result<Response<Body>, Error> {
    let params = request.params.map_or("{}", RawValue::get).as_bytes();
    match Operation::from_name(&request.method) {
        Some(Operation::SendMessage) => {
            let echo = Echo::of(wire::from_json::<SendMessageRequest>(params)?);
            json(&request.id, &SendMessageResponse::Task(echo.task()))
        }
        Some(Operation::SendStreamingMessage) => {
            let echo = Echo::of(wire::from_json::<SendMessageRequest>(params)?);
            Ok(events(echo, &request.id))
        }
        Some(Operation::GetTask) => {
            let asked: GetTaskRequest = wire::from_json(params)?;
            json(
                &request.id,
                &Task { id: asked.id, ..Echo::of(SendMessageRequest::default()).task() },
            )
        }
        _ => Err(Error::method_not_found(&request.method)),
    }
}

fn json(id: &Id, result: &impl serde::Serialize) -> Result<Response<Body>, Error> {
    let mut out = jsonrpc::success_prefix(id, 1 << 10);
    put(result, &mut out)?;
    out.extend_from_slice(jsonrpc::SUCCESS_SUFFIX);
    Ok(respond("application/json", Body::from(out)))
}

/// The events of a stream, those that are ready together in one piece.
fn events(echo: Echo, id: &Id) -> Response<Body> {
    let chunks = stream::iter(answer::Frames::new(echo, id).map(Ok::<_, Infallible>));
    respond("text/event-stream", Body::from_stream(chunks))
}

fn respond(media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

fn refuse(id: &Id, error: &Error) -> Response<Body> {
    let mut response = respond("application/json", Body::from(jsonrpc::failure(id, error)));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    response
}
