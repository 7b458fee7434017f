//! Serves agents: puts engine, store, webhooks and bindings together.

mod running;

pub use running::Running;

use crate::presets::{self, Preset};
use axum::Router;
use sabir_bindings::{Authenticator, BaseUrl, BaseUrlError, Routes};
use sabir_client::{Guard, Webhooks};
use sabir_engine::{Agent, Delivery, Engine, Executor, MemoryStore, Store, StoreError};
use sabir_types::AgentCard;
use std::fmt;
use std::io;
#[cfg(feature = "sqlite")]
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::ToSocketAddrs;

/// Serves one agent, or several on one port.
///
/// ```no_run
/// use sabir::prelude::*;
/// # struct Hello;
/// # #[async_trait]
/// # impl Executor for Hello {
/// #     async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
/// #         turn.completed(turn.text()).await?;
/// #         Ok(())
/// #     }
/// # }
/// # async fn serve() -> Result<(), ServerError> {
/// let card = AgentCard::new("Hello Agent", "Says hello");
/// Server::new(card, Hello)
///     .data("./hello-data")
///     .public_url("https://agents.example.com/hello")
///     .listen("127.0.0.1:9000")
///     .await
/// # }
/// ```
pub struct Server {
    preset: Preset,
    agents: Vec<Mounted>,
    authenticator: Option<Arc<dyn Authenticator>>,
    public_url: Option<String>,
    store: Option<Arc<dyn Store>>,
    origin_card: Option<String>,
    wrap: Option<Wrap>,
}

/// Puts something around an agent.
type Wrap = Box<dyn Fn(Arc<dyn Agent>) -> Arc<dyn Agent> + Send>;

/// An agent and where it is served.
struct Mounted {
    name: String,
    path: String,
    card: AgentCard,
    extended: Option<AgentCard>,
    executor: Box<dyn FnOnce(AgentCard) -> sabir_engine::EngineBuilder + Send>,
}

/// Why a server does not start, or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The store cannot be opened or read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Webhooks cannot be called.
    #[error("webhooks cannot be set up: {0}")]
    Webhooks(sabir_client::Failure),
    /// The public URL is none.
    #[error("the public URL {0}")]
    PublicUrl(#[from] BaseUrlError),
    /// A router serves one agent.
    #[error("a router serves one agent, not {0}")]
    NotOne(usize),
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agents: Vec<&str> = self.agents.iter().map(|agent| &*agent.path).collect();
        f.debug_struct("Server").field("agents", &agents).finish_non_exhaustive()
    }
}

impl Default for Server {
    /// Serves nothing yet: add agents with [`agent`](Self::agent).
    fn default() -> Self {
        Self {
            preset: presets::memory(),
            agents: Vec::new(),
            authenticator: None,
            public_url: None,
            store: None,
            origin_card: None,
            wrap: None,
        }
    }
}

impl Server {
    /// Serves this agent, in memory and open to everybody unless told otherwise.
    pub fn new(card: AgentCard, executor: impl Executor) -> Self {
        Self::default().agent("/", card, executor)
    }

    /// Adds an agent below a path such as `/agents/hello`. Within the store it is known by the
    /// last word of the path, or as `agent`; see [`name`](Self::name).
    #[must_use]
    pub fn agent(
        mut self,
        path: impl Into<String>,
        card: AgentCard,
        executor: impl Executor,
    ) -> Self {
        let path = path.into();
        let last = path.rsplit('/').find(|word| !word.is_empty());
        self.agents.push(Mounted {
            name: last.unwrap_or("agent").to_owned(),
            path,
            card,
            extended: None,
            executor: Box::new(|card| Engine::builder(card, executor)),
        });
        self
    }

