//! Runs the steps of a task one after another, and says what each took and how to repeat it.

mod tally;

pub(crate) use tally::Tally;

use crate::workspace::{Outcome, cargo, run as run_command, words};
use std::process::Command;
use std::time::{Duration, Instant};

/// One step of a task.
pub(crate) struct Step {
    name: &'static str,
    work: Work,
    /// What to type to run only this.
    repeat: String,
}

enum Work {
    Command(Command),
    /// A command whose tests are counted.
    Tests(Command),
    Function(Box<dyn FnOnce() -> Outcome>),
}

/// What to do when a step fails.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// Stop, because the next steps would only repeat the fault.
    Stop,
    /// Go on, because each step measures something of its own.
    GoOn,
}

impl Step {
    /// A `cargo` command.
    pub(crate) fn cargo(name: &'static str, args: &[&str]) -> Self {
        Self::command(name, cargo(args.iter().copied()))
    }

    /// A `cargo test` command, whose tests are counted.
    pub(crate) fn tests(name: &'static str, args: &[&str]) -> Self {
        let command = cargo(args.iter().copied());
        Self { name, repeat: words(&command), work: Work::Tests(command) }
    }

    /// Any command.
    pub(crate) fn command(name: &'static str, command: Command) -> Self {
        Self { name, repeat: words(&command), work: Work::Command(command) }
    }

    /// Another task of this program, called `repeat` behind `cargo xtask`.
    pub(crate) fn task(
        name: &'static str,
        repeat: &str,
        work: impl FnOnce() -> Outcome + 'static,
    ) -> Self {
        Self { name, repeat: format!("cargo xtask {repeat}"), work: Work::Function(Box::new(work)) }
    }

    /// Sets an environment variable of a command.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        if let Work::Command(command) | Work::Tests(command) = &mut self.work {
            command.env(name, value);
        }
        self.repeat = format!("{name}='{value}' {}", self.repeat);
        self
    }

    fn run(self, tally: &mut Tally) -> Outcome {
        match self.work {
            Work::Command(mut command) => run_command(&mut command),
            Work::Tests(mut command) => tally.run(&mut command),
            Work::Function(function) => function(),
        }
    }
}

/// Runs the steps but those that are skipped, then prints their times and the number of tests.
pub(crate) fn run(steps: Vec<Step>, skip: &[String], on_failure: OnFailure) -> Outcome {
    if let Some(unknown) = skip.iter().find(|name| !steps.iter().any(|step| step.name == **name)) {
        let names: Vec<_> = steps.iter().map(|step| step.name).collect();
        return Err(format!("no step `{unknown}`; there are: {}", names.join(", ")).into());
    }
    let begin = Instant::now();
    let mut tally = Tally::default();
    let mut times = Vec::new();
    let mut failures = Vec::new();
    for step in steps.into_iter().filter(|step| !skip.iter().any(|name| name == step.name)) {
        let (name, repeat, start) = (step.name, step.repeat.clone(), Instant::now());
        println!("\n== {name}: {repeat}");
        let outcome = step.run(&mut tally);
        times.push((name, start.elapsed(), outcome.is_ok()));
        if let Err(error) = outcome {
            failures.push(format!("{name} failed: {error}\n       repeat it with: {repeat}"));
            if on_failure == OnFailure::Stop {
                break;
            }
        }
    }
    print_times(&times, begin.elapsed());
    println!("{tally}");
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n       ").into()) }
}

fn print_times(times: &[(&str, Duration, bool)], all: Duration) {
    println!("\n== times");
    for (name, time, passed) in times {
        let mark = if *passed { "" } else { "  failed" };
        println!("{name:<12} {:>7.1} s{mark}", time.as_secs_f64());
    }
    println!("{:<12} {:>7.1} s\n", "all", all.as_secs_f64());
}
