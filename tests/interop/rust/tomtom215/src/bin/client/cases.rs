//! What the client and the agents are put through, but for webhooks.

use crate::Agents;
use crate::agent::{all, code, to, user};
use crate::events::{finished, first_task, said, shape, text, ticks};
use a2a_protocol_sdk::prelude::*;
use a2a_protocol_sdk::types::ErrorCode;
use interop_support::{Why, equal, parts};
use std::time::Duration;
use tokio::time::sleep;
use uuid::Uuid;

pub(crate) async fn card(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let card = &reviewer.card;
    equal(&card.name, &texts.name)?;
    equal(card.capabilities.streaming, Some(true))?;
    equal(card.skills.iter().map(|skill| &*skill.id).collect::<Vec<_>>(), ["risk-review"])
}

pub(crate) async fn conversation(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let asked = reviewer.task(user(&texts.vague)).await?;
    equal(asked.status.state, TaskState::InputRequired)?;
    equal(said(&asked.status), &*texts.question)?;
    let done = reviewer.task(to(&asked, &texts.answer)).await?;
    equal((&done.id, &done.context_id), (&asked.id, &asked.context_id))?;
    finished(texts, &done)
}

pub(crate) async fn conversation_streaming(
    Agents { texts, reviewer, .. }: &Agents,
) -> Result<(), Why> {
    let events = reviewer.events(user(&texts.vague)).await?;
    equal(shape(&events), ["task", "InputRequired"])?;
    let task = first_task(&events)?;
    if let StreamResponse::StatusUpdate(update) = &events[1] {
        equal(said(&update.status), &*texts.question)?;
    }
    let answer = to(task, &texts.answer).with_context_id(task.context_id.clone());
    let mut events = reviewer.events(answer).await?;
    // A stream that goes on with a task may begin with it.
    events.retain(|event| !matches!(event, StreamResponse::Task(_)));
    equal(shape(&events), ["Working", &texts.artifact, "Completed"])?;
    if let StreamResponse::ArtifactUpdate(update) = &events[1] {
        equal(text(&update.artifact.parts), texts.findings())?;
    }
    finished(texts, &reviewer.get(&task.id).await?)
}

pub(crate) async fn direct_message(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let answer = puppet.send(user("msg well met")).await?;
    let SendMessageResponse::Message(message) = answer else {
        return Err(format!("{answer:?}, wanted a message").into());
    };
    equal(text(&message.parts), "well met")?;
    let events = puppet.events(user("msg well met")).await?;
    let [StreamResponse::Message(message)] = &events[..] else {
        return Err(format!("{events:?}, wanted one message").into());
    };
    equal(text(&message.parts), "well met")
}

pub(crate) async fn files_and_data(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let mut message = user("parts");
    for part in parts() {
        message.parts.push(serde_json::from_value(part)?);
    }
    let sent = message.parts.clone();
    let task = puppet.task(message).await?;
    let artifact = task.artifacts.iter().flatten().next().map(|artifact| &artifact.parts[..]);
    equal(artifact, Some(&sent[1..]))?;
    equal(task.history.iter().flatten().next().map(|message| &message.parts), Some(&sent))
}

pub(crate) async fn get_and_list(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let client = &reviewer.client;
    let task = reviewer.task(user(&texts.vague)).await?;
    let without = TaskQueryParams::new(task.id.to_string()).with_history_length(0);
    equal(client.get_task(without).await?.history.unwrap_or_default(), vec![])?;
    // In the same context, another task.
    let answer = user(&texts.answer).with_context_id(task.context_id.clone());
    let done = reviewer.task(answer).await?;
    let of_context = ListTasksParams {
        context_id: Some(task.context_id.to_string()),
        include_artifacts: Some(true),
        ..ListTasksParams::default()
    };
    let listed = client.list_tasks(of_context.clone()).await?;
    equal(listed.total_size, 2)?;
    equal(ids(&listed.tasks), ids(&[task.clone(), done.clone()]))?;
    let completed = ListTasksParams { status: Some(TaskState::Completed), ..of_context.clone() };
    let listed = client.list_tasks(completed).await?;
    let artifacts = listed.tasks.iter().flat_map(|task| task.artifacts.iter().flatten());
    let found: Vec<_> = artifacts.map(|artifact| text(&artifact.parts)).collect();
    equal(found, [texts.findings()])?;
    let first = ListTasksParams { page_size: Some(1), ..of_context };
    let page = client.list_tasks(first.clone()).await?;
    let second = ListTasksParams { page_token: Some(page.next_page_token), ..first };
    let rest = client.list_tasks(second).await?;
    equal(ids(&[page.tasks, rest.tasks].concat()), ids(&[task, done]))
}

