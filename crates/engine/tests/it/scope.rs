use crate::support::{Player, card, engine, kind, memory, request};
use sabir_engine::{Agent, Call, Engine};
use sabir_types::{
    CancelTaskRequest, ContextId, ErrorKind, GetTaskRequest, ListTasksRequest, Principal,
    SendMessageResponse, SubscribeToTaskRequest, Task,
};

fn by(name: &str) -> Call {
    Call { principal: Principal::new(name), ..Call::default() }
}

async fn ask(engine: &Engine, call: &Call, tenant: Option<&str>, context: &str) -> Task {
    let mut request = request("ask");
    request.tenant = tenant.map(str::to_owned);
    request.message.context_id = Some(ContextId::from(context));
    match engine.send_message(call, request).await.unwrap().value {
        SendMessageResponse::Task(task) => task,
        other => panic!("{other:?}"),
    }
}

fn player() -> Player {
    Player::default().on("ask", |turn| async move {
        let earlier = turn.earlier_tasks().await?.len();
        Ok(turn.input_required(format!("{earlier} earlier")).await?)
    })
}

#[tokio::test]
async fn nothing_crosses_from_one_owner_or_tenant_to_another() {
    let engine = engine(&player()).await;
    let (ann, bob) = (by("ann"), by("bob"));
    let task = ask(&engine, &ann, None, "c").await;
    let theirs = ask(&engine, &ann, Some("acme"), "c").await;
    for (call, tenant, id) in [
        (&bob, None, &task.id),
        (&Call::default(), None, &task.id),
        (&ann, Some("acme"), &task.id),
        (&ann, None, &theirs.id),
    ] {
        let tenant = tenant.map(str::to_owned);
        let get = GetTaskRequest { tenant: tenant.clone(), id: id.clone(), history_length: None };
        assert_eq!(kind(engine.get_task(call, get).await), ErrorKind::TaskNotFound);
        let cancel = CancelTaskRequest { tenant: tenant.clone(), id: id.clone(), metadata: None };
        assert_eq!(kind(engine.cancel_task(call, cancel).await), ErrorKind::TaskNotFound);
        let follow = SubscribeToTaskRequest { tenant: tenant.clone(), id: id.clone() };
        let follow = engine.subscribe_to_task(call, follow).await.map(drop);
        assert_eq!(kind(follow), ErrorKind::TaskNotFound);
        let mut send = request("x");
        send.tenant = tenant;
        send.message.task_id = Some(id.clone());
        assert_eq!(kind(engine.send_message(call, send).await), ErrorKind::TaskNotFound);
    }
}

#[tokio::test]
async fn the_same_context_id_of_two_owners_is_two_contexts() {
    let engine = engine(&player()).await;
    ask(&engine, &by("ann"), None, "c").await;
    let second = ask(&engine, &by("ann"), None, "c").await;
    assert_eq!(second.status.message.unwrap().text(), "1 earlier");
    let bobs = ask(&engine, &by("bob"), None, "c").await;
    assert_eq!(bobs.status.message.unwrap().text(), "0 earlier");
    let list = ListTasksRequest { context_id: Some(ContextId::from("c")), ..Default::default() };
    assert_eq!(engine.list_tasks(&by("bob"), list).await.unwrap().total_size, 1);
}

#[tokio::test]
async fn two_agents_in_one_store_do_not_see_each_other() {
    let store = memory();
    let one = Engine::builder(card(), player()).name("one").store(store.clone());
    let one = one.start().await.unwrap();
    let two = Engine::builder(card(), player()).name("two").store(store).start().await.unwrap();
    let task = ask(&one, &by("ann"), None, "c").await;
    let get = GetTaskRequest { id: task.id, ..GetTaskRequest::default() };
    assert_eq!(kind(two.get_task(&by("ann"), get.clone()).await), ErrorKind::TaskNotFound);
    assert!(one.get_task(&by("ann"), get).await.is_ok());
}
