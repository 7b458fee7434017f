//! Webhooks and what is to be delivered to them.

use super::Stores;
use super::actors::{
    alice, artifact, at, at_secs, due, end, ended, entry, keep, key, key_in, lines, new_task,
    scope, show, status, sweep, take, try_append, webhook, work,
};
use crate::log::EntryKind;
use crate::store::{Append, OutboxRow, PushRow, Retention, Settled, Store, TaskKey};
use sabir_types::{TaskState, Timestamp, Version};
use std::sync::Arc;

async fn put(store: &Arc<dyn Store>, key: &TaskKey, push: PushRow) {
    assert!(store.put_push(key, push, 100).await.expect("it writes"));
}

async fn settle(store: &Arc<dyn Store>, row: &OutboxRow, settled: Settled) {
    store.settle(row, settled).await.expect("it writes");
}

/// A running task with a webhook `hook` and that many artifacts to be delivered, from sequence 3.
async fn queued(store: &Arc<dyn Store>, task: &TaskKey, rows: usize) {
    let push = Some(webhook("hook", "{}"));
    take(store, Append { push, ..new_task(task, "context") }).await;
    let artifacts = (0..rows).map(|number| artifact(&number.to_string()));
    take(store, work(task, 1, artifacts)).await;
}

/// Whatever order they came in.
pub async fn webhooks_are_listed_by_id(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let (task, other) = (key("task"), key_in(scope("agent", "", ""), "task"));
    for task in [&task, &other] {
        take(&store, new_task(task, "context")).await;
    }
    for id in ["b", "c", "a"] {
        put(&store, &task, webhook(id, id)).await;
    }
    let expected = ["a", "b", "c"].map(|id| webhook(id, id));
    assert_eq!(store.pushes(&task).await.expect("it reads"), expected);
    assert_eq!(store.pushes(&other).await.expect("it reads"), []);
}

/// By a call and by an append.
pub async fn a_webhook_of_the_same_id_is_replaced(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    put(&store, &task, webhook("hook", "one")).await;
    put(&store, &task, webhook("hook", "two")).await;
    assert_eq!(store.pushes(&task).await.expect("it reads"), [webhook("hook", "two")]);
    let push = Some(webhook("hook", "three"));
    take(&store, Append { push, ..work(&task, 1, [artifact("a")]) }).await;
    assert_eq!(store.pushes(&task).await.expect("it reads"), [webhook("hook", "three")]);
    assert_eq!(lines(&due(&store, at(0)).await), [("hook", 3, "a")]);
}

/// Also when it is replaced, and where it stands beside what is due.
pub async fn a_webhook_has_the_version_it_was_registered_in(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let older = PushRow { version: Version::V0_3, ..webhook("hook", "{}") };
    let push = Some(older.clone());
    take(&store, Append { push, ..new_task(&task, "context") }).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    let kept = store.pushes(&task).await.expect("it reads");
    assert_eq!(kept, std::slice::from_ref(&older));
    assert_eq!(due(&store, at(0)).await[0].push, older);
    put(&store, &task, webhook("hook", "{}")).await;
    assert_eq!(store.pushes(&task).await.expect("it reads"), [webhook("hook", "{}")]);
    put(&store, &task, older.clone()).await;
    assert_eq!(due(&store, at(0)).await[0].push, older);
}

/// Replacing one is allowed at the limit.
pub async fn a_task_has_so_many_webhooks_and_no_more(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    let put =
        async |id, config| store.put_push(&task, webhook(id, config), 2).await.expect("it writes");
    assert!(put("a", "1").await && put("b", "1").await);
    assert!(!put("c", "1").await);
    assert!(put("a", "2").await);
    let expected = [webhook("a", "2"), webhook("b", "1")];
    assert_eq!(store.pushes(&task).await.expect("it reads"), expected);
    assert!(store.delete_push(&task, "b").await.expect("it writes"));
    assert!(put("c", "1").await);
}

/// They are rows, not entries.
pub async fn a_finished_task_takes_webhooks(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    ended(&store, &task, TaskState::Completed, at(1)).await;
    put(&store, &task, webhook("hook", "{}")).await;
    assert_eq!(store.pushes(&task).await.expect("it reads").len(), 1);
    assert_eq!(due(&store, at(9)).await, []);
}

