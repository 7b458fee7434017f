//! What tasks, messages and events say.

use a2a_protocol_sdk::prelude::*;
use interop_support::{Texts, Why, equal};

pub(crate) fn text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::text_content).collect::<Vec<_>>().join("\n")
}

/// What the agent says to the state.
pub(crate) fn said(status: &TaskStatus) -> String {
    status.message.as_ref().map(|message| text(&message.parts)).unwrap_or_default()
}

fn named(artifact: &Artifact) -> &str {
    artifact.name.as_deref().unwrap_or_default()
}

/// What kinds of events these are: the state of a status, the name of an artifact.
pub(crate) fn shape(events: &[StreamResponse]) -> Vec<String> {
    let kind = |event: &StreamResponse| match event {
        StreamResponse::Task(_) => "task".to_owned(),
        StreamResponse::StatusUpdate(update) => format!("{:?}", update.status.state),
        StreamResponse::ArtifactUpdate(update) => named(&update.artifact).to_owned(),
        _ => "message".to_owned(),
    };
    events.iter().map(kind).collect()
}

/// The task that a stream begins with.
pub(crate) fn first_task(events: &[StreamResponse]) -> Result<&Task, Why> {
    match events.first() {
        Some(StreamResponse::Task(task)) => Ok(task),
        other => Err(format!("{other:?}, wanted a task").into()),
    }
}

/// The numbered statuses of a stream, with those that its first event, the task, holds.
pub(crate) fn ticks(events: &[StreamResponse]) -> Result<Vec<String>, Why> {
    let task = first_task(events)?;
    let history = task.history.as_deref().unwrap_or_default();
    let now = task.status.message.iter();
    // Some agents put a status into the history at once, others when the next one comes.
    let now = now.filter(|now| history.iter().all(|said| said.id != now.id));
    let then = events[1..].iter().filter_map(|event| match event {
        StreamResponse::StatusUpdate(update) => update.status.message.as_ref(),
        _ => None,
    });
    let by_agent = |message: &&Message| message.role == MessageRole::Agent;
    let messages = history.iter().chain(now).chain(then).filter(by_agent);
    Ok(messages.map(|message| text(&message.parts)).filter(|said| said.contains('/')).collect())
}

/// The reviewer's task at the end of the conversation.
pub(crate) fn finished(texts: &Texts, task: &Task) -> Result<(), Why> {
    equal(task.status.state, TaskState::Completed)?;
    equal(said(&task.status), &*texts.completed)?;
    let artifacts = task.artifacts.iter().flatten();
    let found: Vec<_> = artifacts.map(|each| (named(each), text(&each.parts))).collect();
    equal(found, vec![(&*texts.artifact, texts.findings())])?;
    let wanted = [&texts.vague, &texts.question, &texts.answer];
    let history = task.history.iter().flatten().map(|message| text(&message.parts));
    let history: Vec<_> = history.filter(|said| wanted.contains(&said)).collect();
    equal(history.iter().collect::<Vec<_>>(), wanted.to_vec())
}
