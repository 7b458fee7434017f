//! Puts the agent together and serves it, on as many ports as it is given.

use crate::access::Access;
use crate::executor::Conformance;
use crate::guarded::Guarded;
use crate::profile::{ExtendedCard, Profile};
use sabir::bindings::{Routes, Server, ServerConfig, ServerHandle};
use sabir::client::{Guard, Webhooks};
use sabir::engine::{Agent, Engine};
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// ITK calls the agent that it begins with there, whatever the card says.
const ITK_ENTRY: &str = "/jsonrpc";

/// The agent while it is served.
pub struct Serving {
    engine: Engine,
    handles: Vec<ServerHandle>,
    drain: Duration,
}

/// Serves the agent on each of these addresses; port 0 takes a free one.
///
/// # Errors
/// When an address cannot be listened on.
pub async fn start(
    profile: &Profile,
    addresses: &[SocketAddr],
) -> Result<Serving, Box<dyn Error + Send + Sync>> {
    let preset = profile.preset();
    let webhooks = Webhooks::new(Guard::new(preset.webhooks)?);
    let mut builder = Engine::builder(profile.card(), Conformance::default())
        .delivery(Arc::new(webhooks))
        .config(preset.engine);
    if let Some(card) = profile.extended() {
        builder = builder.extended_card(card);
    }
    let engine = builder.start().await?;
    let mut agent: Arc<dyn Agent> = Arc::new(engine.clone());
    if profile.extended_card == ExtendedCard::Guarded {
        agent = Arc::new(Guarded(agent));
    }
    let routes = Routes::new(agent, engine.card().clone())
        .authenticator(Arc::new(Access::new(profile.auth)));
    let mut handles = Vec::new();
    for address in addresses {
        handles.push(serve(&routes, preset.server.clone(), *address).await?);
    }
    Ok(Serving { engine, handles, drain: preset.drain })
}

async fn serve(
    routes: &Routes,
    config: ServerConfig,
    address: SocketAddr,
) -> Result<ServerHandle, Box<dyn Error + Send + Sync>> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let server = Server::new().config(config).default_agent(routes.clone());
    Ok(server.agent(ITK_ENTRY, routes.clone()).serve(listener)?)
}

impl Serving {
    /// Where it listens, in the order of the addresses.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.handles.iter().map(ServerHandle::local_addr).collect()
    }

    /// Lets the turns end within the drain time, then closes the ports.
    pub async fn stop(self) {
        self.engine.drain(self.drain).await;
        for handle in self.handles {
            handle.shutdown(Duration::from_millis(500)).await;
        }
    }
}

impl fmt::Debug for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving").field("addresses", &self.addresses()).finish_non_exhaustive()
    }
}
