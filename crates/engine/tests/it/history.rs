use crate::support::{Player, engine, get, kind, on_task, request, say, send};
use sabir_engine::{Agent, Call};
use sabir_types::{ErrorKind, GetTaskRequest, SendMessageConfiguration};

fn player() -> Player {
    Player::default().on("ask", |turn| async move { Ok(turn.input_required("which?").await?) }).on(
        "many",
        |turn| async move {
            for n in 0..300 {
                turn.working(n.to_string()).await?;
            }
            Ok(turn.completed(()).await?)
        },
    )
}

#[tokio::test]
async fn history_length_keeps_the_newest_messages_in_order() {
    let engine = engine(&player()).await;
    let task = say(&engine, "ask").await;
    let task = send(&engine, on_task("x", &task.id)).await.unwrap();
    let all: Vec<_> = task.history.iter().map(|m| m.message_id.clone()).collect();
    assert_eq!(all.len(), 4);
    for n in [0, 1, 2, 9] {
        let request = GetTaskRequest { history_length: Some(n), ..wanted(&task) };
        let cut = engine.get_task(&Call::default(), request).await.unwrap().history;
        let cut: Vec<_> = cut.iter().map(|m| m.message_id.clone()).collect();
        assert_eq!(cut, all[all.len() - all.len().min(n as usize)..]);
    }
    let negative = GetTaskRequest { history_length: Some(-1), ..wanted(&task) };
    assert_eq!(kind(engine.get_task(&Call::default(), negative).await), ErrorKind::InvalidParams);
}

fn wanted(task: &sabir_types::Task) -> GetTaskRequest {
    GetTaskRequest { id: task.id.clone(), ..GetTaskRequest::default() }
}

#[tokio::test]
async fn without_a_number_the_newest_200_messages_are_shown_and_a_number_gives_more() {
    let engine = engine(&player()).await;
    let task = say(&engine, "many").await;
    assert_eq!(task.history.len(), 200);
    assert_eq!(get(&engine, &task.id).await.unwrap().history.len(), 200);
    let request = GetTaskRequest { history_length: Some(1_000), ..wanted(&task) };
    let full = engine.get_task(&Call::default(), request).await.unwrap();
    assert_eq!(full.history.len(), 301);
}

#[tokio::test]
async fn history_length_works_in_send_message() {
    let engine = engine(&player()).await;
    let mut none = request("x");
    let configuration = SendMessageConfiguration { history_length: Some(0), ..Default::default() };
    none.configuration = Some(configuration);
    assert!(send(&engine, none).await.unwrap().history.is_empty());
}
