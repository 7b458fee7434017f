//! The tasks of this workspace: `cargo xtask --help` lists them.

mod bench;
mod ci;
mod deps;
mod features;
mod fuzz;
mod interop;
mod kit;
mod metadata;
mod nightly;
mod openapi;
mod python;
mod sizes;
mod spec_links;
mod step;
mod tools;
mod workspace;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use workspace::Outcome;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The tasks of this workspace")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All that has to pass before a change lands; what CI runs
    Ci(ci::Args),
    /// The long suites, by hand: many cases, fuzzing, measurements
    Nightly(nightly::Args),
    /// Check that dependencies between crates point down, as ARCHITECTURE.md draws them
    Deps(deps::Args),
    /// Check that every library builds alone, and with each of its features alone
    Features,
    /// Print how large files, functions and traits are
    Sizes,
    /// Check that links to a specification name its version and a section that exists
    SpecLinks,
    /// Check licences, banned features, duplicates and sources of all dependencies (deny.toml)
    Licences,
    /// Run the suite against agents and clients of other makers (needs Python; installs the rest)
    Interop(interop::Args),
    /// Try by schemathesis what the agent's OpenAPI document promises (needs Python)
    Openapi,
    /// Run an official test kit, from a checkout of it, against the conformance agent
    Kit(kit::Args),
    /// Run the fuzz targets
    Fuzz(fuzz::Args),
    /// Measure, beside peers and a bare route
    Bench(bench::Args),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().task {
        Task::Ci(args) => ci::run(&args),
        Task::Nightly(args) => nightly::run(&args),
        Task::Deps(args) => deps::run(&args),
        Task::Features => features::run(),
        Task::Sizes => sizes::run(),
        Task::SpecLinks => spec_links::run(),
        Task::Licences => tools::CARGO_DENY.install().and_then(tools::Tool::check),
        Task::Interop(args) => interop::run(&args),
        Task::Openapi => openapi::run(),
        Task::Kit(args) => kit::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Bench(args) => bench::run(&args),
    };
    report(outcome)
}

fn report(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
