use crate::support::{
    Player, all, at_once, engine, get, kind, on_task, request, say, send, state, stream, text_of,
};
use sabir_engine::{Agent, Call};
use sabir_types::{ContextId, ErrorKind, Part, SendMessageResponse, TaskId, TaskState};
use std::time::Duration;

fn player() -> Player {
    Player::default()
        .on("ask", |turn| async move { Ok(turn.input_required("which?").await?) })
        .on("msg", |turn| async move { Ok(turn.reply("hello").await?) })
        .on("slow", |turn| async move {
            turn.working("1").await?;
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(turn.completed("slept").await?)
        })
        .on("late-msg", |turn| async move {
            tokio::time::sleep(Duration::from_secs(5)).await;
            Ok(turn.reply("at last").await?)
        })
}

#[tokio::test]
async fn a_blocking_call_gets_the_task_with_its_artifact_and_status() {
    let engine = engine(&player()).await;
    let task = say(&engine, "anything").await;
    assert_eq!(state(&task), TaskState::Completed);
    assert_eq!(task.artifacts[0].parts[0].as_text(), Some("anything"));
    assert_eq!(task.history[0].text(), "anything");
    assert_eq!(task.history[0].task_id.as_ref(), Some(&task.id));
    assert_eq!(get(&engine, &task.id).await.unwrap(), task);
}

#[tokio::test]
async fn a_direct_reply_makes_no_task() {
    let engine = engine(&player()).await;
    let answer = engine.send_message(&Call::default(), request("msg")).await.unwrap();
    let SendMessageResponse::Message(message) = answer.value else { panic!("a message") };
    assert_eq!(message.text(), "hello");
    assert!(message.context_id.is_some() && message.task_id.is_none());
    let listed = engine.list_tasks(&Call::default(), Default::default()).await.unwrap();
    assert_eq!(listed.total_size, 0);
    assert_eq!(all(stream(&engine, request("msg")).await).await, ["message hello"]);
    let answer = engine.send_message(&Call::default(), at_once(request("msg"))).await.unwrap();
    assert!(matches!(answer.value, SendMessageResponse::Message(_)));
}

#[tokio::test(start_paused = true)]
async fn return_immediately_names_the_task_and_the_work_goes_on() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("slow"))).await.unwrap();
    assert_eq!(state(&task), TaskState::Working);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(state(&get(&engine, &task.id).await.unwrap()), TaskState::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_reply_after_the_task_was_named_completes_it() {
    let engine = engine(&player()).await;
    let task = send(&engine, at_once(request("late-msg"))).await.unwrap();
    assert_eq!(state(&task), TaskState::Submitted);
    tokio::time::sleep(Duration::from_secs(6)).await;
    let task = get(&engine, &task.id).await.unwrap();
    assert_eq!((state(&task), text_of(&task).as_str()), (TaskState::Completed, "at last"));
}

#[tokio::test]
async fn an_answer_goes_on_with_the_task_and_moves_the_question_into_the_history() {
    let engine = engine(&player()).await;
    let first = say(&engine, "ask").await;
    assert_eq!(state(&first), TaskState::InputRequired);
    let second = send(&engine, on_task("here", &first.id)).await.unwrap();
    assert_eq!(second.id, first.id);
    assert_eq!(second.context_id, first.context_id);
    let said: Vec<_> = second.history.iter().map(|message| message.text()).collect();
    assert_eq!(said, ["ask", "which?", "here", "on it"]);
}

#[tokio::test]
async fn wrong_ids_are_refused_and_create_nothing() {
    let engine = engine(&player()).await;
    let unknown = TaskId::from("no-such");
    assert_eq!(kind(send(&engine, on_task("x", &unknown)).await), ErrorKind::TaskNotFound);
    let done = say(&engine, "x").await;
    assert_eq!(kind(send(&engine, on_task("y", &done.id)).await), ErrorKind::UnsupportedOperation);
    let open = say(&engine, "ask").await;
    let mut other = on_task("y", &open.id);
    other.message.context_id = Some(ContextId::from("another"));
    let error = send(&engine, other).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert_eq!(error.violations()[0].field, "message.contextId");
    let listed = engine.list_tasks(&Call::default(), Default::default()).await.unwrap();
    assert_eq!(listed.total_size, 2);
}

#[tokio::test]
async fn a_clients_context_is_kept() {
    let engine = engine(&player()).await;
    let mut mine = request("x");
    mine.message.context_id = Some(ContextId::from("mine"));
    assert_eq!(send(&engine, mine).await.unwrap().context_id.as_str(), "mine");
}

#[tokio::test]
async fn a_part_of_another_media_type_is_refused_before_a_task_exists() {
    let engine = engine(&player()).await;
    let mut odd = request("x");
    odd.message.parts.push(Part::raw("abc").with_media_type("application/x-nope"));
    assert_eq!(kind(send(&engine, odd).await), ErrorKind::ContentTypeNotSupported);
    let listed = engine.list_tasks(&Call::default(), Default::default()).await.unwrap();
    assert_eq!(listed.total_size, 0);
}

#[tokio::test]
async fn a_missing_field_is_named_by_its_path() {
    let engine = engine(&player()).await;
    let mut empty = request("x");
    empty.message.parts.push(Part::default());
    let error = send(&engine, empty).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidParams);
    assert!(error.violations()[0].field.starts_with("message.parts[1]"), "{error}");
}
