//! What is said, from the files that all kits read.

use serde::Deserialize;
use std::path::Path;

/// What the reviewer and its caller say: `reviewer.json`.
#[derive(Debug, Deserialize)]
pub struct Texts {
    pub name: String,
    pub vague: String,
    pub question: String,
    pub answer: String,
    pub working: String,
    pub artifact: String,
    findings: Vec<String>,
    pub completed: String,
}

impl Texts {
    pub fn read() -> Self {
        read("reviewer.json")
    }

    /// What is found in the contract that the caller's answer names.
    pub fn findings(&self) -> String {
        self.findings.join("\n")
    }
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
