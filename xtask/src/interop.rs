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
    /// What `tests/interop/run.py` takes
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

/// Whether the programs are built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    /// By an earlier step.
    IsDone,
    /// Not yet.
    IsNeeded,
}

pub(crate) fn run(args: &Args) -> Outcome {
    suite(Build::IsNeeded, &args.args)
}

/// Runs the whole suite.
pub(crate) fn check(build: Build) -> Outcome {
    suite(build, &[])
}

fn suite(build: Build, args: &[String]) -> Outcome {
    let suite = root().join("tests/interop");
    let venv = Venv::install("interop", &suite.join("requirements.txt"))?;
    let path = venv.with_node()?;
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--prefer-offline"]).env("PATH", &path);
    run_command(npm.current_dir(suite.join("js")))?;
    if build == Build::IsNeeded {
        run_command(&mut cargo(["build", "--locked", "--package", "sabir-cli"]))?;
    }
    let mut python = Command::new(venv.program("python"));
    let sabir = Metadata::read()?.target_directory.join("debug/sabir");
    python.arg(suite.join("run.py")).arg("--sabir").arg(sabir);
    run_command(python.args(args).env("PATH", &path).current_dir(root()))
}
