//! One connection: its protocol, its limits and its end.

use super::mounts::Mounts;
use crate::config::ServerConfig;
use crate::tls::{OverTls, Tls};
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

/// How many headers hyper takes without being told.
const HYPER_HEADERS: usize = 100;
/// The smallest buffer hyper takes.
const SMALLEST_BUFFER: usize = 8 << 10;

/// Serves connections.
pub(super) struct Connector {
    mounts: Mounts,
    tls: Option<TlsAcceptor>,
    builder: auto::Builder<TokioExecutor>,
    first_request: Duration,
    closing: CancellationToken,
}

impl Connector {
    pub(super) fn new(mounts: Mounts, config: &ServerConfig, closing: CancellationToken) -> Self {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        let buffer = config.header_bytes.max(SMALLEST_BUFFER);
        let mut http1 = builder.http1();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(config.header_timeout)
            // Also what is held for a reader that does not read.
            .max_buf_size(buffer);
        if config.headers != HYPER_HEADERS {
            // Said only when needed: hyper then allocates for every request.
            http1.max_headers(config.headers);
        }
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(config.http2_streams)
            .max_header_list_size(u32::try_from(buffer).unwrap_or(u32::MAX))
            .max_send_buf_size(buffer)
            .keep_alive_interval(config.heartbeat)
            .keep_alive_timeout(config.header_timeout);
        let tls = config.tls.as_ref().map(Tls::acceptor);
        Self { mounts, tls, builder, first_request: config.header_timeout, closing }
    }

    /// Serves a connection to its end.
    pub(super) async fn run(self: Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        // Events are small and must not wait for each other.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY is not available");
        }
        let Some(tls) = &self.tls else { return self.serve(stream, peer, false).await };
        let accepting = tokio::time::timeout(self.first_request, tls.accept(stream));
        let accepted = tokio::select! {
            accepted = accepting => accepted.unwrap_or_else(|late| Err(late.into())),
            () = self.closing.cancelled() => return,
        };
        match accepted {
            Ok(stream) => self.serve(stream, peer, true).await,
            Err(error) => tracing::debug!(%error, %peer, "no TLS connection"),
        }
    }

    async fn serve<S>(self: Arc<Self>, stream: S, peer: SocketAddr, over_tls: bool)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let begun = Arc::new(AtomicBool::new(false));
        let service = service_fn({
            // An `Arc` of the connection's own: all connections count the other one.
            let (connector, begun) = (Arc::new(self.clone()), begun.clone());
            move |mut request: Request<Incoming>| {
                let connector = connector.clone();
                begun.store(true, Ordering::Relaxed);
                if over_tls {
                    request.extensions_mut().insert(OverTls);
                }
                async move { Ok::<_, Infallible>(connector.mounts.answer(request, peer).await) }
            }
        });
        let connection = self.builder.serve_connection(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let mut first_request = pin!(tokio::time::sleep(self.first_request));
        let mut closing = pin!(self.closing.cancelled());
        let (mut watched, mut closed) = (false, false);
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, %peer, "a connection ended");
                    }
                    return;
                }
                () = closing.as_mut(), if !closed => {
                    closed = true;
                    connection.as_mut().graceful_shutdown();
                }
                // Until it knows the protocol, hyper watches no clock.
                () = first_request.as_mut(), if !watched => {
                    watched = true;
                    if !begun.load(Ordering::Relaxed) {
                        return;
                    }
                }
            }
        }
    }
}
