//! Runs the suite against agents and clients of other makers.
//!
//! The suite is `tests/interop/run.py`; what it needs of Python and of npm is pinned beside it
//! and installed below `target/interop`. Kits in Rust and in Go are built for the long runs only.

use crate::metadata::Metadata;
use crate::python::{Venv, answers};
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

/// The official command line, by its package and version.
const OFFICIAL_CLI: [&str; 2] = ["a2a-cli", "=0.4.5"];

/// The kits that have to be built.
const RUST_KITS: [&str; 3] = ["a2a-lf", "a2a-cli", "a2a-protocol-sdk"];

/// The kit in Go, which is left out where Go is not.
const GO_KIT: &str = "a2a-go";

/// Where its programs are built.
const GO_TARGET: &str = "target/interop-go";

/// Where the kits in Rust and the command line are built, so that they share what they can.
const RUST_TARGET: &str = "target/interop-rust";

/// Where the command line is installed.
const CLI_ROOT: &str = "target/interop-cli";

/// The kits that CI meets, which is to be short; all there are is for the long runs.
const IN_CI: [&str; 6] = ["--kit", "a2a-sdk", "--kit", "@a2a-js/sdk", "--kit", "a2a-sdk 0.3"];

pub(crate) fn run(args: &Args) -> Outcome {
    if args.all {
        return all(&args.args);
    }
    let asked: Vec<_> = args.args.iter().map(|arg| arg.trim_start_matches("--kit=")).collect();
    if RUST_KITS.iter().any(|kit| asked.contains(kit)) {
        build_rust_kits()?;
    }
    let go = if asked.contains(&GO_KIT) { build_go_kit()?.to_vec() } else { Vec::new() };
    if args.args.iter().any(|arg| arg.starts_with("--kit")) {
        return suite(Build::IsNeeded, &["js", "js03"], &[&go[..], &args.args].concat());
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
    build_rust_kits()?;
    let mut all = ["--matrix", "docs/interop.md"].map(str::to_owned).to_vec();
    if answers("go", &["version"]) {
        all.extend(build_go_kit()?);
    } else {
        println!("skipped: go is not on PATH, which the kit {GO_KIT} needs");
    }
    all.extend_from_slice(args);
    suite(Build::IsNeeded, &["js", "js03"], &all)
}

/// Builds the kit in Go, and returns what tells the suite where it is; without, the suite has none.
fn build_go_kit() -> Outcome<[String; 2]> {
    let mut go = Command::new("go");
    go.args(["build", "-C", "tests/interop/go", "-o"]).arg(root().join(GO_TARGET).join(""));
    run_command(go.arg("./cmd/...").current_dir(root()))?;
    Ok(["--go-kit", GO_TARGET].map(str::to_owned))
}

/// Builds the kits in Rust, and installs the official command line unless it is there.
fn build_rust_kits() -> Outcome {
    let manifest = "tests/interop/rust/Cargo.toml";
    let build = ["build", "--locked", "--manifest-path", manifest, "--target-dir", RUST_TARGET];
    run_command(&mut cargo(build))?;
    let [package, version] = OFFICIAL_CLI;
    let mut install = cargo(["install", package, "--version", version, "--locked", "--debug"]);
    // Without TLS, as the kits: it takes longer to build than all the rest.
    install.args(["--no-default-features", "--root", CLI_ROOT, "--target-dir", RUST_TARGET]);
    run_command(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))
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
        let ours = ["--package", "sabir-cli", "--package", "sabir-conformance"];
        run_command(cargo(["build", "--locked"]).args(ours))?;
    }
    let mut python = Command::new(venv.program("python"));
    let sabir = Metadata::read()?.target_directory.join("debug/sabir");
    python.arg(suite.join("run.py")).arg("--sabir").arg(sabir);
    python.arg("--older-python").arg(older.program("python"));
    python.args(["--rust-kits", &format!("{RUST_TARGET}/debug")]);
    python.args(["--a2acli", &format!("{CLI_ROOT}/bin/a2acli")]);
    run_command(python.args(args).env("PATH", &path).current_dir(root()))
}
