//! The servers that are compared.

use crate::args::Args;
use crate::measure::Measure;
use crate::outcome::Outcome;

/// A program that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Program {
    /// The least that could serve the same JSON.
    Bare,
    /// Ours.
    Sabir,
    /// The official Rust SDK.
    Official,
    /// The SDK of tomtom215.
    Tomtom215,
}

/// A program with the flags it runs with: one row of the table.
#[derive(Debug)]
pub(crate) struct Contender {
    /// What it is called, on the command line and in the table.
    pub(crate) name: &'static str,
    pub(crate) program: Program,
    /// Whether it keeps its tasks on disk, in a folder that `--data` names.
    pub(crate) durable: bool,
    /// Whether it is called by gRPC instead of JSON-RPC.
    pub(crate) grpc: bool,
    /// What its environment has besides.
    pub(crate) env: &'static [(&'static str, &'static str)],
}

const fn in_memory(name: &'static str, program: Program) -> Contender {
    Contender { name, program, durable: false, grpc: false, env: &[] }
}

const fn durable(name: &'static str, program: Program) -> Contender {
    Contender { durable: true, ..in_memory(name, program) }
}

const fn over_grpc(name: &'static str, program: Program) -> Contender {
    Contender { grpc: true, ..in_memory(name, program) }
}

static ALL: [Contender; 9] = [
    in_memory("bare", Program::Bare),
    in_memory("sabir", Program::Sabir),
    in_memory("official", Program::Official),
    in_memory("tomtom215", Program::Tomtom215),
    over_grpc("sabir-grpc", Program::Sabir),
    over_grpc("official-grpc", Program::Official),
    durable("sabir-sqlite", Program::Sabir),
    Contender {
        env: &[("SABIR_SYNCHRONOUS", "normal")],
        ..durable("sabir-sqlite-normal", Program::Sabir)
    },
    durable("tomtom215-sqlite", Program::Tomtom215),
];

impl Contender {
    /// The one with that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|contender| contender.name == name)
    }

    /// Whether the measurement is one for it: what is durable is compared in one respect, and the
    /// long stream is about the engine.
    pub(crate) fn takes(&self, measure: Measure) -> bool {
        let is_left_out = self.grpc && measure == Measure::Chunks;
        !is_left_out && (!self.durable || measure == Measure::Send16)
    }

    /// The arguments it is started with; the folder comes later.
    pub(crate) fn args(&self, measure: Measure) -> Vec<&'static str> {
        let agent = if measure == Measure::Chunks { "--puppet" } else { "--echo" };
        match self.program {
            Program::Sabir => vec!["server", agent, "--port", "0", "--quiet"],
            Program::Official if self.grpc => vec!["--port", "0", "--grpc"],
            _ => vec!["--port", "0"],
        }
    }
}

/// Those that were asked for; all unless told otherwise.
pub(crate) fn chosen(args: &Args) -> Outcome<Vec<&'static Contender>> {
    if args.memory {
        return Ok(Contender::named("sabir").into_iter().collect());
    }
    if args.only.is_empty() {
        return Ok(ALL.iter().collect());
    }
    let named = args.only.iter().map(|name| {
        let unknown = || format!("--only {name}: there are {}", names().join(", "));
        Contender::named(name).ok_or_else(|| unknown().into())
    });
    named.collect()
}

fn names() -> Vec<&'static str> {
    ALL.iter().map(|contender| contender.name).collect()
}