/// Nor has it any.
pub async fn a_task_that_does_not_exist_takes_none(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    assert!(!store.put_push(&task, webhook("hook", "{}"), 9).await.expect("it reads"));
    assert!(!store.delete_push(&task, "hook").await.expect("it reads"));
    assert_eq!(store.pushes(&task).await.expect("it reads"), []);
}

/// Deleting it again is told apart.
pub async fn a_deleted_webhook_is_gone(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    put(&store, &task, webhook("a", "{}")).await;
    put(&store, &task, webhook("b", "{}")).await;
    assert!(store.delete_push(&task, "a").await.expect("it writes"));
    assert!(!store.delete_push(&task, "a").await.expect("it writes"));
    assert_eq!(store.pushes(&task).await.expect("it reads"), [webhook("b", "{}")]);
    take(&store, work(&task, 1, [artifact("x")])).await;
    assert_eq!(lines(&due(&store, at(9)).await), [("b", 3, "x")]);
}

/// Statuses, artifacts and replies, and nothing else; the outcome says whether there are any.
pub async fn each_visible_entry_goes_to_each_webhook(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    put(&store, &task, webhook("a", "{}")).await;
    put(&store, &task, webhook("b", "{}")).await;
    let inner = [EntryKind::Once, EntryKind::State, EntryKind::Trace, EntryKind::Other(77)];
    let inner = inner.map(|kind| entry(kind, 1, at(1), "inner"));
    let appended = try_append(&store, work(&task, 1, inner)).await.expect("it is taken");
    assert!(!appended.outbox);
    let reply = entry(EntryKind::Reply, 1, at(1), "reply");
    let status = status(TaskState::Working, at(1));
    let append = work(&task, 5, [status, artifact("artifact"), reply]);
    assert!(try_append(&store, append.clone()).await.expect("it is taken").outbox);
    assert!(!try_append(&store, append).await.expect("it is a repeat").outbox);
    for (seq, body) in [(7, "status"), (8, "artifact"), (9, "reply")] {
        let rows = due(&store, at(1)).await;
        assert_eq!(lines(&rows), [("a", seq, body), ("b", seq, body)]);
        for row in &rows {
            settle(&store, row, Settled::Delivered).await;
        }
    }
    assert_eq!(due(&store, at(1)).await, []);
}

/// It stands before the entries.
pub async fn a_webhook_of_the_append_gets_its_entries(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let mut append = new_task(&task, "context");
    append.push = Some(webhook("hook", "{}"));
    append.entries.push(artifact("first"));
    assert!(try_append(&store, append).await.expect("it is taken").outbox);
    let rows = due(&store, at(0)).await;
    let expected = OutboxRow {
        key: task,
        push: webhook("hook", "{}"),
        seq: 3,
        body: "first".into(),
        attempts: 0,
    };
    assert_eq!(rows, [expected]);
}

/// What was before it is in the task.
pub async fn a_webhook_gets_only_what_follows_it(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    assert!(!try_append(&store, work(&task, 1, [artifact("a")])).await.expect("taken").outbox);
    put(&store, &task, webhook("hook", "{}")).await;
    take(&store, work(&task, 2, [artifact("b")])).await;
    assert_eq!(lines(&due(&store, at(0)).await), [("hook", 4, "b")]);
}

/// In the order of the sequences.
pub async fn only_the_first_of_each_queue_is_due(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let (one, two) = (key("one"), key("two"));
    queued(&store, &one, 3).await;
    queued(&store, &two, 3).await;
    for seq in 3..6 {
        let rows = due(&store, at(0)).await;
        let mut queues: Vec<_> = rows.iter().map(|row| (row.key.id.as_str(), row.seq)).collect();
        queues.sort_unstable();
        assert_eq!(queues, [("one", seq), ("two", seq)]);
        // Asking again gives the same.
        assert_eq!(due(&store, at(0)).await, rows);
        for row in rows {
            settle(&store, &row, Settled::Delivered).await;
        }
    }
    assert_eq!(due(&store, at_secs(1_000)).await, []);
}

