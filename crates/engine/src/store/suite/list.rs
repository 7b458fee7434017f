//! Listing tasks.

use super::Stores;
use super::actors::{
    alice, at, at_secs, command, end, ended, keep, key, key_in, list, new_task, scope, show, sweep,
    take, work,
};
use crate::store::{Append, Retention, RowChange, Store, TaskFilter};
use sabir_types::{ContextId, TaskId, TaskState, Timestamp};
use std::sync::Arc;

fn all() -> TaskFilter {
    TaskFilter::default()
}

/// A task `id` in a context that waits since that time.
async fn waiting(store: &Arc<dyn Store>, id: &str, context: &str, millis: i64) {
    take(store, new_task(&key(id), context)).await;
    take(store, end(&key(id), 1, TaskState::InputRequired, at(millis))).await;
}

/// Whatever order they were made in.
pub async fn the_newest_status_comes_first_and_of_equals_the_greater_id(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for (id, millis) in [("b", 2), ("a", 2), ("z", 1), ("d", 3), ("c", 2), ("y", 0)] {
        waiting(&store, id, "context", millis).await;
    }
    let page = store.list(&alice(), &all(), None, 10).await.expect("it lists");
    let tasks: Vec<_> = page.tasks.iter().map(|(id, at)| (id.as_str(), *at)).collect();
    let expected = [("d", 3), ("c", 2), ("b", 2), ("a", 2), ("z", 1), ("y", 0)];
    assert_eq!(tasks, expected.map(|(id, millis)| (id, at(millis))));
    assert_eq!(page.total, 6);
}

/// Neither while it runs nor when a reply has closed it.
pub async fn what_is_not_visible_is_not_listed(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    assert_eq!(list(&store, &alice(), &all()).await, (vec![], 0));
    let row = RowChange { close_turn: true, ..RowChange::default() };
    take(&store, Append { row, ..work(&task, 1, []) }).await;
    assert_eq!(list(&store, &alice(), &all()).await, (vec![], 0));
    let row = RowChange { visible: true, ..RowChange::default() };
    take(&store, Append { row, ..command(&task, false) }).await;
    assert_eq!(list(&store, &alice(), &all()).await, (vec!["task".into()], 1));
}

/// Open or not.
pub async fn a_context_is_a_filter(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for (id, context, millis) in [("a", "one", 1), ("b", "two", 2), ("c", "one", 3)] {
        waiting(&store, id, context, millis).await;
    }
    take(&store, new_task(&key("d"), "one")).await;
    let one = TaskFilter { context_id: Some(ContextId::new("one")), ..all() };
    assert_eq!(list(&store, &alice(), &one).await, (vec!["c".into(), "a".into()], 2));
    take(&store, show(&key("d"), 1, TaskState::Working, at(2))).await;
    assert_eq!(list(&store, &alice(), &one).await.0, ["c", "d", "a"]);
    let none = TaskFilter { context_id: Some(ContextId::new("none")), ..all() };
    assert_eq!(list(&store, &alice(), &none).await, (vec![], 0));
}

/// The state of the latest status.
pub async fn a_state_is_a_filter(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    use TaskState::{Canceled, Completed, Failed, InputRequired, Submitted, Working};
    for (id, state) in [("a", Completed), ("b", Failed), ("c", Completed), ("d", InputRequired)] {
        take(&store, new_task(&key(id), "context")).await;
        take(&store, end(&key(id), 1, state, at(1))).await;
    }
    for (id, state) in [("e", Working), ("f", Submitted)] {
        take(&store, new_task(&key(id), "context")).await;
        take(&store, show(&key(id), 1, state, at(1))).await;
    }
    let expected = [
        (Completed, vec!["c", "a"]),
        (Failed, vec!["b"]),
        (InputRequired, vec!["d"]),
        (Working, vec!["e"]),
        (Submitted, vec!["f"]),
        (Canceled, vec![]),
    ];
    for (state, ids) in expected {
        let filter = TaskFilter { state: Some(state), ..all() };
        let (listed, total) = list(&store, &alice(), &filter).await;
        assert_eq!(
            (listed, total),
            (ids.iter().map(|id| (*id).into()).collect(), ids.len() as u64)
        );
    }
}

