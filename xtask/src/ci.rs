//! All that has to pass before a change lands.

use crate::step::{self, OnFailure, Step};
use crate::tools::CARGO_DENY;
use crate::workspace::Outcome;
use crate::{deps, features, fuzz, interop, openapi, sizes, spec_links};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out a step, by its name
    #[arg(long, value_name = "STEP")]
    skip: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    step::run(steps(), &args.skip, OnFailure::Stop)
}

/// What fails fastest comes first. The steps share one profile: only clippy and rustdoc look at
/// the workspace again, and nobody compiles the dependencies twice.
fn steps() -> Vec<Step> {
    vec![
        Step::cargo("fmt", &["fmt", "--all", "--", "--check"]),
        Step::task("deps", "deps", deps::check),
        Step::task("spec-links", "spec-links", spec_links::run),
        Step::task("sizes", "sizes", sizes::run),
        Step::task("licences", "licences", || CARGO_DENY.check_if_installed()),
        Step::cargo(
            "clippy",
            &["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"],
        ),
        // With the targets of the tests, so that features are what they are under `cargo test`.
        Step::cargo("build", &["build", "--locked", "--workspace", "--all-targets"]),
        Step::tests(
            "test",
            &["test", "--locked", "--workspace", "--all-targets", "--no-fail-fast"],
        ),
        Step::tests("doctest", &["test", "--locked", "--workspace", "--doc", "--no-fail-fast"]),
        Step::cargo("doc", &["doc", "--locked", "--workspace", "--no-deps", "--lib"])
            .env("RUSTDOCFLAGS", "-D rustdoc::all -D warnings"),
        Step::task("features", "features", features::run),
        Step::task("openapi", "openapi", openapi::check),
        Step::task("interop", "interop", interop::check),
        Step::task("fuzz", "fuzz --seconds 5", || fuzz::run_if_possible(&fuzz::Args::all(5))),
    ]
}
