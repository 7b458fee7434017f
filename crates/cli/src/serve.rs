//! Starts a server, says where it is, and ends it when told to.

mod traffic;

pub(crate) use traffic::Traffic;

use crate::args::{EngineFlags, StorageFlags};
use crate::config::client::is_server_file;
use crate::config::server::{self, Flags, Settings};
use crate::config::value::Listen;
use crate::failure::Failure;
use crate::output::Output;
use crate::signal;
use sabir::{Preset, Running, Server, ServerError};
use std::path::{Path, PathBuf};

/// The settings of a server, and the files that were named besides them.
pub(crate) struct Setup {
    pub(crate) settings: Settings,
    /// Files that are not for the server but for the agent.
    pub(crate) files: Vec<PathBuf>,
}

impl Setup {
    /// Refuses files that are neither for the server nor for an agent.
    pub(crate) fn no_files(&self) -> Result<(), Failure> {
        match self.files.first() {
            None => Ok(()),
            Some(file) => Err(Failure::usage(format!(
                "--config {}: the settings of a server are in a .toml file",
                file.display()
            ))),
        }
    }
}

/// Reads the settings: flags over the environment over the file.
pub(crate) fn settings(
    mut flags: Flags,
    storage: &StorageFlags,
    engine: &EngineFlags,
    mut files: Vec<PathBuf>,
) -> Result<Setup, Failure> {
    files.extend(engine.config.iter().cloned());
    let (mine, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_server_file(file));
    flags.set("data", storage.data.as_deref().and_then(Path::to_str));
    // What the command line says last about storage holds, whatever a file says.
    flags.set("memory", storage.data.as_ref().map(|_| false));
    flags.switch("memory", storage.memory);
    flags.set("bindings", engine.bindings.as_deref());
    flags.set("idempotency", engine.idempotency.as_deref());
    flags.set("input_modes", engine.input_modes.as_deref());
    flags.set("error_table", engine.error_table.as_deref());
    flags.switch("v0_3", engine.v0_3);
    flags.switch("webhooks.allow_loopback", engine.allow_loopback_webhooks);
    let loaded = server::load(mine.last().map(PathBuf::as_path), flags)?;
    Ok(Setup { settings: loaded.settings, files })
}

/// Applies the settings to a server.
pub(crate) fn apply(server: Server, settings: &Settings, preset: Preset) -> Server {
    let server = server.preset(preset);
    match settings.tokens() {
        Some(tokens) => server.auth(tokens),
        None => server,
    }
}

/// Serves until told to end; `ready` is called once everything is up.
pub(crate) async fn serve(
    server: Server,
    listen: &Listen,
    settings: &Settings,
    ready: impl FnOnce(&Running) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let out = Output::default();
    let running = server.start(listen.to_string()).await.map_err(failure)?;
    ready(&running)?;
    out.note(&format!("Listening on {}", running.url()));
    if !running.address().ip().is_loopback() && settings.users.is_empty() {
        out.warning("no users are set: whoever reaches this port may call");
    }
    signal::told_to_end().await;
    out.note("Stopping: what is under way is finished first; Ctrl-C again stops at once");
    signal::until_interrupted(running.stop()).await;
    Ok(())
}

fn failure(error: ServerError) -> Failure {
    let message = error.to_string();
    match error {
        ServerError::Listen { source, .. } if source.kind() == std::io::ErrorKind::AddrInUse => {
            Failure::internal(message).hint("something listens there already: choose another port")
        }
        ServerError::PublicUrl(_) => Failure::usage(message),
        _ => Failure::internal(message),
    }
}
