//! The commands of the programs `sabir` and `a2a`.
//!
//! One file a command under `command`; `args` declares the command line, `config` reads the
//! settings, `text` and `output` print, `failure` decides codes and exit statuses.

mod args;
mod command;
mod config;
mod connect;
mod failure;
mod follow;
mod message;
mod output;
mod refusal;
mod serve;
mod signal;
mod text;
mod trace;

use args::Cli;
use clap::FromArgMatches;
use std::process::ExitCode;

/// Tasks are many small pieces that come and go: `cargo xtask bench` shows what it is worth.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the program by the command line it was called with.
pub fn main() -> ExitCode {
    let name = program_name(std::env::args_os().next());
    let parsed = args::command(name)
        .try_get_matches()
        .and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    match parsed {
        Ok(cli) => command::run(name, cli),
        Err(error) => refusal::refuse(name, &error),
    }
}

/// The name the program was called by: two names have the same commands.
fn program_name(called: Option<std::ffi::OsString>) -> &'static str {
    let called = called.map(std::path::PathBuf::from).unwrap_or_default();
    match called.file_stem().and_then(|stem| stem.to_str()) {
        Some("a2a") => "a2a",
        // The name that the specification of the official command line uses.
        Some("a2a-cli") => "a2a-cli",
        _ => "sabir",
    }
}
