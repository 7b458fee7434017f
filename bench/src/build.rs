//! Builds what is measured, and says where the programs are.

use crate::contender::{Contender, Program};
use crate::outcome::Outcome;
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where each program is.
pub(crate) struct Programs(BTreeMap<Program, PathBuf>);

impl Programs {
    /// Builds the programs of these contenders, as they are shipped; `sabir` may be there already.
    pub(crate) fn build(contenders: &[&Contender], sabir: Option<&Path>) -> Outcome<Self> {
        let mut built = BTreeMap::new();
        if let Some(path) = sabir {
            built.insert(Program::Sabir, std::path::absolute(path)?);
        }
        for contender in contenders {
            if let Entry::Vacant(place) = built.entry(contender.program) {
                place.insert(build(contender.program)?);
            }
        }
        Ok(Self(built))
    }

    /// Where it is.
    pub(crate) fn path(&self, program: Program) -> &Path {
        &self.0[&program]
    }
}

/// This package.
pub(crate) fn bench() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn build(program: Program) -> Outcome<PathBuf> {
    let (folder, package, name) = match program {
        Program::Bare => (".", "sabir-bench-bare", "sabir-bench-bare"),
        Program::Sabir => ("..", "sabir-cli", "sabir"),
        Program::Official => ("peers", "bench-official", "bench-official"),
        Program::Tomtom215 => ("peers", "bench-tomtom215", "bench-tomtom215"),
    };
    let folder = bench().join(folder);
    eprintln!("building {name}");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--message-format", "json-render-diagnostics"])
        .args(["--package", package, "--bin", name])
        .current_dir(&folder)
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{package} in {} cannot be built", folder.display()).into());
    }
    executable(&output.stdout, name).ok_or_else(|| format!("cargo built no {name}").into())
}

/// Where Cargo says that it put a program.
fn executable(messages: &[u8], name: &str) -> Option<PathBuf> {
    let lines = messages.split(|&byte| byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut ours = messages.filter(|message| message["target"]["name"] == name);
    ours.find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::executable;

    #[test]
    fn cargo_says_where_the_program_is() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"sabir"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"sabir"},"executable":"/t/sabir"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages.as_bytes(), "sabir"), Some("/t/sabir".into()));
        assert_eq!(executable(messages.as_bytes(), "a2a"), None);
    }
}
