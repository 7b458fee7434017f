//! What is said, from the files that all kits read.

use serde::Deserialize;
use serde_json::Value;
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

/// The parts that an agent has to give back as they are, in the JSON of A2A 1.0: `parts.json`.
pub fn parts() -> Vec<Value> {
    let Value::Array(parts) = read::<Value>("parts.json")["1.0"].take() else {
        panic!("parts.json lists parts by version");
    };
    parts
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
