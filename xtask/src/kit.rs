//! Runs the official test kits, from checkouts of them, against the conformance agent.

use crate::metadata::Metadata;
use crate::python::Venv;
use crate::workspace::{Outcome, cargo, root, run as run_command};
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which kit
    kit: Kit,
    /// A checkout of it: a2a-tck (branch 1.0-dev) or a2a-itk
    #[arg(long, value_name = "DIR")]
    path: PathBuf,
    /// What `tests/conformance/kits/{tck,itk}.py` take besides
    #[arg(last = true)]
    args: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kit {
    /// Every requirement, in every profile of the agent
    Tck,
    /// The agent with those of other SDKs, as client and as server
    Itk,
}

impl Kit {
    fn name(self) -> &'static str {
        match self {
            Self::Tck => "tck",
            Self::Itk => "itk",
        }
    }
}

pub(crate) fn run(args: &Args) -> Outcome {
    let name = args.kit.name();
    let path = args.path.canonicalize().map_err(|e| format!("{}: {e}", args.path.display()))?;
    let kits = root().join("tests/conformance/kits");
    let venv = Venv::install(name, &kits.join(format!("requirements-{name}.txt")))?;
    run_command(&mut cargo(["build", "--locked", "--package", "sabir-conformance"]))?;
    let agent = Metadata::read()?.target_directory.join("debug/conformance");
    let mut python = Command::new(venv.program("python"));
    python.arg(kits.join(format!("{name}.py"))).arg("--agent").arg(agent).arg("--path").arg(path);
    if args.kit == Kit::Itk {
        python.arg("--work").arg(root().join("target/itk")).env("PATH", venv.with_node()?);
    }
    run_command(python.args(&args.args).current_dir(root()))
}
