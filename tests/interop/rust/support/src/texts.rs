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

/// Whether a contract's id is there, such as HD-2026-014.
pub fn names_a_contract(text: &str) -> bool {
    let is_number = |field: &str, digits| {
        field.len() == digits && field.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split_whitespace().any(|word| {
        let fields = word.strip_prefix("HD-").and_then(|rest| rest.split_once('-'));
        fields.is_some_and(|(year, number)| is_number(year, 4) && is_number(number, 3))
    })
}

fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
