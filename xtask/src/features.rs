//! Checks that every library builds alone, and with each of its features alone.
//!
//! A build of the whole workspace hides a feature that a crate needs and does not ask for: its
//! neighbours ask for it.

use crate::metadata::{Metadata, Package};
use crate::workspace::{Outcome, cargo, run as run_command, words};

pub(crate) fn run() -> Outcome {
    let metadata = Metadata::read()?;
    for package in metadata.members().filter(|package| package.has_library()) {
        for features in alone(package) {
            let mut command = cargo(["check", "--locked", "--quiet", "--lib", "--package"]);
            command.arg(&package.name).arg("--no-default-features");
            if let Some(feature) = features {
                command.args(["--features", feature]);
            }
            println!("  {}", words(&command));
            run_command(&mut command)?;
        }
    }
    Ok(())
}

/// Nothing, then each feature on its own.
fn alone(package: &Package) -> Vec<Option<&str>> {
    let named = package.features.keys().filter(|feature| *feature != "default");
    std::iter::once(None).chain(named.map(|feature| Some(feature.as_str()))).collect()
}
