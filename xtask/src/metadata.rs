//! What `cargo metadata` says about the workspace and its dependencies.

use crate::workspace::{Outcome, cargo, root};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The part of `cargo metadata` that the tasks use.
#[derive(Debug, Deserialize)]
pub(crate) struct Metadata {
    packages: Vec<Package>,
    workspace_members: Vec<String>,
    pub(crate) target_directory: PathBuf,
    resolve: Resolve,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    id: String,
    pub(crate) name: String,
    manifest_path: String,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
    targets: Vec<Target>,
}

/// A dependency as a manifest declares it.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    kind: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Deserialize)]
struct Node {
    id: String,
    deps: Vec<NodeDependency>,
}

#[derive(Debug, Deserialize)]
struct NodeDependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Debug, Deserialize)]
struct DependencyKind {
    kind: Option<String>,
}

impl Metadata {
    /// Asks `cargo`.
    pub(crate) fn read() -> Outcome<Self> {
        let mut command = cargo(["metadata", "--format-version", "1"]);
        let output = command.stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err("`cargo metadata` failed".into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// The packages of the workspace.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| self.workspace_members.contains(&package.id))
    }

    /// The names of all packages that a package brings into a program, however deep.
    pub(crate) fn reached_from(&self, package: &Package) -> BTreeSet<&str> {
        let nodes: BTreeMap<_, _> = self.resolve.nodes.iter().map(|n| (&*n.id, n)).collect();
        let names: BTreeMap<_, _> = self.packages.iter().map(|p| (&*p.id, &*p.name)).collect();
        let mut seen = BTreeSet::new();
        let mut waiting = vec![&*package.id];
        while let Some(id) = waiting.pop() {
            let dependencies = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            for dependency in dependencies.filter(|dependency| dependency.is_in_programs()) {
                if seen.insert(&*dependency.pkg) {
                    waiting.push(&dependency.pkg);
                }
            }
        }
        seen.into_iter().filter_map(|id| names.get(id).copied()).collect()
    }
}

impl Package {
    /// The name of its folder, which is its name in the workspace.
    pub(crate) fn folder(&self) -> &str {
        let folder = Path::new(&self.manifest_path).parent().and_then(Path::file_name);
        folder.and_then(|name| name.to_str()).unwrap_or(&self.name)
    }

    /// Its folder's path from the root.
    pub(crate) fn path(&self) -> &Path {
        let folder = Path::new(&self.manifest_path).parent().unwrap_or(root());
        folder.strip_prefix(root()).unwrap_or(folder)
    }

    /// Whether others can use it as a library.
    pub(crate) fn has_library(&self) -> bool {
        self.targets.iter().any(|t| t.kind.iter().any(|kind| kind == "lib" || kind == "proc-macro"))
    }
}

impl Dependency {
    /// Whether only tests have it.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

impl NodeDependency {
    /// Tests and build scripts do not count.
    fn is_in_programs(&self) -> bool {
        self.dep_kinds.iter().any(|dependency| dependency.kind.is_none())
    }
}
