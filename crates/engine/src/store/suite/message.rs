//! Idempotency records.

use super::Stores;
use super::actors::{
    alice, at, at_secs, command, end, ended, keep, key, message, new_task, payloads, record,
    refuse, scope, sweep, take, try_append, try_load, work,
};
use crate::store::{
    Append, AppendError, IdempotencyKey, IdempotencyRecord, Retention, Store, TaskKey,
};
use sabir_types::{TaskId, TaskState, Timestamp};
use std::sync::Arc;

fn accept(task: &TaskKey, id: &str, record: IdempotencyRecord) -> Append {
    Append { idempotency: Some((message(id), record)), ..new_task(task, "context") }
}

async fn find(store: &Arc<dyn Store>, id: &str, now: Timestamp) -> Option<IdempotencyRecord> {
    store.find_message(&message(id), now).await.expect("it reads")
}

/// As it was written, up to but not at that moment.
pub async fn a_record_is_found_until_it_expires(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let written =
        IdempotencyRecord { digest: [255; 32], task: TaskId::new("t"), turn: 9, expires: at(100) };
    take(&store, accept(&key("t"), "m", written.clone())).await;
    assert_eq!(find(&store, "m", at(0)).await, Some(written.clone()));
    assert_eq!(find(&store, "m", at(99)).await, Some(written));
    assert_eq!(find(&store, "m", at(100)).await, None);
    assert_eq!(find(&store, "n", at(0)).await, None);
}

/// Whatever became of the task: the repeat is known as one, and nothing is written.
pub async fn a_record_refuses_before_the_condition_is_looked_at(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let first = record("first", at(100));
    take(&store, accept(&key("first"), "m", first.clone())).await;
    for task in ["first", "second"] {
        let error = refuse(&store, accept(&key(task), "m", record(task, at(200)))).await;
        assert!(matches!(&error, AppendError::Repeated(stood) if *stood == first), "{error:?}");
    }
    assert_eq!(try_load(&store, &key("second")).await, None);
    assert_eq!(find(&store, "m", at(0)).await, Some(first));
}

/// Also to a task that has ended or whose turn is open.
pub async fn a_record_refuses_commands_too(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let first = record("task", at(100));
    take(&store, accept(&task, "m", first.clone())).await;
    let repeat = Append {
        idempotency: Some((message("m"), record("task", at(100)))),
        ..command(&task, true)
    };
    let error = refuse(&store, repeat.clone()).await;
    assert!(matches!(&error, AppendError::Repeated(stood) if *stood == first), "{error:?}");
    take(&store, end(&task, 1, TaskState::Completed, at(1))).await;
    let error = refuse(&store, repeat).await;
    assert!(matches!(&error, AppendError::Repeated(stood) if *stood == first), "{error:?}");
}

/// Whether it was swept or not; what counts is the time of the first entry.
pub async fn an_expired_record_gives_way(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    take(&store, accept(&key("first"), "m", record("first", at(50)))).await;
    let later = |task: &str, millis| {
        let mut append = accept(&key(task), "m", record(task, at(900)));
        append.entries.iter_mut().for_each(|entry| entry.at = at(millis));
        append
    };
    let error = refuse(&store, later("second", 49)).await;
    assert!(matches!(error, AppendError::Repeated(_)), "{error:?}");
    take(&store, later("second", 50)).await;
    assert_eq!(find(&store, "m", at(60)).await, Some(record("second", at(900))));
    sweep(&store, at(60)).await;
    assert_eq!(find(&store, "m", at(60)).await, Some(record("second", at(900))));
}

/// The sender may try again.
pub async fn a_refused_append_leaves_no_record(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    take(&store, new_task(&key("first"), "context")).await;
    refuse(&store, accept(&key("first"), "m", record("first", at(100)))).await;
    assert_eq!(find(&store, "m", at(0)).await, None);
    take(&store, accept(&key("second"), "m", record("second", at(100)))).await;
}

