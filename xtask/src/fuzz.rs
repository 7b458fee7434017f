//! Runs the fuzz targets of `fuzz/`, from what the golden files hold.

use crate::tools::CARGO_FUZZ;
use crate::workspace::{Outcome, root, run as run_command};
use std::fs;
use std::path::Path;
use std::process::Command;

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

/// As [`run`], where there is a C++ compiler: libFuzzer is written in C++, nothing else here is.
pub(crate) fn run_if_possible(args: &Args) -> Outcome {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    if Command::new(&compiler).arg("--version").output().is_ok_and(|out| out.status.success()) {
        return run(args);
    }
    println!("skipped: {compiler} is not there, which libFuzzer needs");
    Ok(())
}

pub(crate) fn run(args: &Args) -> Outcome {
    let tool = CARGO_FUZZ.install()?;
    let targets = if args.targets.is_empty() { list()? } else { args.targets.clone() };
    let seeds = seeds()?;
    for target in &targets {
        plant(target, &seeds)?;
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

/// What every operation and every error looks like on the wire: the bodies in JSON, the messages
/// in protobuf, and the files as they are, which hold event streams.
fn seeds() -> Outcome<Vec<Vec<u8>>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(root().join("crates/bindings/tests/golden"))? {
        let path = entry?.path();
        let files = if path.is_dir() {
            fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<Outcome<Vec<_>>>()?
        } else {
            vec![path]
        };
        for file in files {
            let text = fs::read_to_string(file)?;
            seeds.extend(text.lines().filter_map(body));
            seeds.push(text.into_bytes());
        }
    }
    Ok(seeds)
}

/// A line that is a body by itself.
fn body(line: &str) -> Option<Vec<u8>> {
    if line.starts_with('{') {
        return Some(line.as_bytes().to_vec());
    }
    if line.is_empty() || !line.len().is_multiple_of(2) {
        return None;
    }
    let pairs = line.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Puts the seeds where the fuzzer keeps what it found earlier.
fn plant(target: &str, seeds: &[Vec<u8>]) -> Outcome {
    let corpus = root().join("fuzz/corpus").join(Path::new(target));
    fs::create_dir_all(&corpus)?;
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(corpus.join(format!("golden-{number}")), seed)?;
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
