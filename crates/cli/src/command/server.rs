//! `server`: serves an agent made from a command, an echo, or the puppet.

use crate::args::ServerArgs;
use crate::config::server::Flags;
use crate::failure::Failure;
use crate::serve::{self, Traffic};
use sabir::Server;
use sabir_examples::echo::{self, Echo};
use sabir_examples::puppet::{self, Puppet};
use sabir_types::{AgentCard, wire};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The port unless told otherwise.
const PORT: u16 = 8080;

/// Serves it.
pub(super) async fn run(args: ServerArgs, files: Vec<PathBuf>) -> Result<(), Failure> {
    let setup = serve::settings(Flags::default(), &args.storage, &args.engine, files)?;
    setup.no_files()?;
    let preset = setup.settings.preset(None)?;
    let server = agent(&args, preset.data.as_deref())?;
    let mut server = serve::apply(server, &setup.settings, preset);
    if !args.quiet {
        let traffic = Traffic::start();
        server = server.wrap(move |agent| Arc::new(traffic.watch(agent)));
    }
    let listen = setup.settings.place(args.place.host.as_deref(), args.place.port, PORT);
    serve::serve(server, &listen, &setup.settings, |_| Ok(())).await
}

/// The agent that the mode names, with the card that the flags want.
fn agent(args: &ServerArgs, data: Option<&Path>) -> Result<Server, Failure> {
    if args.mode.echo {
        return Ok(Server::new(card(args, echo::card())?, Echo).name("echo"));
    }
    if args.mode.puppet {
        let puppet = match data {
            None => Puppet::default(),
            Some(folder) => Puppet::with_data(folder).map_err(|error| {
                Failure::internal(format!("{}: the puppet's book: {error}", folder.display()))
            })?,
        };
        return Ok(Server::new(card(args, puppet::card())?, puppet).name("puppet"));
    }
    exec(args)
}

#[cfg(unix)]
fn exec(args: &ServerArgs) -> Result<Server, Failure> {
    use sabir_examples::exec::{self, Exec, ExecConfig};
    let mut config = ExecConfig::new(args.mode.exec.clone().unwrap_or_default());
    config.chunk = args.chunk.as_deref().map(unescape);
    Ok(Server::new(card(args, exec::card(&config))?, Exec::new(config)).name("exec"))
}

#[cfg(not(unix))]
fn exec(_args: &ServerArgs) -> Result<Server, Failure> {
    Err(Failure::usage("--exec needs process groups, which this system does not have"))
}

/// The card: of the file, or the mode's own with another name; then what it may not promise.
fn card(args: &ServerArgs, own: AgentCard) -> Result<AgentCard, Failure> {
    let mut card = match &args.card {
        Some(file) => read(file)?,
        None => own,
    };
    if let Some(name) = &args.name {
        card.name.clone_from(name);
    }
    if let Some(description) = &args.description {
        card.description.clone_from(description);
    }
    if args.card.is_none() {
        card.capabilities.push_notifications = Some(true);
    }
    if args.no_streaming {
        card.capabilities.streaming = Some(false);
    }
    if args.no_push {
        card.capabilities.push_notifications = Some(false);
    }
    Ok(card)
}

fn read(file: &Path) -> Result<AgentCard, Failure> {
    let place = file.display();
    let json = std::fs::read(file)
        .map_err(|error| Failure::usage(format!("--card {place} cannot be read: {error}")))?;
    wire::from_json(&json).map_err(|error| Failure::usage(format!("--card {place}: {error}")))
}

/// Shells make it hard to write a line break: `\n`, `\r`, `\t`, `\0` and `\\` stand for one.
#[cfg(unix)]
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('0') => out.push('\0'),
            Some('\\') | None => out.push('\\'),
            Some(other) => out.extend(['\\', other]),
        }
    }
    out
}

#[cfg(all(test, unix))]
mod tests {
    use super::unescape;

    #[test]
    fn a_delimiter_may_be_written_with_escapes() {
        assert_eq!(unescape(r"\n---\n"), "\n---\n");
        assert_eq!(unescape(r"a\\n\x"), r"a\n\x");
    }
}