/// Keys differ by scope, id and content.
pub async fn records_of_others_and_of_other_contents_do_not_collide(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let of = |scope, id: &str, content| IdempotencyKey { scope, message_id: id.into(), content };
    let keys = [
        of(alice(), "m", None),
        of(alice(), "n", None),
        of(alice(), "m", Some([0; 32])),
        of(alice(), "m", Some([1; 32])),
        of(scope("agent", "", ""), "m", None),
        of(scope("agent", "alice", ""), "m", None),
        of(scope("other", "", "alice"), "m", None),
    ];
    for (number, message) in keys.iter().enumerate() {
        let task = number.to_string();
        let task = TaskKey { scope: message.scope.clone(), id: TaskId::new(task) };
        let record = record(task.id.as_str(), at(100));
        let new = new_task(&task, "context");
        take(&store, Append { idempotency: Some((message.clone(), record)), ..new }).await;
    }
    for (number, message) in keys.iter().enumerate() {
        let found = store.find_message(message, at(0)).await.expect("it reads");
        assert_eq!(found.expect("it is found").task.as_str(), number.to_string());
    }
}

/// The others are told which.
pub async fn of_many_equal_messages_at_once_one_is_taken(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let tries: Vec<_> = (0..50)
        .map(|number| {
            let (store, task) = (Arc::clone(&store), number.to_string());
            let append = accept(&key(&task), "m", record(&task, at(100)));
            tokio::spawn(async move { (task, try_append(&store, append).await) })
        })
        .collect();
    let (mut taken, mut told) = (Vec::new(), Vec::new());
    for outcome in tries {
        match outcome.await.expect("it does not panic") {
            (task, Ok(_)) => taken.push(task),
            (_, Err(AppendError::Repeated(stood))) => told.push(stood.task.to_string()),
            (_, Err(error)) => panic!("{error:?}"),
        }
    }
    assert_eq!((taken.len(), told.len()), (1, 49));
    assert!(told.iter().all(|task| *task == taken[0]), "{taken:?} {told:?}");
}

/// So that the message is refused and not run again.
pub async fn a_record_outlives_its_task(stores: &impl Stores) {
    let store = stores.open(Retention { finished_secs: 10, ..keep() }).await;
    let task = key("task");
    take(&store, accept(&task, "m", record("task", at_secs(1_000)))).await;
    take(&store, end(&task, 1, TaskState::Completed, at(1))).await;
    assert_eq!(sweep(&store, at_secs(100)).await, 1);
    assert_eq!(try_load(&store, &task).await, None);
    assert!(find(&store, "m", at_secs(100)).await.is_some());
    let error = refuse(&store, accept(&key("again"), "m", record("again", at_secs(9)))).await;
    assert!(matches!(error, AppendError::Repeated(_)), "{error:?}");
}

/// A flood of short-lived records leaves those that live longer alone.
pub async fn records_beyond_the_limit_go_by_when_they_expire(stores: &impl Stores) {
    let store = stores.open(Retention { messages: 10, ..keep() }).await;
    take(&store, accept(&key("long"), "long", record("long", at_secs(86_400)))).await;
    for number in 0..30 {
        let id = number.to_string();
        take(&store, accept(&key(&id), &id, record(&id, at_secs(600 + number)))).await;
    }
    sweep(&store, at(1)).await;
    assert!(find(&store, "long", at(1)).await.is_some());
    for number in 0..30 {
        let is_kept = find(&store, &number.to_string(), at(1)).await.is_some();
        assert_eq!(is_kept, number >= 21, "{number}");
    }
}

/// Asked for at a time before it expired, it would still be found otherwise.
pub async fn a_swept_record_is_gone(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for number in 0..300 {
        let id = number.to_string();
        take(&store, accept(&key(&id), &id, record(&id, at(number)))).await;
    }
    ended(&store, &key("task"), TaskState::Completed, at(0)).await;
    assert_eq!(sweep(&store, at(250)).await, 0);
    for number in 0..300 {
        let is_kept = find(&store, &number.to_string(), at(-1)).await.is_some();
        assert_eq!(is_kept, number > 250, "{number}");
    }
    take(&store, work(&key("299"), 1, [])).await;
    assert_eq!(payloads(&store, &key("299")).await.len(), 2);
}
