//! Bundles of defaults with a name: [`memory`], [`durable`] and [`conformance`].

use sabir_bindings::ServerConfig;
use sabir_client::GuardConfig;
use sabir_engine::{EngineConfig, Idempotency, InputModes, Retention};
use std::path::PathBuf;
use std::time::Duration;

/// Everything a [`Server`](crate::Server) can be told; change what you want of a named one.
///
/// ```
/// use sabir::presets;
/// use std::time::Duration;
///
/// let mut preset = presets::memory();
/// preset.engine.abandoned = Some(Duration::from_secs(60));
/// ```
#[derive(Clone, Debug)]
pub struct Preset {
    /// The folder of the database; in memory without one.
    pub data: Option<PathBuf>,
    /// When what is written to the database counts as kept.
    #[cfg(feature = "sqlite")]
    pub synchronous: sabir_stores::Synchronous,
    /// How long things are kept.
    pub retention: Retention,
    /// How agents are run.
    pub engine: EngineConfig,
    /// How they are served.
    pub server: ServerConfig,
    /// Where webhooks may be.
    pub webhooks: GuardConfig,
    /// How long a server that stops goes on with what is under way.
    pub drain: Duration,
}

/// Tasks are kept in memory and are gone with the process: for tests and throw-away servers.
pub fn memory() -> Preset {
    Preset {
        data: None,
        #[cfg(feature = "sqlite")]
        synchronous: sabir_stores::Synchronous::default(),
        retention: Retention::memory(),
        engine: EngineConfig::default(),
        server: ServerConfig::default(),
        webhooks: GuardConfig::default(),
        drain: Duration::from_secs(10),
    }
}

/// Tasks are kept in a database in this folder and survive the process.
#[cfg(feature = "sqlite")]
pub fn durable(folder: impl Into<PathBuf>) -> Preset {
    Preset { data: Some(folder.into()), retention: Retention::durable(), ..memory() }
}

/// For test kits: they reuse message ids, send any media type, and have webhooks on loopback.
pub fn conformance() -> Preset {
    let mut preset = memory();
    preset.engine.idempotency = Idempotency::Off;
    preset.engine.input_modes = InputModes::Any;
    preset.webhooks.allow_loopback = true;
    preset
}
