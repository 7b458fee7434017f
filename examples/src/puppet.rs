//! An agent that does what the first word of a message says: for practising, and for testing
//! clients.

mod book;
mod events;
mod faults;
mod kit;
mod play;
mod questions;
mod script;
mod stubborn;
mod table;

use crate::cards;
use sabir::prelude::*;
use std::io;
use std::path::Path;
use std::sync::Arc;

use book::Book;
use play::Play;
use script::Script;

/// The words, one a line, for people.
pub const HELP: &str = "\
The first word of a message selects what the puppet does:
  echo X         one artifact, exactly X, completed at once
  parts          one artifact with what follows the word: the other parts, as they came
  msg X          answers with the bare message X, without a task
  slow N         working for N seconds, one numbered status a second, an artifact, completed
  ticks K        K numbered statuses at random gaps of up to 750 ms, completed
  burst K        K numbered statuses as fast as possible, completed
  chunks a|b|c   one artifact in appended chunks: a, b, c
  blob K         one artifact of K chunks as fast as possible
  ask            asks for input; the next message on the task is played like any other
  auth           asks for a login; the next message on the task is played like any other
  reject         rejects the task
  fail-before    fails before its first event
  fail-after     fails after its first event
  panic          panics after its first event
  late           completes, and then tries to say more
  detach N       returns at once; a background task works on for N seconds
  stubborn N     ignores cancellation for N seconds, with a side effect every 20 ms
  count          how often a message was started (count left out), the side effects so far, and
                 what the agent was told when it was late
Anything else is echoed as a whole. A message id of the official conformance kit (tck-...) plays
the kit's script for it, whatever the text.
";

/// What it takes, and what it gives back.
const MODES: [&str; 3] = ["text/plain", "application/json", "application/octet-stream"];

/// What it says of itself.
pub fn card() -> AgentCard {
    let about = "The first word of the message selects what happens; any other text is echoed.";
    let skill = AgentSkill::new("play", "Play a script", about)
        .tags(["testing", "practice"])
        .examples(["echo hello", "slow 3", "ask", "chunks a|b|c", "fail-after", "count"]);
    AgentCard {
        capabilities: AgentCapabilities {
            push_notifications: Some(true),
            ..cards::streaming(true)
        },
        default_input_modes: cards::modes(MODES),
        default_output_modes: cards::modes(MODES),
        ..AgentCard::new("Puppet", "Does what it is told, to practise with and to test clients.")
            .with_skill(skill)
    }
}

/// Plays scripts, and keeps count of it.
#[derive(Clone, Debug)]
pub struct Puppet {
    book: Arc<Book>,
}

impl Default for Puppet {
    fn default() -> Self {
        Self { book: Arc::new(Book::in_memory()) }
    }
}

impl Puppet {
    /// A puppet that keeps count in two files of this folder, so that the counts go on after a
    /// restart and can be read from outside: `puppet-starts.log` has a line of JSON for each
    /// start, `puppet-effects.log` a line with the task's id for each side effect.
    ///
    /// # Errors
    /// When the files cannot be read or written.
    pub fn with_data(folder: &Path) -> io::Result<Self> {
        Ok(Self { book: Arc::new(Book::open(folder)?) })
    }

    /// Plays what the id of the message selects in the official conformance kit, and echoes it
    /// when the id selects nothing: the text is never a command.
    ///
    /// # Errors
    /// Those of [`Executor::execute`].
    pub async fn play_kit(&self, turn: Turn) -> Result<(), ExecutorError> {
        let script = table::by_id(turn.message().message_id.as_str()).unwrap_or(table::ECHO);
        let text = turn.text();
        self.play(script, text, turn).await
    }

    async fn play(
        &self,
        script: &'static Script,
        rest: String,
        turn: Turn,
    ) -> Result<(), ExecutorError> {
        if script.counts {
            self.book.started(&turn, script.trigger.name())?;
        }
        (script.run)(Play { rest, book: self.book.clone(), turn }).await
    }
}

#[async_trait]
impl Executor for Puppet {
    async fn execute(&self, turn: Turn) -> Result<(), ExecutorError> {
        let text = turn.text();
        let (script, rest) = table::pick(turn.message().message_id.as_str(), &text);
        let rest = rest.to_owned();
        self.play(script, rest, turn).await
    }
}
