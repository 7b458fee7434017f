//! A server of one or several agents on one port.

mod connection;
mod mounts;

use crate::config::ServerConfig;
use crate::routes::Routes;
use axum::Router;
use connection::Connector;
use mounts::Mounts;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

/// Serves agents on one port: HTTP/1.1, and HTTP/2 to those who begin with it, in cleartext or over
/// [TLS](ServerConfig::tls).
///
/// ```no_run
/// # use std::sync::Arc;
/// # use std::time::Duration;
/// # use sabir_bindings::{Routes, Server};
/// # async fn serve(
/// #     agent: Arc<dyn sabir_engine::Agent>,
/// #     card: sabir_types::AgentCard,
/// # ) -> std::io::Result<()> {
/// let server = Server::new().default_agent(Routes::new(agent, card)).listen("127.0.0.1:7420").await?;
/// println!("http://{}", server.local_addr());
///
/// tokio::signal::ctrl_c().await?;
/// server.shutdown(Duration::from_secs(10)).await;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Server {
    config: ServerConfig,
    agents: Vec<(String, Routes)>,
    routers: Vec<(String, Router)>,
    origin_card: Option<String>,
}

impl Server {
    /// Serves nothing yet, with the default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with these settings.
    #[must_use]
    pub fn config(mut self, config: ServerConfig) -> Self {
        self.config = config;
        self
    }

    /// Adds an agent whose base URL ends in this path, such as `/agents/hello`.
    #[must_use]
    pub fn agent(mut self, path: impl Into<String>, routes: Routes) -> Self {
        self.agents.push((path.into(), routes));
        self
    }

    /// Adds the agent whose base URL is the origin. It has all paths that nobody else has.
    #[must_use]
    pub fn default_agent(self, routes: Routes) -> Self {
        self.agent("/", routes)
    }

    /// Serves the card of the agent at this path also at the origin, where clients look first.
    #[must_use]
    pub fn origin_card(mut self, path: impl Into<String>) -> Self {
        self.origin_card = Some(path.into());
        self
    }

    /// Adds a router of yours under a path, which it does not see.
    #[must_use]
    pub fn router(mut self, path: impl Into<String>, router: Router) -> Self {
        self.routers.push((path.into(), router));
        self
    }

    /// Listens on an address and serves there.
    ///
    /// # Errors
    /// When the address cannot be listened on, or a path is not one.
    pub async fn listen(self, address: impl ToSocketAddrs) -> io::Result<ServerHandle> {
        self.serve(TcpListener::bind(address).await?)
    }

    /// Serves on a listener. It must be called within a Tokio runtime.
    ///
    /// # Errors
    /// When the listener has no address, or a path is not one.
    pub fn serve(self, listener: TcpListener) -> io::Result<ServerHandle> {
        let local_addr = listener.local_addr()?;
        let closing = CancellationToken::new();
        let limit = Arc::new(Semaphore::new(self.config.connections));
        let config = Arc::new(self.config);
        let loopback = local_addr.ip().to_canonical().is_loopback();
        let mut mounts = Mounts::new(config.clone(), loopback, &closing);
        for (path, routes) in self.agents {
            mounts.add_agent(&path, routes.serve(config.clone(), loopback, closing.clone()))?;
        }
        for (path, router) in self.routers {
            mounts.add_router(&path, router)?;
        }
        if let Some(path) = self.origin_card {
            mounts.set_origin_card(&path)?;
        }
        let is_tls = config.tls.is_some();
        let connector = Arc::new(Connector::new(mounts, &config, closing.clone()));
        let accepting = tokio::spawn(accept(listener, connector, limit, closing.clone()));
        Ok(ServerHandle { local_addr, is_tls, closing, accepting })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.agents.iter().map(|(path, _)| path).collect::<Vec<_>>();
        f.debug_struct("Server").field("agents", &paths).finish_non_exhaustive()
    }
}

/// Accepts until the server closes; gives back the connections that are open then.
async fn accept(
    listener: TcpListener,
    connector: Arc<Connector>,
    limit: Arc<Semaphore>,
    closing: CancellationToken,
) -> JoinSet<()> {
    let mut open = JoinSet::new();
    loop {
        let permit = limit.clone().acquire_owned();
        let accepted = async {
            let permit = permit.await;
            (listener.accept().await, permit)
        };
        tokio::select! {
            biased;
            () = closing.cancelled() => return open,
            Some(_) = open.join_next() => {}
            (accepted, permit) = accepted => match accepted {
                Ok((stream, peer)) => {
                    let connector = connector.clone();
                    open.spawn(async move {
                        connector.run(stream, peer).await;
                        drop(permit);
                    });
                }
                Err(error) => recover(&error).await,
            },
        }
    }
}

/// A connection that was gone before it was accepted costs nothing; when files or memory have run
/// out, others may end meanwhile.
async fn recover(error: &io::Error) {
    use io::ErrorKind as K;
    let gone = [K::ConnectionAborted, K::ConnectionReset, K::ConnectionRefused];
    if !gone.contains(&error.kind()) {
        tracing::warn!(%error, "a connection could not be accepted");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// A running server. Dropping the handle leaves it running.
#[derive(Debug)]
pub struct ServerHandle {
    local_addr: SocketAddr,
    is_tls: bool,
    closing: CancellationToken,
    accepting: JoinHandle<JoinSet<()>>,
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were cut, because a call was still being answered when the time was up.
    pub cut: usize,
}

impl ServerHandle {
    /// The address it listens on.
    pub fn local_addr(&self) -> SocketAddr {
        self.local_addr
    }

    /// Whether it speaks TLS.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Stops: no more connections, streams end where they are, calls get this long to be answered.
    pub async fn shutdown(self, timeout: Duration) -> Drained {
        self.closing.cancel();
        let Ok(mut open) = self.accepting.await else { return Drained { cut: 0 } };
        let answered = async { while open.join_next().await.is_some() {} };
        if tokio::time::timeout(timeout, answered).await.is_err() {
            tracing::warn!(connections = open.len(), "the time to close is up, calls are cut off");
        }
        let cut = open.len();
        open.shutdown().await;
        Drained { cut }
    }
}