/// That moment is in, the moment before is not.
pub async fn a_time_is_a_filter_to_the_nanosecond(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for (id, millis) in [("a", 1), ("b", 2), ("c", 3)] {
        waiting(&store, id, "context", millis).await;
    }
    take(&store, new_task(&key("d"), "context")).await;
    take(&store, show(&key("d"), 1, TaskState::Working, at(2))).await;
    let since = async |since: Timestamp| {
        list(&store, &alice(), &TaskFilter { since: Some(since), ..all() }).await
    };
    assert_eq!(since(at(0)).await.1, 4);
    assert_eq!(since(at(2)).await, (vec!["c".into(), "d".into(), "b".into()], 3));
    let finer = Timestamp::new(at(2).seconds(), at(2).nanos() + 1).expect("it is valid");
    assert_eq!(since(finer).await, (vec!["c".into()], 1));
    assert_eq!(since(at(4)).await, (vec![], 0));
    let first = Timestamp::new(-62_135_596_800, 0).expect("it is valid");
    assert_eq!(since(first).await.1, 4);
    let last = Timestamp::new(253_402_300_799, 999_999_999).expect("it is valid");
    assert_eq!(since(last).await.1, 0);
}

/// All that is set must match.
pub async fn filters_work_together(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..24 {
        let task = key(&format!("{number:02}"));
        take(&store, new_task(&task, ["one", "two"][number % 2])).await;
        let state = [TaskState::Completed, TaskState::Failed, TaskState::Canceled][number % 3];
        take(&store, end(&task, 1, state, at(number as i64))).await;
    }
    let filter = TaskFilter {
        context_id: Some(ContextId::new("two")),
        state: Some(TaskState::Failed),
        since: Some(at(8)),
    };
    assert_eq!(list(&store, &alice(), &filter).await, (vec!["19".into(), "13".into()], 2));
    let page = store.list(&alice(), &filter, Some(&(at(19), TaskId::new("19"))), 9).await;
    let page = page.expect("it lists");
    assert_eq!((page.tasks, page.total), (vec![(TaskId::new("13"), at(13))], 2));
}

/// Whatever the page has.
pub async fn the_total_counts_all_pages(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..7 {
        waiting(&store, &number.to_string(), "context", number).await;
    }
    take(&store, new_task(&key("open"), "context")).await;
    take(&store, show(&key("open"), 1, TaskState::Working, at(50))).await;
    for limit in [0, 3, 100] {
        let page = store.list(&alice(), &all(), None, limit).await.expect("it lists");
        assert_eq!((page.tasks.len(), page.total), (limit.min(8), 8));
    }
    let after = (at(3), TaskId::new("3"));
    let page = store.list(&alice(), &all(), Some(&after), 100).await.expect("it lists");
    assert_eq!((page.tasks.len(), page.total), (3, 8));
}

/// The last task of a page is where the next begins; the task need not exist.
pub async fn pages_follow_one_another(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..20 {
        waiting(&store, &format!("{number:02}"), "context", number / 4).await;
    }
    for filter in [all(), TaskFilter { context_id: Some(ContextId::new("context")), ..all() }] {
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = store.list(&alice(), &filter, after.as_ref(), 3).await.expect("it lists");
            let Some((id, at)) = page.tasks.last() else { break };
            after = Some((*at, id.clone()));
            seen.extend(page.tasks.iter().map(|(id, _)| id.to_string()));
        }
        assert!(
            seen.iter().map(String::as_str).rev().eq((0..20)
                .map(|n| format!("{n:02}"))
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str)),
            "{seen:?}"
        );
    }
    let between = (at(2), TaskId::new("09x"));
    let page = store.list(&alice(), &all(), Some(&between), 2).await.expect("it lists");
    assert_eq!(page.tasks, [(TaskId::new("09"), at(2)), (TaskId::new("08"), at(2))]);
}