/// Until its time has come; the attempts are counted.
pub async fn a_retry_holds_its_queue_and_no_other(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    queued(&store, &task, 2).await;
    put(&store, &task, webhook("other", "{}")).await;
    take(&store, work(&task, 3, [artifact("last")])).await;
    let first = due(&store, at(0)).await.remove(0);
    assert_eq!((&*first.push.id, first.seq, first.attempts), ("hook", 3, 0));
    settle(&store, &first, Settled::Retry(at(500))).await;
    assert_eq!(lines(&due(&store, at(499)).await), [("other", 5, "last")]);
    let rows = due(&store, at(500)).await;
    let again = rows.iter().find(|row| &*row.push.id == "hook").expect("it is due");
    assert_eq!((rows.len(), again.seq, again.attempts), (2, 3, 1));
    settle(&store, again, Settled::Retry(at(900))).await;
    let rows = due(&store, at(900)).await;
    let again = rows.iter().find(|row| &*row.push.id == "hook").expect("it is due");
    assert_eq!(again.attempts, 2);
    settle(&store, again, Settled::Delivered).await;
    let rows = due(&store, at(0)).await;
    let next = rows.iter().find(|row| &*row.push.id == "hook").expect("it is due at once");
    assert_eq!((next.seq, next.attempts), (4, 0));
}

/// Also while something else is due.
pub async fn the_next_time_is_told(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let next = async |now: Timestamp| store.due("agent", now, 10).await.expect("it reads").1;
    assert_eq!(next(at(0)).await, None);
    let mut earliest = None;
    for (id, millis) in [("a", 800), ("b", 300), ("c", 500)] {
        queued(&store, &key(id), 1).await;
        assert_eq!(next(at(0)).await, earliest, "what is due now does not hide what comes later");
        let row = due(&store, at(0)).await.remove(0);
        settle(&store, &row, Settled::Retry(at(millis))).await;
        earliest = earliest.into_iter().chain([at(millis)]).min();
    }
    assert_eq!(next(at(0)).await, Some(at(300)));
    assert_eq!(next(at(300)).await, Some(at(500)));
    let row = due(&store, at(300)).await.remove(0);
    settle(&store, &row, Settled::Delivered).await;
    assert_eq!(next(at(300)).await, Some(at(500)));
}

/// It is not due again.
pub async fn a_dead_letter_lets_the_queue_go_on(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    queued(&store, &key("task"), 3).await;
    let rows = due(&store, at(0)).await;
    settle(&store, &rows[0], Settled::Retry(at(5))).await;
    settle(&store, &rows[0], Settled::Dead("410 Gone".into())).await;
    for (seq, body) in [(4, "1"), (5, "2")] {
        let rows = due(&store, at(0)).await;
        assert_eq!(lines(&rows), [("hook", seq, body)]);
        settle(&store, &rows[0], Settled::Dead("410 Gone".into())).await;
    }
    assert_eq!(store.due("agent", at_secs(1_000), 9).await.expect("it reads"), (vec![], None));
    take(&store, work(&key("task"), 4, [artifact("3")])).await;
    assert_eq!(lines(&due(&store, at(0)).await), [("hook", 6, "3")]);
}

/// Also those that wait for a retry; a new webhook of that id starts with nothing.
pub async fn deleting_a_webhook_deletes_its_deliveries(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    queued(&store, &task, 3).await;
    let rows = due(&store, at(0)).await;
    settle(&store, &rows[0], Settled::Retry(at(500))).await;
    assert!(store.delete_push(&task, "hook").await.expect("it writes"));
    assert_eq!(store.due("agent", at_secs(9), 9).await.expect("it reads"), (vec![], None));
    put(&store, &task, webhook("hook", "{}")).await;
    assert_eq!(store.due("agent", at_secs(9), 9).await.expect("it reads"), (vec![], None));
    take(&store, work(&task, 4, [artifact("new")])).await;
    assert_eq!(lines(&due(&store, at(0)).await), [("hook", 6, "new")]);
}

