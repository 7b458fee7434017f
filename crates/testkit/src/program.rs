//! Runs a built program as a child process: waits until it serves, kills it, starts it again.

mod output;
mod ready;

use crate::patience::patiently;
use output::Lines;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Output, Stdio};
use tokio::process::{Child, Command};

/// How to start a program: what a test starts, kills, and starts again on the same data.
///
/// ```no_run
/// # async fn example() {
/// use sabir_testkit::{DataDir, Program};
///
/// let data = DataDir::new();
/// let server = Program::sabir().args(["server", "--echo", "--port", "0", "--data"]).arg(data.path());
/// let running = server.start().await;
/// println!("serving at {}", running.url());
/// running.kill().await;
/// let again = server.start().await;
/// assert!(again.stop().await.success());
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    exe: PathBuf,
    args: Vec<OsString>,
    envs: Vec<(OsString, OsString)>,
    dir: Option<PathBuf>,
}

impl Program {
    /// The program at a path, which in the tests of its own package is `env!("CARGO_BIN_EXE_…")`.
    pub fn new(exe: impl Into<PathBuf>) -> Self {
        Self { exe: exe.into(), args: Vec::new(), envs: Vec::new(), dir: None }
    }

    /// The `sabir` that was built beside the running test.
    ///
    /// # Panics
    /// When there is none.
    pub fn sabir() -> Self {
        // target/debug/deps/it-0123456789abcdef -> target/debug/sabir
        let exe = std::env::current_exe()
            .ok()
            .and_then(|test| Some(test.parent()?.parent()?.join("sabir")))
            .filter(|exe| exe.exists());
        match exe {
            Some(exe) => Self::new(exe),
            None => panic!("`sabir` is not built: run `cargo build -p sabir-cli` first"),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// Sets an environment variable. `SABIR_*` of the test's own environment is not passed on.
    #[must_use]
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.envs.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Sets the directory that it runs in.
    #[must_use]
    pub fn current_dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.dir = Some(dir.as_ref().to_owned());
        self
    }

    /// Starts it and waits until it says where it serves.
    ///
    /// # Panics
    /// When it ends before that, with what it printed.
    pub async fn start(&self) -> Running {
        let mut child = self.spawn();
        let lines = Lines::follow(&mut child);
        let origin = patiently("the program to serve", lines.find(ready::origin)).await;
        let Some(origin) = origin else {
            let status = child.wait().await;
            panic!("{} ended ({status:?}) before it served:\n{}", self.exe.display(), lines.text());
        };
        Running { child, origin, lines }
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it cannot be started or does not end.
    pub async fn run(&self) -> Output {
        let output = self.spawn().wait_with_output();
        match patiently("the program to end", output).await {
            Ok(output) => output,
            Err(error) => panic!("cannot read from {}: {error}", self.exe.display()),
        }
    }

    fn spawn(&self) -> Child {
        let mut command = Command::new(&self.exe);
        command.args(&self.args).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // The developer's own settings must not decide what a test sees.
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"SABIR_") {
                command.env_remove(name);
            }
        }
        command.envs(self.envs.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", self.exe.display()))
    }
}

/// A program that serves; killed when dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    origin: String,
    lines: Lines,
}

impl Running {
    /// Where it serves, as `http://host:port`.
    pub fn url(&self) -> &str {
        &self.origin
    }

    /// Where it serves, as an address.
    ///
    /// # Panics
    /// When it serves under a name and not under an address.
    pub fn addr(&self) -> SocketAddr {
        let authority = self.origin.split_once("//").map_or("", |(_, authority)| authority);
        match authority.parse() {
            Ok(addr) => addr,
            Err(error) => panic!("{} has no address: {error}", self.origin),
        }
    }

    /// The process id, or `None` when it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// What it has printed so far, on both streams, in the order in which it was read.
    pub fn printed(&self) -> String {
        self.lines.text()
    }

    /// Ends it as a crash would (`kill -9`).
    ///
    /// # Panics
    /// When the system refuses.
    pub async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            panic!("cannot kill the program: {error}");
        }
    }

    /// Asks it to end (`SIGTERM`) and waits until it has.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn stop(mut self) -> ExitStatus {
        let pid = self.pid().and_then(|pid| Pid::from_raw(pid.try_into().ok()?));
        if let Some(pid) = pid
            && let Err(error) = kill_process(pid, Signal::TERM)
        {
            panic!("cannot stop the program: {error}");
        }
        match patiently("the program to end", self.child.wait()).await {
            Ok(status) => status,
            Err(error) => panic!("cannot wait for the program: {error}"),
        }
    }
}
