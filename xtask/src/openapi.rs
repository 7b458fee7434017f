//! Lets schemathesis try what the OpenAPI document of our own agent promises.

use crate::metadata::Metadata;
use crate::python::Venv;
use crate::workspace::{Outcome, cargo, root, run as run_command};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// How many requests each operation gets in each phase.
const EXAMPLES: &str = "60";

/// What answers rightly depend on what happened before (a finished task takes no message), and
/// reading is lenient on purpose: neither is a fault.
const NOT_CHECKED: &str = "positive_data_acceptance,negative_data_rejection";

pub(crate) fn run() -> Outcome {
    run_command(&mut cargo(["build", "--locked", "--package", "sabir-conformance"]))?;
    check()
}

/// Runs it on the agent that an earlier step built.
pub(crate) fn check() -> Outcome {
    let venv = Venv::install("openapi", &root().join("tests/openapi/requirements.txt"))?;
    let agent = Metadata::read()?.target_directory.join("debug/conformance");
    let mut agent = Command::new(agent);
    let (mut agent, url) = start(agent.args(["--port", "0", "--any-input"]))?;
    let mut schemathesis = Command::new(venv.program("st"));
    schemathesis
        .args(["run", &format!("{url}/openapi.json"), "--exclude-checks", NOT_CHECKED])
        // The same requests each time; whoever wants others leaves the seed out.
        .args(["--seed", "1", "--max-examples", EXAMPLES, "--request-timeout", "10"])
        .args(["--suppress-health-check", "all", "--warnings", "off"])
        // Its own memory of earlier runs would make this one depend on them.
        .current_dir(std::env::temp_dir());
    let outcome = run_command(&mut schemathesis);
    agent.kill()?;
    agent.wait()?;
    outcome
}

/// Starts the agent, and waits until it says where it listens.
fn start(command: &mut Command) -> Outcome<(Child, String)> {
    let mut agent = command.stdout(Stdio::piped()).spawn()?;
    let output = agent.stdout.take().ok_or("the agent has no output")?;
    let mut url = None;
    for line in BufReader::new(output).lines() {
        let line = line?;
        match line.strip_prefix("Listening on ") {
            Some(place) => url = Some(place.to_owned()),
            None if line == "ready" => break,
            None => {}
        }
    }
    Ok((agent, url.ok_or("the agent does not listen")?))
}
