//! The command line: every command with its flags.

mod client;
mod parts;
mod server;

pub(crate) use client::ClientFlags;
pub(crate) use parts::{PartFlag, PartFlags, PartKind};
pub(crate) use server::{EngineFlags, SampleArgs, ServerArgs, StorageFlags, UpArgs};

use clap::{Args, CommandFactory, Parser, Subcommand};

/// Serve A2A agents, and call them.
#[derive(Debug, Parser)]
#[command(
    version,
    args_override_self = true,
    disable_help_subcommand = false,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the sample agents, durably, and say how to call them
    Up(UpArgs),
    /// Serve one sample agent on a port of its own
    Sample(SampleArgs),
    /// Serve an agent made from a command, an echo, or the puppet
    #[command(visible_aliases = ["serve", "demo-server"])]
    Server(ServerArgs),
    /// Look at agents
    Card(CardArgs),
    /// Send a message to an agent and wait for what comes of it
    Send(SendArgs),
    /// Look at tasks and steer them
    Task(TaskArgs),
    /// Look at the settings
    Config(ConfigArgs),
    /// Print which version this is
    Version(VersionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CardArgs {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
    #[command(subcommand)]
    pub(crate) command: CardCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CardCommand {
    /// Print an agent's card
    Get(CardGetArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct CardGetArgs {
    /// The agent, as with --agent-card
    #[arg(value_name = "REF", conflicts_with = "agent_card")]
    pub(crate) reference: Option<String>,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct SendArgs {
    /// What to say: the first text part
    #[arg(value_name = "MESSAGE", allow_hyphen_values = false, allow_negative_numbers = true)]
    pub(crate) message: Option<String>,
    /// Print events as they come instead of waiting for the end
    #[arg(long, conflicts_with = "no_wait")]
    pub(crate) stream: bool,
    /// Return at once with the task as it is
    #[arg(long = "async", id = "no_wait", visible_aliases = ["return-immediately", "no-wait"])]
    pub(crate) no_wait: bool,
    /// Answer or continue this task
    #[arg(long, value_name = "ID")]
    pub(crate) task_id: Option<String>,
    /// Start a task in this context
    #[arg(long, value_name = "ID")]
    pub(crate) context_id: Option<String>,
    #[command(flatten)]
    pub(crate) parts: PartFlags,
    /// Metadata of the request, a JSON object; repeated ones are merged
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Vec<String>,
    /// Return at most so many messages of the history
    #[arg(long, value_name = "N")]
    pub(crate) history: Option<String>,
    #[command(flatten)]
    pub(crate) poll: PollFlags,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

/// How a task is waited for.
#[derive(Debug, Args)]
pub(crate) struct PollFlags {
    /// Time between two looks at a task that is waited for [default: 2s]
    #[arg(long, value_name = "TIME", visible_alias = "polling-interval")]
    pub(crate) poll_interval: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
    #[command(subcommand)]
    pub(crate) command: TaskCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Print a task
    Get(TaskGetArgs),
    /// List your tasks, newest first
    List(TaskListArgs),
    /// Ask for a task to be stopped
    Cancel(TaskCancelArgs),
    /// Follow a task until it ends or waits for you
    Subscribe(TaskSubscribeArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct TaskGetArgs {
    /// The task
    #[arg(value_name = "TASK_ID")]
    pub(crate) id: String,
    /// Return at most so many messages of the history
    #[arg(long, value_name = "N")]
    pub(crate) history: Option<String>,
    /// Wait until the task ends or needs something
    #[arg(long, visible_alias = "watch")]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) poll: PollFlags,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct TaskListArgs {
    /// Tasks of this context only
    #[arg(long, value_name = "ID")]
    pub(crate) context: Option<String>,
    /// Tasks in this state only, such as `input-required`
    #[arg(long, value_name = "STATE")]
    pub(crate) status: Option<String>,
    /// At most so many tasks
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<i32>,
    /// Go on after an earlier page
    #[arg(long, value_name = "TOKEN")]
    pub(crate) page_token: Option<String>,
    /// Return at most so many messages of each history
    #[arg(long, value_name = "N")]
    pub(crate) history: Option<String>,
    /// Tasks whose status is of this time or later, such as `2026-10-13T05:21:00Z`
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Return the artifacts too
    #[arg(long)]
    pub(crate) with_artifacts: bool,
    /// Print one task a line, as JSON
    #[arg(long)]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct TaskCancelArgs {
    /// The task
    #[arg(value_name = "TASK_ID")]
    pub(crate) id: String,
    /// Metadata of the request, a JSON object; repeated ones are merged
    #[arg(long, value_name = "JSON")]
    pub(crate) metadata: Vec<String>,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct TaskSubscribeArgs {
    /// The task
    #[arg(value_name = "TASK_ID")]
    pub(crate) id: String,
    /// With -o json, print every event and not only the task at the end
    #[arg(long)]
    pub(crate) stream: bool,
    #[command(flatten)]
    pub(crate) poll: PollFlags,
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting with its value and where it came from
    Show(ConfigShowArgs),
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct ConfigShowArgs {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct VersionArgs {
    #[command(flatten)]
    pub(crate) flags: ClientFlags,
}

/// The command line under the name the program was called by.
pub(crate) fn command(name: &'static str) -> clap::Command {
    let command = Cli::command().name(name).bin_name(name);
    let tree = tree(&command);
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\nCommands:\n{tree}\nOptions:\n{{options}}\n\
         \n`{name} COMMAND --help` says more about a command. Each long option of a call has an\n\
         environment variable, such as A2ACLI_AGENT_CARD, which may stand in a .env file;\n\
         `{name} config show` lists them.\n"
    ))
}

/// Every command with its subcommands below it.
fn tree(command: &clap::Command) -> String {
    let mut out = String::new();
    for sub in command.get_subcommands() {
        branch(sub, 2, &mut out);
    }
    out
}

fn branch(command: &clap::Command, indent: usize, out: &mut String) {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let name = format!("{:indent$}{}", "", command.get_name());
    out.push_str(&format!("{name:<18}{about}\n"));
    for sub in command.get_subcommands() {
        branch(sub, indent + 2, out);
    }
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_command_line_is_consistent() {
        command("sabir").debug_assert();
    }

    #[test]
    fn the_help_names_every_command_with_its_subcommands() {
        let help = command("a2a").render_help().to_string();
        for line in [
            "  up ",
            "  sample ",
            "  server ",
            "  card ",
            "    get ",
            "  send ",
            "    list ",
            "    cancel ",
            "    subscribe ",
            "    show ",
            "  version ",
        ] {
            assert!(help.lines().any(|have| have.starts_with(line)), "no {line:?} in\n{help}");
        }
    }
}
