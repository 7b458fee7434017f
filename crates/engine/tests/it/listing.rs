use crate::support::{Player, engine, kind, request, say, send};
use sabir_engine::{Agent, Call, Engine};
use sabir_types::{ContextId, ErrorKind, ListTasksRequest, ListTasksResponse, TaskState};

async fn list(engine: &Engine, request: ListTasksRequest) -> ListTasksResponse {
    engine.list_tasks(&Call::default(), request).await.unwrap()
}

async fn in_context(engine: &Engine, context: &str, text: &str) -> sabir_types::TaskId {
    let mut request = request(text);
    request.message.context_id = Some(ContextId::from(context));
    send(engine, request).await.unwrap().id
}

#[tokio::test]
async fn pages_show_every_task_once_newest_first_also_while_tasks_are_added() {
    let engine = engine(&Player::default()).await;
    let mut made = Vec::new();
    for n in 0..9 {
        made.push(in_context(&engine, "c", &n.to_string()).await);
    }
    let mut request = ListTasksRequest {
        context_id: Some(ContextId::from("c")),
        page_size: Some(2),
        ..ListTasksRequest::default()
    };
    let mut seen = Vec::new();
    loop {
        let page = list(&engine, request.clone()).await;
        assert_eq!(page.page_size, 2);
        assert!(page.tasks.iter().all(|task| task.artifacts.is_empty()));
        seen.extend(page.tasks.into_iter().map(|task| task.id));
        if page.next_page_token.is_empty() {
            break;
        }
        request.page_token = Some(page.next_page_token);
        in_context(&engine, "c", "late").await;
    }
    made.reverse();
    assert_eq!(seen, made);
}

#[tokio::test]
async fn filters_and_totals_agree() {
    let player =
        Player::default().on("ask", |turn| async move { Ok(turn.input_required("?").await?) });
    let engine = engine(&player).await;
    say(&engine, "ask").await;
    for _ in 0..3 {
        say(&engine, "x").await;
    }
    let by_state = ListTasksRequest { status: TaskState::InputRequired, ..Default::default() };
    let page = list(&engine, by_state).await;
    assert_eq!((page.total_size, page.tasks.len(), page.page_size), (1, 1, 50));
    let with = ListTasksRequest { include_artifacts: Some(true), ..Default::default() };
    let page = list(&engine, with).await;
    assert_eq!(page.total_size, 4);
    assert_eq!(page.tasks.iter().filter(|task| task.artifacts.len() == 1).count(), 3);
}

#[tokio::test]
async fn bad_sizes_and_foreign_tokens_are_refused_by_name() {
    let engine = engine(&Player::default()).await;
    for size in [-1, 0, 101] {
        let request = ListTasksRequest { page_size: Some(size), ..Default::default() };
        let result = engine.list_tasks(&Call::default(), request).await;
        assert_eq!(result.unwrap_err().violations()[0].field, "pageSize");
    }
    for _ in 0..3 {
        in_context(&engine, "a", "x").await;
    }
    let one = ListTasksRequest { page_size: Some(1), ..Default::default() };
    let token = list(&engine, one.clone()).await.next_page_token;
    let other = ListTasksRequest {
        context_id: Some(ContextId::from("a")),
        page_token: Some(token),
        ..one.clone()
    };
    let result = engine.list_tasks(&Call::default(), other).await;
    assert_eq!(kind(result), ErrorKind::InvalidParams);
    let nonsense = ListTasksRequest { page_token: Some("é".into()), ..one };
    let result = engine.list_tasks(&Call::default(), nonsense).await;
    assert_eq!(kind(result), ErrorKind::InvalidParams);
}
