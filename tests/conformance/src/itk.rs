//! The instructions of ITK: what to say, whom to call, and in which order.

mod call;
mod proto;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use prost::Message as _;
use sabir::prelude::*;
use sabir::types::Content;
use std::time::Duration;

pub(crate) use proto::Instruction;
use proto::Step;

/// The last line of what a held task says.
const FINISHED: &str = "task-finished";

/// How often a held task says that it still works.
const BEAT: Duration = Duration::from_secs(2);

/// The instruction in a message: raw, or as base64 in a text.
pub(crate) fn instruction(message: &Message) -> Option<Instruction> {
    message.parts.iter().find_map(|part| match &part.content {
        Content::Raw(bytes) => read(bytes),
        Content::Text(text) => read(&STANDARD.decode(text.trim()).ok()?),
        _ => None,
    })
}

fn read(bytes: &[u8]) -> Option<Instruction> {
    Instruction::decode(bytes).ok().filter(|instruction| instruction.step.is_some())
}

/// Does what it says and tells what came of it. A task that is to be held works on until it is
/// canceled.
pub(crate) async fn obey(instruction: &Instruction, turn: &Turn) -> Result<(), ExecutorError> {
    turn.working(()).await?;
    let result = tokio::select! {
        result = follow(instruction) => result?.join("\n"),
        () = turn.canceled() => return Ok(()),
    };
    if !holds(instruction) {
        return Ok(turn.completed(result).await?);
    }
    turn.working(format!("{result}\n{FINISHED}")).await?;
    loop {
        tokio::select! {
            () = turn.canceled() => return Ok(()),
            () = tokio::time::sleep(BEAT) => turn.working(()).await?,
        }
    }
}

/// What is said, in order.
fn follow(instruction: &Instruction) -> BoxFuture<'_, Result<Vec<String>, ExecutorError>> {
    async move {
        match &instruction.step {
            Some(Step::ReturnResponse(say)) => Ok(vec![say.response.clone()]),
            Some(Step::CallAgent(call)) => call::call(call).await,
            Some(Step::Steps(steps)) => {
                let mut said = Vec::new();
                for step in &steps.instructions {
                    said.extend(follow(step).await?);
                }
                Ok(said)
            }
            None => Err(ExecutorError::new("an instruction without a step")),
        }
    }
    .boxed()
}

fn holds(instruction: &Instruction) -> bool {
    match &instruction.step {
        Some(Step::ReturnResponse(say)) => say.hold_task,
        Some(Step::Steps(steps)) => steps.instructions.iter().any(holds),
        Some(Step::CallAgent(_)) | None => false,
    }
}
