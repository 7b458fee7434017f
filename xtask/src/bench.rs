//! Measures, beside peers and a bare route: the package `bench/` does the work.

use crate::workspace::{Outcome, cargo, run as run_command};

#[derive(clap::Args, Default)]
pub(crate) struct Args {
    /// What the package in `bench/` takes; `--help` lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut command =
        cargo(["run", "--release", "--locked", "--manifest-path", "bench/Cargo.toml"]);
    run_command(command.arg("--").args(&args.args))
}
