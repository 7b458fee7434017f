//! The client of the SDK of tomtom215 against an agent, on one binding.
//!
//!     tomtom215-client BINDING REVIEWER PUPPET
//!
//! The cases are those of `py/client.py`, and so are their names. Prints `ok NAME` or
//! `FAIL NAME: why` for each.

#[path = "client/agent.rs"]
mod agent;
#[path = "client/cases.rs"]
mod cases;
#[path = "client/events.rs"]
mod events;
#[path = "client/push.rs"]
mod push;

use agent::Agent;
use interop_support::{Args, Texts, Why};

/// The two agents that the cases call.
struct Agents {
    texts: Texts,
    reviewer: Agent,
    puppet: Agent,
}

#[tokio::main]
async fn main() -> Result<(), Why> {
    let args = Args::read()?;
    let agents = Agents {
        texts: Texts::read(),
        reviewer: Agent::connect(&args.binding, &args.reviewer).await?,
        puppet: Agent::connect(&args.binding, &args.puppet).await?,
    };
    interop_support::run(vec![
        ("card", Box::pin(cases::card(&agents))),
        ("conversation", Box::pin(cases::conversation(&agents))),
        ("conversation, streaming", Box::pin(cases::conversation_streaming(&agents))),
        ("direct message", Box::pin(cases::direct_message(&agents))),
        ("files and data", Box::pin(cases::files_and_data(&agents))),
        ("get and list", Box::pin(cases::get_and_list(&agents))),
        ("return immediately, then poll", Box::pin(cases::return_immediately(&agents))),
        ("resubscribe", Box::pin(cases::resubscribe(&agents))),
        ("cancel a waiting task", Box::pin(cases::cancel_a_waiting_task(&agents))),
        ("cancel a running task", Box::pin(cases::cancel_a_running_task(&agents))),
        ("push configs", Box::pin(push::configs(&agents))),
        ("push, new task", Box::pin(push::of_a_new_task(&agents))),
        ("push, waiting task", Box::pin(push::of_a_waiting_task(&agents))),
        ("errors, unknown task", Box::pin(cases::unknown_task(&agents))),
        ("errors, finished task", Box::pin(cases::finished_task(&agents))),
    ])
    .await;
    Ok(())
}
