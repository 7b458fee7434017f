//! Programs that the tasks use and that come from crates.io.

use crate::workspace::{Outcome, cargo, root, run};
use std::path::PathBuf;
use std::process::Command;

/// Checks licences, banned features, duplicates and sources (`deny.toml`).
pub(crate) const CARGO_DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2" };

/// Runs fuzz targets.
pub(crate) const CARGO_FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2" };

/// A program from crates.io.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

impl Tool {
    /// Where it is: where we put it, else wherever the developer has it.
    fn find(self) -> Option<PathBuf> {
        let ours = root().join("target/tools/bin").join(self.name);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let theirs = std::env::split_paths(&path).map(|dir| dir.join(self.name));
        std::iter::once(ours).chain(theirs).find(|path| path.is_file())
    }

    /// Installs it below `target`, unless it is there.
    pub(crate) fn install(self) -> Outcome<Self> {
        if self.find().is_none() {
            let package = format!("{}@{}", self.name, self.version);
            run(&mut cargo(["install", "--locked", "--root", "target/tools", &package]))?;
        }
        Ok(self)
    }

    /// A command of it, in the root.
    pub(crate) fn command(self) -> Outcome<Command> {
        let path = self.find().ok_or_else(|| format!("{} is not installed", self.name))?;
        let mut command = Command::new(path);
        command.current_dir(root());
        Ok(command)
    }

    /// Runs `cargo deny` over all that needs no list from elsewhere.
    pub(crate) fn check(self) -> Outcome {
        run(self.command()?.args([
            "check",
            "--hide-inclusion-graph",
            "bans",
            "licenses",
            "sources",
        ]))
    }

    /// As [`Tool::check`], where it is installed: building it takes longer than all of CI.
    pub(crate) fn check_if_installed(self) -> Outcome {
        if self.find().is_some() {
            return self.check();
        }
        println!("skipped: {} is not installed; `cargo xtask nightly` installs it", self.name);
        Ok(())
    }
}
