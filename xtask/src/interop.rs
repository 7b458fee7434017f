//! Runs the suite against agents and clients of other makers.
//!
//! The suite is `tests/interop/run.py`; what it needs of Python and of npm is pinned beside it
//! and installed below `target/interop`.

use crate::metadata::Metadata;
use crate::python::Venv;
use crate::workspace::{Outcome, cargo, root, run as run_command};
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Meet every kit, and write docs/interop.md
    #[arg(long)]
    all: bool,
    /// What `tests/interop/run.py` takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Whether the programs are built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    /// By an earlier step.
    IsDone,
    /// Not yet.
    IsNeeded,
}

/// The kits that CI meets, which is to be short; all there are is for the long runs.
const IN_CI: [&str; 6] = ["--kit", "a2a-sdk", "--kit", "@a2a-js/sdk", "--kit", "a2a-sdk 0.3"];

pub(crate) fn run(args: &Args) -> Outcome {
    if args.all {
        return all(&args.args);
    }
    if args.args.iter().any(|arg| arg.starts_with("--kit")) {
        return suite(Build::IsNeeded, &["js", "js03"], &args.args);
    }
    let in_ci = IN_CI.map(str::to_owned).into_iter().chain(args.args.iter().cloned());
    suite(Build::IsNeeded, &["js"], &in_ci.collect::<Vec<_>>())
}

/// Runs what CI runs, on the programs of an earlier step.
pub(crate) fn check() -> Outcome {
    suite(Build::IsDone, &["js"], &IN_CI.map(str::to_owned))
}

/// Runs the whole suite, and keeps its matrix.
pub(crate) fn all(args: &[String]) -> Outcome {
    let matrix = ["--matrix", "docs/interop.md"].map(str::to_owned);
    let args: Vec<_> = matrix.into_iter().chain(args.iter().cloned()).collect();
    suite(Build::IsNeeded, &["js", "js03"], &args)
}

fn suite(build: Build, npm_folders: &[&str], args: &[String]) -> Outcome {
    let suite = root().join("tests/interop");
    let venv = Venv::install("interop", &suite.join("requirements.txt"))?;
    // Two releases of one package cannot stand in one environment.
    let older = Venv::install("interop-0.3", &suite.join("py03/requirements.txt"))?;
    let path = venv.with_node()?;
    for folder in npm_folders {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--prefer-offline"]).env("PATH", &path);
        run_command(npm.current_dir(suite.join(folder)))?;
    }
    if build == Build::IsNeeded {
        run_command(&mut cargo(["build", "--locked", "--package", "sabir-cli"]))?;
    }
    let mut python = Command::new(venv.program("python"));
    let sabir = Metadata::read()?.target_directory.join("debug/sabir");
    python.arg(suite.join("run.py")).arg("--sabir").arg(sabir);
    python.arg("--older-python").arg(older.program("python"));
    run_command(python.args(args).env("PATH", &path).current_dir(root()))
}
