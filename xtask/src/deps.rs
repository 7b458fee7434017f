//! Checks that dependencies between crates point down, as ARCHITECTURE.md draws them.
//!
//! The rules are the tables below; the picture is drawn from them.

mod picture;

use crate::metadata::{Metadata, Package};
use crate::workspace::{Outcome, root};
use std::fs;

/// The crates by folder, the highest first. One may depend on those in the rows below its own,
/// and on none in its own row.
const LAYERS: &[&[&str]] = &[
    &["cli", "conformance"],
    &["examples"],
    &["sabir"],
    &["bindings", "client", "stores"],
    &["compat", "engine"],
    &["types"],
    &["wire-derive"],
];

/// The crates that no program contains, with what they may depend on: nothing of the workspace.
const BESIDE: &[(&str, &str)] = &[("testkit", "in dev-dependencies only"), ("xtask", "on its own")];

/// Steps that would point down but leave the way: (from, to, what to use instead).
const CLOSED: &[(&str, &str, &str)] = &[
    ("examples", "engine", "the samples show what the facade offers"),
    ("examples", "bindings", "the samples show what the facade offers"),
    ("examples", "client", "the samples show what the facade offers"),
    ("examples", "stores", "the samples show what the facade offers"),
    ("examples", "types", "the samples show what the facade offers"),
    ("conformance", "engine", "the agent for the kits stands on the facade, as users do"),
    ("conformance", "bindings", "the agent for the kits stands on the facade, as users do"),
    ("conformance", "client", "the agent for the kits stands on the facade, as users do"),
    ("conformance", "stores", "the agent for the kits stands on the facade, as users do"),
    ("conformance", "types", "the agent for the kits stands on the facade, as users do"),
];

/// The one crate that derives; all others take the types.
const DERIVES: &str = "types";

/// What tests may use besides what their crate may: (crate, its dev-dependency).
const DEV: &[(&str, &str)] = &[("client", "bindings")];

/// Foreign packages that must not come into a program with a crate, however deep; `*` ends a name.
const KEPT_OUT: &[(&str, &[&str], &str)] = &[
    ("types", &["tokio*", "futures*", "async-*"], "types knows no async"),
    ("engine", &["axum*", "hyper*", "reqwest", "tonic*", "http"], "engine knows no transport"),
    ("engine", SQL, "engine knows no SQL"),
    ("compat", &["tokio*", "http"], "dialects are text and bytes"),
    ("stores", &["axum*", "hyper*", "reqwest", "tonic*"], "stores know no transport"),
    ("bindings", &["reqwest"], "bindings answer and do not call"),
    ("bindings", SQL, "bindings reach a store through the engine"),
    ("client", &["axum*"], "the client calls and does not answer"),
    ("client", SQL, "the client keeps nothing"),
];

const SQL: &[&str] = &["rusqlite", "tokio-postgres", "sqlx*"];

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print the picture as it belongs into ARCHITECTURE.md, and check nothing
    #[arg(long)]
    print: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.print {
        println!("{}", picture::section(LAYERS, BESIDE));
        return Ok(());
    }
    check()
}

/// Checks the manifests and the picture.
pub(crate) fn check() -> Outcome {
    let metadata = Metadata::read()?;
    let members: Vec<_> = metadata.members().collect();
    let mut faults = Vec::new();
    for package in &members {
        faults.extend(inside(package, &members));
        faults.extend(outside(package.folder(), &metadata.reached_from(package)));
    }
    faults.extend(fault_of_picture());
    if faults.is_empty() {
        println!("{} crates, every dependency points down", members.len());
        Ok(())
    } else {
        Err(faults.join("\n       ").into())
    }
}

fn fault_of_picture() -> Option<String> {
    match fs::read_to_string(root().join("ARCHITECTURE.md")) {
        Ok(text) if text.contains(&picture::section(LAYERS, BESIDE)) => None,
        Ok(_) => Some("ARCHITECTURE.md lacks what `cargo xtask deps --print` prints".to_owned()),
        Err(error) => Some(format!("ARCHITECTURE.md: {error}")),
    }
}

