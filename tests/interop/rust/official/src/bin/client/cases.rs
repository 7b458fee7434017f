//! What the client and the agents are put through, but for webhooks.

use crate::Agents;
use crate::agent::{first_failure, to, user};
use crate::events::{finished, first_task, said, shape, text, ticks};
use a2a::{
    A2AError, ListTasksRequest, Part, PartContent, SendMessageResponse, StreamResponse, Task,
    TaskState, error_code, new_message_id,
};
use a2a_pb::pbconv;
use futures::stream::{StreamExt, TryStreamExt};
use interop_support::{Why, equal, parts};
use serde_json::Value;
use std::time::Duration;
use tokio::time::sleep;

pub(crate) async fn card(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let card = reviewer.card().await?;
    equal(&card.name, &texts.name)?;
    equal(card.capabilities.streaming, Some(true))?;
    equal(card.skills.iter().map(|skill| &*skill.id).collect::<Vec<_>>(), ["risk-review"])
}

pub(crate) async fn conversation(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let asked = reviewer.task(user(&texts.vague)).await?;
    equal(&asked.status.state, &TaskState::InputRequired)?;
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
    let mut answer = to(task, &texts.answer);
    answer.context_id = Some(task.context_id.clone());
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
    let SendMessageResponse::Message(message) = puppet.send(user("msg well met")).await? else {
        return Err("a task, wanted a message".into());
    };
    equal(text(&message.parts), "well met")?;
    let events = puppet.events(user("msg well met")).await?;
    let [StreamResponse::Message(message)] = &events[..] else {
        return Err(format!("{events:?}, wanted one message").into());
    };
    equal(text(&message.parts), "well met")
}

pub(crate) async fn files_and_data(Agents { puppet, .. }: &Agents) -> Result<(), Why> {
    let mut sent = user("parts");
    for part in parts() {
        sent.parts.push(serde_json::from_value(part)?);
    }
    // Numbers are fractions in protobuf's JSON: 0 comes back as 0.0.
    let mut wanted = pbconv::from_proto_message(&pbconv::to_proto_message(&sent)).parts;
    for part in wanted.iter_mut().filter(|_| puppet.binding != "GRPC") {
        // What the crates read in JSON as data that is null; in protobuf they read it right.
        if part.content == PartContent::Data(Value::Null) {
            *part = Part::text("");
        }
    }
    let task = puppet.task(sent).await?;
    let artifact = task.artifacts.iter().flatten().next().map(|artifact| &artifact.parts[..]);
    equal(artifact, Some(&wanted[1..]))?;
    equal(task.history.iter().flatten().next().map(|message| &message.parts), Some(&wanted))
}

pub(crate) async fn get_and_list(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let task = reviewer.task(user(&texts.vague)).await?;
    let short = reviewer.get_with_history(&task.id, Some(0)).await?;
    equal(short.history.unwrap_or_default(), vec![])?;
    // In the same context, another task.
    let mut answer = user(&texts.answer);
    answer.context_id = Some(task.context_id.clone());
    let done = reviewer.task(answer).await?;
    let of_context = ListTasksRequest {
        context_id: Some(task.context_id.clone()),
        include_artifacts: Some(true),
        ..no_filters()
    };
    let listed = reviewer.list(&of_context).await?;
    equal(listed.total_size, 2)?;
    equal(ids(&listed.tasks), ids(&[task.clone(), done.clone()]))?;
    let completed = ListTasksRequest { status: Some(TaskState::Completed), ..of_context.clone() };
    let listed = reviewer.list(&completed).await?;
    let artifacts = listed.tasks.iter().flat_map(|task| task.artifacts.iter().flatten());
    let found: Vec<_> = artifacts.map(|artifact| text(&artifact.parts)).collect();
    equal(found, [texts.findings()])?;
    let first = ListTasksRequest { page_size: Some(1), ..of_context };
    let page = reviewer.list(&first).await?;
    let second = ListTasksRequest { page_token: Some(page.next_page_token), ..first };
    let rest = reviewer.list(&second).await?;
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
    let staying = tokio::spawn(staying.try_collect::<Vec<_>>());
    let mut leaving = puppet.subscribe(&id).await?;
    loop {
        let event = leaving.next().await.ok_or("the stream ends early")??;
        if shape(&[event]) == ["Working"] {
            break;
        }
    }
    drop(leaving);
    let back: Vec<_> = puppet.subscribe(&id).await?.try_collect().await?;
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
    let mut events = puppet.stream(user("ticks 100")).await?;
    let mut id = None;
    let mut states = Vec::new();
    while let Some(event) = events.next().await {
        match event? {
            StreamResponse::Task(task) => id = Some(task.id),
            StreamResponse::StatusUpdate(update) => {
                states.push(update.status.state);
                if states.len() == 1 {
                    let id = id.as_deref().ok_or("no task before its status")?;
                    equal(puppet.cancel(id).await?.status.state, TaskState::Canceled)?;
                }
            }
            _ => {}
        }
    }
    equal(states.last(), Some(&TaskState::Canceled))?;
    equal(puppet.get(&id.ok_or("no task")?).await?.status.state, TaskState::Canceled)
}

pub(crate) async fn unknown_task(Agents { reviewer, .. }: &Agents) -> Result<(), Why> {
    let unknown = new_message_id();
    let to_unknown = || a2a::Message { task_id: Some(unknown.clone()), ..user("hello") };
    let refusals = [
        reviewer.get(&unknown).await.err(),
        reviewer.cancel(&unknown).await.err(),
        first_failure(reviewer.subscribe(&unknown).await).await,
        reviewer.send(to_unknown()).await.err(),
        first_failure(reviewer.stream(to_unknown()).await).await,
    ];
    equal(codes(refusals), [Some(error_code::TASK_NOT_FOUND); 5])
}

pub(crate) async fn finished_task(Agents { texts, reviewer, .. }: &Agents) -> Result<(), Why> {
    let task = reviewer.task(user(&texts.answer)).await?;
    let refusals = [
        reviewer.send(to(&task, "more")).await.err(),
        first_failure(reviewer.stream(to(&task, "more")).await).await,
        first_failure(reviewer.subscribe(&task.id).await).await,
        reviewer.cancel(&task.id).await.err(),
    ];
    let unsupported = Some(error_code::UNSUPPORTED_OPERATION);
    let not_cancelable = Some(error_code::TASK_NOT_CANCELABLE);
    equal(codes(refusals), [unsupported, unsupported, unsupported, not_cancelable])
}

fn codes<const N: usize>(refusals: [Option<A2AError>; N]) -> [Option<i32>; N] {
    refusals.map(|refusal| refusal.map(|error| error.code))
}

fn ids(tasks: &[Task]) -> Vec<String> {
    let mut ids: Vec<_> = tasks.iter().map(|task| task.id.clone()).collect();
    ids.sort();
    ids
}

fn no_filters() -> ListTasksRequest {
    ListTasksRequest {
        context_id: None,
        status: None,
        page_size: None,
        page_token: None,
        history_length: None,
        status_timestamp_after: None,
        include_artifacts: None,
        tenant: None,
    }
}