/// So that a wrong address or an expired credential can be mended.
pub async fn a_replaced_webhook_gets_what_was_still_to_be_delivered(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    queued(&store, &task, 2).await;
    let rows = due(&store, at(0)).await;
    settle(&store, &rows[0], Settled::Retry(at(500))).await;
    put(&store, &task, webhook("hook", "mended")).await;
    let rows = due(&store, at(500)).await;
    assert_eq!(rows[0].push, webhook("hook", "mended"));
    assert_eq!((rows[0].seq, rows[0].attempts), (3, 1));
    settle(&store, &rows[0], Settled::Delivered).await;
    assert_eq!(due(&store, at(500)).await[0].push, webhook("hook", "mended"));
}

/// And its entries: they carry their own bytes, and the webhook.
pub async fn deliveries_outlive_their_task(stores: &impl Stores) {
    let retention = Retention { resume_secs: 5, finished_secs: 10, ..keep() };
    let store = stores.open(retention).await;
    let task = key("task");
    queued(&store, &task, 1).await;
    take(&store, end(&task, 2, TaskState::Completed, at(1))).await;
    sweep(&store, at_secs(6)).await;
    assert_eq!(lines(&due(&store, at_secs(6)).await), [("hook", 3, "0")]);
    assert_eq!(sweep(&store, at_secs(20)).await, 1);
    assert_eq!(store.pushes(&task).await.expect("it reads"), []);
    let rows = due(&store, at_secs(20)).await;
    assert_eq!(lines(&rows), [("hook", 3, "0")]);
    assert_eq!((&rows[0].key, &rows[0].push), (&task, &webhook("hook", "{}")));
    settle(&store, &rows[0], Settled::Retry(at_secs(30))).await;
    let rows = due(&store, at_secs(30)).await;
    assert_eq!((rows[0].seq, rows[0].attempts), (3, 1));
    settle(&store, &rows[0], Settled::Dead("gone".into())).await;
    let rows = due(&store, at_secs(30)).await;
    assert_eq!(lines(&rows), [("hook", 4, "status")]);
    settle(&store, &rows[0], Settled::Delivered).await;
    assert_eq!(store.due("agent", at_secs(99), 9).await.expect("it reads"), (vec![], None));
}

/// Whoever owns the tasks.
pub async fn deliveries_are_of_one_agent(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for scope in [alice(), scope("agent", "tenant", "bob"), scope("other", "", "alice")] {
        queued(&store, &key_in(scope, "task"), 1).await;
    }
    let count = async |agent| store.due(agent, at(0), 9).await.expect("it reads").0.len();
    assert_eq!((count("agent").await, count("other").await, count("nobody").await), (2, 1, 0));
}

/// And none is given twice.
pub async fn due_rows_are_limited(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..10 {
        queued(&store, &key(&number.to_string()), 1).await;
    }
    let mut seen = Vec::new();
    for expected in [4, 4, 2, 0] {
        let rows = store.due("agent", at(0), 4).await.expect("it reads").0;
        assert_eq!(rows.len(), expected);
        for row in rows {
            seen.push(row.key.id.to_string());
            settle(&store, &row, Settled::Delivered).await;
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 10);
}

/// A delivery may end after its webhook was deleted, or be told of twice.
pub async fn settling_what_is_gone_changes_nothing(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    queued(&store, &task, 2).await;
    let first = due(&store, at(0)).await.remove(0);
    settle(&store, &first, Settled::Delivered).await;
    let settled = [Settled::Delivered, Settled::Retry(at(500)), Settled::Dead("x".into())];
    for settled in settled.clone() {
        settle(&store, &first, settled).await;
        assert_eq!(lines(&due(&store, at(0)).await), [("hook", 4, "1")]);
    }
    let second = due(&store, at(0)).await.remove(0);
    assert!(store.delete_push(&task, "hook").await.expect("it writes"));
    for settled in settled {
        settle(&store, &second, settled).await;
        assert_eq!(store.due("agent", at_secs(9), 9).await.expect("it reads"), (vec![], None));
    }
    take(&store, show(&task, 3, TaskState::Working, at(1))).await;
}
