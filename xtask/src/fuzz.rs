//! Runs the fuzz targets of `fuzz/`.

use crate::tools::CARGO_FUZZ;
use crate::workspace::{Outcome, run as run_command};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long each target runs
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// The targets; all when none is named
    targets: Vec<String>,
}

impl Args {
    /// All targets.
    pub(crate) fn all(seconds: u32) -> Self {
        Self { seconds, targets: Vec::new() }
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let tool = CARGO_FUZZ.install()?;
    let targets = if args.targets.is_empty() { list()? } else { args.targets.clone() };
    for target in &targets {
        println!("-- {target}, {} s", args.seconds);
        let mut command = tool.command()?;
        // The address sanitizer sees what input is compared with, so the fuzzer learns words; the
        // stable compiler has it too, behind this switch.
        command.args(["fuzz", "run", target, "--"]).env("RUSTC_BOOTSTRAP", "1");
        command.arg(format!("-max_total_time={}", args.seconds)).arg("-timeout=10");
        run_command(&mut command)?;
    }
    Ok(())
}

fn list() -> Outcome<Vec<String>> {
    let output = CARGO_FUZZ.command()?.args(["fuzz", "list"]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).trim().into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}