/// What does not change is on exactly one page.
pub async fn pages_hold_still_while_tasks_change(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..30 {
        waiting(&store, &format!("{number:02}"), "context", number).await;
    }
    let (mut seen, mut after, mut round) = (Vec::new(), None, 0);
    loop {
        let page = store.list(&alice(), &all(), after.as_ref(), 4).await.expect("it lists");
        let Some((id, last)) = page.tasks.last() else { break };
        after = Some((*last, id.clone()));
        seen.extend(page.tasks.iter().map(|(id, _)| id.to_string()));
        // A new task, and one that has been seen or is to be seen, become the newest.
        waiting(&store, &format!("new {round}"), "context", 100 + round).await;
        let moved = key(&format!("{:02}", (round * 11) % 30));
        let row = RowChange {
            status: Some((TaskState::Working, at(200 + round))),
            ..RowChange::default()
        };
        take(&store, Append { row, ..command(&moved, false) }).await;
        round += 1;
    }
    let moved: Vec<_> = (0..round).map(|round| format!("{:02}", (round * 11) % 30)).collect();
    for number in 0..30 {
        let id = format!("{number:02}");
        let times = seen.iter().filter(|seen| **seen == id).count();
        assert!(times == 1 || (times == 0 && moved.contains(&id)), "{id} was seen {times} times");
    }
}

/// It is listed once, where its latest status puts it.
pub async fn a_task_moves_when_its_status_does(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    waiting(&store, "a", "context", 1).await;
    waiting(&store, "b", "context", 2).await;
    let status = Some((TaskState::Canceled, at(3)));
    let row = RowChange { status, ..RowChange::default() };
    take(&store, Append { row, ..command(&key("a"), true) }).await;
    assert_eq!(list(&store, &alice(), &all()).await, (vec!["a".into(), "b".into()], 2));
    let state = |state| TaskFilter { state: Some(state), ..all() };
    assert_eq!(list(&store, &alice(), &state(TaskState::InputRequired)).await.0, ["b"]);
    assert_eq!(list(&store, &alice(), &state(TaskState::Canceled)).await.0, ["a"]);
}

/// Through the turns of a task.
pub async fn an_open_turn_is_listed_by_its_latest_status(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    waiting(&store, "b", "context", 5).await;
    take(&store, new_task(&key("a"), "context")).await;
    for (ordinal, millis, expected) in [(1, 4, ["b", "a"]), (2, 6, ["a", "b"]), (3, 3, ["b", "a"])]
    {
        take(&store, show(&key("a"), ordinal, TaskState::Working, at(millis))).await;
        assert_eq!(list(&store, &alice(), &all()).await, (expected.map(Into::into).into(), 2));
    }
    take(&store, end(&key("a"), 4, TaskState::InputRequired, at(7))).await;
    assert_eq!(list(&store, &alice(), &all()).await.0, ["a", "b"]);
    let row = RowChange { open_turn: Some((1, 2)), ..RowChange::default() };
    take(&store, Append { row, ..command(&key("a"), true) }).await;
    assert_eq!(list(&store, &alice(), &all()).await, (vec!["a".into(), "b".into()], 2));
}

/// The same context under two owners is two contexts.
pub async fn scopes_do_not_see_one_another(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let scopes = [alice(), scope("agent", "", ""), scope("agent", "alice", ""), scope("b", "", "")];
    for (number, scope) in scopes.iter().enumerate() {
        let task = key_in(scope.clone(), &number.to_string());
        take(&store, new_task(&task, "context")).await;
        take(&store, end(&task, 1, TaskState::Completed, at(1))).await;
    }
    for (number, scope) in scopes.iter().enumerate() {
        for filter in [all(), TaskFilter { context_id: Some(ContextId::new("context")), ..all() }] {
            assert_eq!(list(&store, scope, &filter).await, (vec![number.to_string()], 1));
        }
    }
    assert_eq!(list(&store, &scope("b", "", "nobody"), &all()).await, (vec![], 0));
}

/// Nor counted, by any filter.
pub async fn a_deleted_task_is_not_listed(stores: &impl Stores) {
    let store = stores.open(Retention { finished_secs: 10, ..keep() }).await;
    ended(&store, &key("a"), TaskState::Completed, at_secs(0)).await;
    ended(&store, &key("b"), TaskState::Completed, at_secs(5)).await;
    assert_eq!(sweep(&store, at_secs(12)).await, 1);
    let context = TaskFilter { context_id: Some(ContextId::new("context")), ..all() };
    let state = TaskFilter { state: Some(TaskState::Completed), ..all() };
    for filter in [all(), context, state] {
        assert_eq!(list(&store, &alice(), &filter).await, (vec!["b".into()], 1));
    }
}
