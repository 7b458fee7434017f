//! The agents that are served: the puppet, and a command.

use sabir_testkit::{DataDir, Program};

/// A server of the puppet that keeps everything in memory.
pub(crate) fn puppet() -> Program {
    server(&["--puppet"])
}

/// A server of the puppet that keeps everything in SQLite.
pub(crate) fn puppet_on(data: &DataDir) -> Program {
    puppet().arg("--data").arg(data.path())
}

/// A server of a command that runs in a directory, and whose output can be followed.
pub(crate) fn exec(command: &str, dir: &DataDir) -> Program {
    server(&["--exec", command, "--chunk", "\\n"]).current_dir(dir.path())
}

fn server(args: &[&str]) -> Program {
    let sabir = Program::new(env!("CARGO_BIN_EXE_sabir")).arg("server");
    sabir.args(args).args(["--port", "0", "--quiet"])
}

/// A store with the directory it needs.
pub(crate) enum Store {
    Memory,
    Sqlite(DataDir),
}

impl Store {
    /// One of each.
    pub(crate) fn both() -> [Self; 2] {
        [Self::Memory, Self::Sqlite(DataDir::new())]
    }

    /// A server of the puppet on it.
    pub(crate) fn puppet(&self) -> Program {
        match self {
            Self::Memory => puppet(),
            Self::Sqlite(data) => puppet_on(data),
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Sqlite(_) => "SQLite",
        }
    }
}

/// How often the puppet was started by a message, as its book beside the store says.
pub(crate) fn starts(data: &DataDir, message_id: &str) -> usize {
    book(data, "puppet-starts.log").lines().filter(|line| line.contains(message_id)).count()
}

/// The side effects that the puppet's book beside the store counts.
pub(crate) fn effects(data: &DataDir) -> usize {
    book(data, "puppet-effects.log").lines().count()
}

/// One of the puppet's books.
pub(crate) fn book(data: &DataDir, name: &str) -> String {
    std::fs::read_to_string(data.join(name)).unwrap()
}