/// The faults among the dependencies of a package on members of the workspace.
fn inside(package: &Package, members: &[&Package]) -> Vec<String> {
    let from = package.folder();
    let edges = package.dependencies.iter().filter_map(|dependency| {
        let to = members.iter().find(|member| member.name == dependency.name)?;
        Some((to.folder(), dependency.is_dev()))
    });
    let unknown = (layer(from).is_none() && !is_beside(from))
        .then(|| format!("{from} stands in no layer: give it one in xtask/src/deps.rs"));
    let wrong = edges.filter_map(|(to, is_dev)| edge(from, to, is_dev));
    unknown.into_iter().chain(wrong).collect()
}

/// What is wrong with one dependency inside the workspace, if anything is.
fn edge(from: &str, to: &str, is_dev: bool) -> Option<String> {
    if is_dev && (to == "testkit" || DEV.contains(&(from, to)) || from == to) {
        return None;
    }
    if is_beside(to) {
        return Some(format!("{from} may not depend on {to}: no program contains it"));
    }
    if is_beside(from) {
        return Some(format!("{from} depends on {to}, but stands beside the layers"));
    }
    if to == "wire-derive" && from != DERIVES {
        return Some(format!("{from} depends on {to}: only {DERIVES} does"));
    }
    if let Some((.., instead)) = CLOSED.iter().find(|(a, b, _)| (*a, *b) == (from, to)) {
        return Some(format!("{from} depends on {to}: {instead}"));
    }
    let (above, below) = (layer(from)?, layer(to)?);
    (above >= below).then(|| format!("{from} depends on {to}, which is not below it"))
}

/// The foreign packages that a crate reaches and must not.
fn outside<'a>(folder: &str, reached: impl IntoIterator<Item = &'a &'a str> + Copy) -> Vec<String> {
    let rules = KEPT_OUT.iter().filter(|(of, ..)| *of == folder);
    rules
        .flat_map(|(_, patterns, why)| {
            let names = reached.into_iter().filter(|name| patterns.iter().any(|p| fits(p, name)));
            names.map(move |name| format!("{folder} reaches {name}: {why}"))
        })
        .collect()
}

fn fits(pattern: &str, name: &str) -> bool {
    pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start))
}

fn layer(folder: &str) -> Option<usize> {
    LAYERS.iter().position(|row| row.contains(&folder))
}

fn is_beside(folder: &str) -> bool {
    BESIDE.iter().any(|(name, _)| *name == folder)
}

#[cfg(test)]
mod tests {
    use super::{edge, fits, outside};

    #[test]
    fn a_dependency_may_point_down() {
        for (from, to) in [
            ("cli", "types"),
            ("examples", "sabir"),
            ("sabir", "bindings"),
            ("client", "engine"),
            ("types", "wire-derive"),
        ] {
            assert_eq!(edge(from, to, false), None, "{from} -> {to}");
        }
    }

    #[test]
    fn a_dependency_may_not_point_up_or_sideways() {
        for (from, to) in [
            ("types", "engine"),
            ("engine", "stores"),
            ("stores", "client"),
            ("bindings", "client"),
            ("sabir", "examples"),
            ("engine", "wire-derive"),
            ("examples", "engine"),
            ("xtask", "types"),
            ("testkit", "types"),
        ] {
            assert!(edge(from, to, false).is_some(), "{from} -> {to}");
        }
    }

    #[test]
    fn only_tests_may_use_the_testkit() {
        assert!(edge("cli", "testkit", false).is_some());
        assert_eq!(edge("cli", "testkit", true), None);
        assert_eq!(edge("client", "bindings", true), None);
        assert!(edge("stores", "client", true).is_some());
    }

    #[test]
    fn a_foreign_package_is_found_however_deep() {
        let reached = ["bytes", "hyper-util", "tokio"];
        assert_eq!(
            outside("engine", &reached),
            ["engine reaches hyper-util: engine knows no transport"]
        );
        assert_eq!(outside("types", &reached), ["types reaches tokio: types knows no async"]);
        assert!(outside("cli", &reached).is_empty());
    }

    #[test]
    fn a_star_ends_a_name() {
        assert!(fits("tokio*", "tokio-util") && fits("tokio*", "tokio"));
        assert!(!fits("http", "http-body"));
    }
}
