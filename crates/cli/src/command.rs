//! Every command, one file each.

mod card_get;
mod config_show;
mod sample;
mod send;
mod server;
mod task_cancel;
mod task_get;
mod task_list;
mod task_subscribe;
mod up;
mod version;

use crate::args::{CardCommand, Cli, ClientFlags, Command, ConfigCommand, TaskCommand};
use crate::config::client::{self, ClientConfig};
use crate::failure::Failure;
use crate::output::Output;
use std::future::Future;
use std::process::ExitCode;
use std::time::Duration;

/// Runs a command and prints why it failed, if it did.
pub(crate) fn run(name: &'static str, cli: Cli) -> ExitCode {
    let flags = cli.flags;
    match cli.command {
        Command::Up(args) => serving(up::run(args, flags.config)),
        Command::Sample(args) => serving(sample::run(args, flags.config)),
        Command::Server(args) => serving(server::run(args, flags.config)),
        Command::Card(card) => {
            let flags = flags.under(card.flags);
            match card.command {
                CardCommand::Get(args) => {
                    let more = vec![("agent-card", args.reference)];
                    calling(&flags.under(args.flags), more, false, card_get::run)
                }
            }
        }
        Command::Send(args) => {
            let more = vec![
                ("task-id", args.task_id.clone()),
                ("context-id", args.context_id.clone()),
                ("async", args.no_wait.then(|| "true".to_owned())),
                ("poll-interval", args.poll.poll_interval.clone()),
            ];
            calling(&flags.under(args.flags.clone()), more, args.stream, |call| {
                send::run(args, call)
            })
        }
        Command::Task(task) => run_task(flags.under(task.flags), task.command),
        Command::Config(config) => {
            let flags = flags.under(config.flags);
            let ConfigCommand::Show(args) = config.command;
            let flags = flags.under(args.flags);
            let files = flags.config.clone();
            calling(&flags, Vec::new(), false, |call| config_show::run(files, call))
        }
        Command::Version(args) => {
            calling(&flags.under(args.flags), Vec::new(), false, |call| version::run(name, call))
        }
    }
}

fn run_task(flags: ClientFlags, command: TaskCommand) -> ExitCode {
    match command {
        TaskCommand::Get(args) => {
            let more = vec![("poll-interval", args.poll.poll_interval.clone())];
            calling(&flags.under(args.flags.clone()), more, false, |call| task_get::run(args, call))
        }
        TaskCommand::List(args) => {
            calling(&flags.under(args.flags.clone()), Vec::new(), args.stream, |call| {
                task_list::run(args, call)
            })
        }
        TaskCommand::Cancel(args) => {
            calling(&flags.under(args.flags.clone()), Vec::new(), false, |call| {
                task_cancel::run(args, call)
            })
        }
        TaskCommand::Subscribe(args) => {
            let more = vec![("poll-interval", args.poll.poll_interval.clone())];
            calling(&flags.under(args.flags.clone()), more, args.stream, |call| {
                task_subscribe::run(args, call)
            })
        }
    }
}

/// What every command that calls an agent starts from.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) config: ClientConfig,
    pub(crate) out: Output,
    /// When the command started: its time counts from here.
    pub(crate) since: tokio::time::Instant,
}

/// Runs a command that calls an agent; one that streams prints JSON one document a line, its
/// failure included.
fn calling<F: Future<Output = Result<(), Failure>>>(
    flags: &ClientFlags,
    more: Vec<(&'static str, Option<String>)>,
    streams: bool,
    command: impl FnOnce(Call) -> F,
) -> ExitCode {
    crate::trace::start("error");
    let mut out = Output::default();
    let done = client::load(flags, more).and_then(|config| {
        out.format = config.format()?;
        if streams {
            out = out.in_lines();
        }
        out.shape = config.shape()?;
        out.verbose = config.is_on("verbose")?;
        for path in &config.exposed {
            let path = path.display();
            out.warning(&format!("{path} holds a secret and others can read it: chmod 600 {path}"));
        }
        let since = tokio::time::Instant::now();
        runtime(false)?.block_on(command(Call { config, out, since }))
    });
    finish(out, done)
}

/// How long threads may go on when a server has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Runs a command that serves agents.
fn serving(command: impl Future<Output = Result<(), Failure>>) -> ExitCode {
    crate::trace::start("warn");
    let done = runtime(true).and_then(|runtime| {
        let done = runtime.block_on(command);
        // Executors that still run are dropped, and their child processes with them; a thread that
        // never ends is left behind.
        runtime.shutdown_timeout(LAST_WORDS);
        done
    });
    finish(Output::default(), done)
}

fn runtime(threads: bool) -> Result<tokio::runtime::Runtime, Failure> {
    let mut builder = match threads {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    builder
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("the runtime cannot be started: {error}")))
}

fn finish(out: Output, done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_said() {
                out.failure(&failure);
            }
            ExitCode::from(failure.status(out.shape))
        }
    }
}