pub(crate) async fn return_immediately(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let mut task = puppet.start(user("ticks 2")).await?;
    let begun = matches!(task.status.state, TaskState::Submitted | TaskState::Working);
    equal(begun, true)?;
    while task.status.state != TaskState::Completed {
        sleep(Duration::from_millis(100)).await;
        task = puppet.get(&task.id).await?;
    }
    Ok(())
}

/// Leaves a stream and comes back, while another reader stays: both see every tick.
pub(crate) async fn resubscribe(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let mut staying = puppet.stream(user("ticks 8")).await?;
    let begin = staying.next().await.ok_or("no event")??;
    let id = first_task(std::slice::from_ref(&begin))?.id.clone();
    let staying = tokio::spawn(all(staying));
    let mut leaving = puppet.subscribe(&id).await?;
    loop {
        let event = leaving.next().await.ok_or("the stream ends early")??;
        if shape(&[event]) == ["Working"] {
            break;
        }
    }
    drop(leaving);
    let back = all(puppet.subscribe(&id).await?).await?;
    let stayed = [vec![begin], staying.await??].concat();
    let every: Vec<_> = (1..=8).map(|number| format!("{number}/8")).collect();
    for events in [stayed, back] {
        equal(&ticks(&events)?, &every)?;
        equal(shape(&events).last().map(String::as_str), Some("Completed"))?;
    }
    Ok(())
}

pub(crate) async fn cancel_a_waiting_task(
    Agents { texts, reviewer, .. }: &Agents,
) -> Result<(), Why> {
    let task = reviewer.task(user(&texts.vague)).await?;
    equal(reviewer.cancel(&task.id).await?.status.state, TaskState::Canceled)?;
    equal(reviewer.get(&task.id).await?.status.state, TaskState::Canceled)
}

pub(crate) async fn cancel_a_running_task(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let mut stream = puppet.stream(user("ticks 100")).await?;
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        events.push(event?);
        if shape(&events) == ["task", "Working"] {
            let id = &first_task(&events)?.id;
            equal(puppet.cancel(id).await?.status.state, TaskState::Canceled)?;
        }
    }
    equal(shape(&events).last().map(String::as_str), Some("Canceled"))?;
    let id = &first_task(&events)?.id;
    equal(puppet.get(id).await?.status.state, TaskState::Canceled)
}

pub(crate) async fn unknown_task(Agents { reviewer, .. }: &Agents) -> Result<(), Why> {
    let id = TaskId::new(Uuid::new_v4().to_string());
    let hello = || user("hello").with_task_id(id.clone());
    let refusals = [
        code(reviewer.get(&id).await),
        code(reviewer.cancel(&id).await),
        code(drained(reviewer.subscribe(&id).await).await),
        code(reviewer.send(hello()).await),
        code(drained(reviewer.stream(hello()).await).await),
    ];
    equal(refusals, [Some(ErrorCode::TaskNotFound); 5])
}

pub(crate) async fn finished_task(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let task = reviewer.task(user(&texts.answer)).await?;
    let refusals = [
        code(reviewer.send(to(&task, "more")).await),
        code(drained(reviewer.stream(to(&task, "more")).await).await),
        code(drained(reviewer.subscribe(&task.id).await).await),
    ];
    equal(refusals, [Some(ErrorCode::UnsupportedOperation); 3])?;
    equal(code(reviewer.cancel(&task.id).await), Some(ErrorCode::TaskNotCancelable))
}

/// What a stream says, if it opens.
async fn drained(opened: ClientResult<EventStream>) -> ClientResult<Vec<StreamResponse>> {
    all(opened?).await
}

fn ids(tasks: &[Task]) -> Vec<String> {
    let mut ids: Vec<_> = tasks.iter().map(|task| task.id.to_string()).collect();
    ids.sort();
    ids
}
