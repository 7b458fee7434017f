//! A working directory with nothing around it that could change what a program does.

use sabir_testkit::{DataDir, Program, Running};
use serde_json::Value;
use std::process::Stdio;
use tokio::process::{Child, Command};

/// Where the programs of one test run: their working directory and their home.
pub(crate) struct Place {
    pub(crate) dir: DataDir,
}

/// What a program that ran to its end printed.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { dir: DataDir::new() }
    }

    /// The program `sabir`.
    pub(crate) fn sabir(&self) -> Program {
        self.program(env!("CARGO_BIN_EXE_sabir"))
    }

    fn program(&self, exe: &str) -> Program {
        Program::new(exe)
            .current_dir(self.dir.path())
            .env("HOME", self.dir.path())
            .env("XDG_CONFIG_HOME", self.dir.join("config"))
    }

    /// Runs `a2a` to its end.
    pub(crate) async fn a2a(&self, args: &[&str]) -> Ran {
        run(self.program(env!("CARGO_BIN_EXE_a2a")).args(args)).await
    }

    /// Starts `a2a` without waiting for its end.
    pub(crate) fn start(&self, args: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_a2a"))
            .args(args)
            .env("HOME", self.dir.path())
            .current_dir(self.dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Starts a server that is told nothing but these arguments.
    pub(crate) async fn serve(&self, args: &[&str]) -> Running {
        self.sabir().args(args).start().await
    }

    /// Starts the puppet.
    pub(crate) async fn puppet(&self, args: &[&str]) -> Running {
        self.sabir().args(["server", "--puppet", "--port", "0"]).args(args).start().await
    }
}

/// Runs a program to its end.
pub(crate) async fn run(program: Program) -> Ran {
    let output = program.run().await;
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ran {
    /// Requires success.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self
    }

    /// The one document on stdout.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error} in\n{}\n{}", self.out, self.err))
    }

    /// The documents on stdout, one a line.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Stdout with `<id>` and `<time>` in place of ids and times.
    pub(crate) fn plain(&self) -> String {
        plain(&self.out)
    }

    /// The task that was printed.
    #[track_caller]
    pub(crate) fn task_id(&self) -> String {
        let line = self.out.lines().find_map(|line| line.strip_prefix("Task:     "));
        line.unwrap_or_else(|| panic!("no task in\n{}\n{}", self.out, self.err)).to_owned()
    }
}

/// A text with `<id>` in place of UUIDs and `<time>` in place of times.
pub(crate) fn plain(text: &str) -> String {
    const ID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const TIME: &str = "dddd-dd-ddTdd:dd:ddZ";
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let found = [(ID, "<id>"), (TIME, "<time>")].into_iter().find(|(form, _)| fits(rest, form));
        match found {
            Some((form, name)) => {
                out.push_str(name);
                rest = &rest[form.len()..];
            }
            None => {
                out.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    out
}

fn fits(text: &str, form: &str) -> bool {
    let mut chars = text.chars();
    form.chars().all(|want| {
        chars.next().is_some_and(|have| match want {
            'x' => have.is_ascii_hexdigit(),
            'd' => have.is_ascii_digit(),
            other => have == other,
        })
    })
}
