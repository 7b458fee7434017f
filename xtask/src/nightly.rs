//! The long suites, run by hand; their numbers belong into the note of a release.

use crate::step::{self, OnFailure, Step};
use crate::tools::CARGO_DENY;
use crate::workspace::Outcome;
use crate::{bench, fuzz, interop};

/// How many cases each property test runs, instead of a few hundred.
const PROPTEST_CASES: &str = "10000";

/// Optimized as a release is, but not as a whole: each of the many test programs would take minutes.
const PROFILE: &str = "--profile=long";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave out a step, by its name
    #[arg(long, value_name = "STEP")]
    skip: Vec<String>,
    /// How long each fuzz target runs
    #[arg(long, value_name = "N", default_value_t = 600)]
    fuzz_seconds: u32,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let fuzz = fuzz::Args::all(args.fuzz_seconds);
    let repeat_fuzz = format!("fuzz --seconds {}", args.fuzz_seconds);
    let steps = vec![
        Step::task("licences", "licences", || CARGO_DENY.install()?.check()),
        // Tests that take long are `#[ignore]`d; some start the program, so that is built first.
        Step::cargo("build", &["build", "--locked", PROFILE, "--workspace", "--all-targets"]),
        Step::tests(
            "long",
            &[
                "test",
                "--locked",
                PROFILE,
                "--workspace",
                "--all-targets",
                "--no-fail-fast",
                "--",
                "--include-ignored",
                // The long tests print what they measured.
                "--nocapture",
                "--test-threads",
                "1",
            ],
        )
        .env("PROPTEST_CASES", PROPTEST_CASES),
        Step::task("fuzz", &repeat_fuzz, move || fuzz::run(&fuzz)),
        Step::task("interop", "interop --all", || interop::all(&[])),
        Step::task("bench", "bench", || bench::run(&bench::Args::default())),
    ];
    step::run(steps, &args.skip, OnFailure::GoOn)
}