    /// Names the agent that was added last within the store: what it finds there after a restart
    /// is what an agent of this name left.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        if let Some(agent) = self.agents.last_mut() {
            agent.name = name.into();
        }
        self
    }

    /// The card that the agent that was added last shows to callers who have proven who they are.
    #[must_use]
    pub fn extended_card(mut self, card: AgentCard) -> Self {
        if let Some(agent) = self.agents.last_mut() {
            agent.extended = Some(card);
        }
        self
    }

    /// Uses a named bundle of settings, instead of [`presets::memory`].
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        self.preset = preset;
        self
    }

    /// Keeps tasks in a database in this folder, so that they survive the process.
    #[cfg(feature = "sqlite")]
    #[must_use]
    pub fn data(mut self, folder: impl Into<PathBuf>) -> Self {
        self.preset.data = Some(folder.into());
        self.preset.retention = sabir_engine::Retention::durable();
        self
    }

    /// Keeps tasks in this store, whatever the preset says.
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// The URL under which others reach the server, if a proxy stands before it.
    #[must_use]
    pub fn public_url(mut self, url: impl Into<String>) -> Self {
        self.public_url = Some(url.into());
        self
    }

    /// Serves A2A 0.3 as well as 1.0, on the same port, and lists it in cards. A request that names
    /// no version is one of 0.3 then.
    #[must_use]
    pub fn v0_3(mut self) -> Self {
        self.preset.server.v0_3 = true;
        self
    }

    /// Speaks TLS, with a certificate and its key that [`Tls`](sabir_bindings::Tls) has read.
    #[must_use]
    pub fn tls(mut self, tls: sabir_bindings::Tls) -> Self {
        self.preset.server.tls = Some(tls);
        self
    }

    /// Lets only those call whom this knows, such as
    /// [`StaticTokens`](sabir_bindings::StaticTokens).
    #[must_use]
    pub fn auth(mut self, authenticator: impl Authenticator) -> Self {
        self.authenticator = Some(Arc::new(authenticator));
        self
    }

    /// Serves the card of the agent at this path also at the origin, where callers look who know
    /// nothing but the host.
    #[must_use]
    pub fn origin_card(mut self, path: impl Into<String>) -> Self {
        self.origin_card = Some(path.into());
        self
    }

    /// Puts something around each agent that sees all its calls, such as a recorder.
    #[must_use]
    pub fn wrap(
        mut self,
        wrap: impl Fn(Arc<dyn Agent>) -> Arc<dyn Agent> + Send + 'static,
    ) -> Self {
        self.wrap = Some(Box::new(wrap));
        self
    }

    /// Serves until Ctrl-C or SIGTERM, then finishes what is under way.
    ///
    /// # Errors
    /// When it cannot start.
    pub async fn listen(
        self,
        address: impl ToSocketAddrs + fmt::Display,
    ) -> Result<(), ServerError> {
        let running = self.start(address).await?;
        tracing::info!(url = %running.url(), "listening");
        running::told_to_end().await;
        running.stop().await;
        Ok(())
    }

    /// Starts to serve; port 0 takes a free one.
    ///
    /// # Errors
    /// When it cannot start.
    pub async fn start(
        self,
        address: impl ToSocketAddrs + fmt::Display,
    ) -> Result<Running, ServerError> {
        let name = address.to_string();
        let failed = |source| ServerError::Listen { address: name.clone(), source };
        // The port first: a second server on it must not touch the first one's store.
        let listener = tokio::net::TcpListener::bind(address).await.map_err(failed)?;
        let drain = self.preset.drain;
        let mut config = self.preset.server.clone();
        if let Some(url) = &self.public_url {
            config.public_url = Some(url.parse()?);
        }
        let mut server = sabir_bindings::Server::new().config(config);
        if let Some(path) = self.origin_card.clone() {
            server = server.origin_card(path);
        }
        let mut engines = Vec::new();
        for (path, routes, engine) in self.assemble().await? {
            server = server.agent(path, routes);
            engines.push(engine);
        }
        let handle = server.serve(listener).map_err(failed)?;
        Ok(Running { handle, engines, drain })
    }

    /// The one agent as a router, to be mounted in an axum application of yours with `nest_service`.
    ///
    /// # Errors
    /// When the store cannot be opened, or there is not exactly one agent.
    pub async fn router(self) -> Result<Router, ServerError> {
        let mut config = self.preset.server.clone();
        if let Some(url) = &self.public_url {
            config.public_url = Some(url.parse::<BaseUrl>()?);
        }
        let mut agents = self.assemble().await?;
        match (agents.pop(), agents.len()) {
            (Some((_, routes, _)), 0) => Ok(routes.config(config).into_router()),
            (None, _) => Err(ServerError::NotOne(0)),
            (Some(_), others) => Err(ServerError::NotOne(others + 1)),
        }
    }

    /// Starts an engine for each agent.
    async fn assemble(self) -> Result<Vec<(String, Routes, Engine)>, ServerError> {
        let store = match self.store {
            Some(store) => store,
            None => open(&self.preset).await?,
        };
        let guard = Guard::new(self.preset.webhooks).map_err(ServerError::Webhooks)?;
        let webhooks: Arc<dyn Delivery> = Arc::new(Webhooks::new(guard));
        let mut assembled = Vec::new();
        for agent in self.agents {
            let mut builder = (agent.executor)(agent.card)
                .name(agent.name)
                .store(store.clone())
                .delivery(webhooks.clone())
                .config(self.preset.engine.clone());
            if let Some(card) = agent.extended {
                builder = builder.extended_card(card);
            }
            let engine = builder.start().await?;
            let served: Arc<dyn Agent> = Arc::new(engine.clone());
            let served =
                self.wrap.as_ref().map_or_else(|| served.clone(), |wrap| wrap(served.clone()));
            let mut routes = Routes::new(served, engine.card().clone());
            if let Some(authenticator) = &self.authenticator {
                routes = routes.authenticator(authenticator.clone());
            }
            assembled.push((agent.path, routes, engine));
        }
        Ok(assembled)
    }
}

/// Opens the store that the preset names.
async fn open(preset: &Preset) -> Result<Arc<dyn Store>, StoreError> {
    let Some(folder) = &preset.data else {
        return Ok(Arc::new(MemoryStore::new(preset.retention.clone())));
    };
    #[cfg(feature = "sqlite")]
    {
        open_database(folder, preset).await
    }
    #[cfg(not(feature = "sqlite"))]
    Err(StoreError::new(format!("{}: built without the feature `sqlite`", folder.display())))
}

/// Opens the database in a folder, which is made if need be.
#[cfg(feature = "sqlite")]
async fn open_database(folder: &Path, preset: &Preset) -> Result<Arc<dyn Store>, StoreError> {
    use sabir_stores::{SqliteOptions, SqliteStore};
    let folder = folder.to_path_buf();
    let options = SqliteOptions {
        retention: preset.retention.clone(),
        synchronous: preset.synchronous,
        ..SqliteOptions::default()
    };
    let opening = tokio::task::spawn_blocking(move || SqliteStore::open_in(folder, options));
    let store = opening.await.map_err(StoreError::new)??;
    Ok(Arc::new(store))
}
