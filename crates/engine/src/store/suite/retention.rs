//! What a sweep forgets.

use super::Stores;
use super::actors::{
    alice, artifact, at, at_secs, command, end, ended, entry, keep, key, list, load, new_task,
    payloads, show, sweep, take, try_load, work,
};
use crate::log::{EntryKind, LogEntry};
use crate::store::{Append, Retention, RowChange, Store, StoreError, TaskFilter, TaskKey};
use bytes::Bytes;
use sabir_types::TaskState;
use std::sync::{Arc, Mutex};

/// Which of the tasks `0..count` exist.
async fn kept(store: &Arc<dyn Store>, count: u64) -> Vec<u64> {
    let mut kept = Vec::new();
    for number in 0..count {
        if try_load(store, &key(&number.to_string())).await.is_some() {
            kept.push(number);
        }
    }
    kept
}

/// So many seconds after their last status, to the second.
pub async fn finished_tasks_go_by_age(stores: &impl Stores) {
    let store = stores.open(Retention { finished_secs: 100, ..keep() }).await;
    // Not in the order of their times.
    for (number, secs) in [(0, 50), (1, 10), (2, 0), (3, 60)] {
        ended(&store, &key(&number.to_string()), TaskState::Failed, at_secs(secs)).await;
    }
    assert_eq!(sweep(&store, at(99_999)).await, 0);
    assert_eq!(sweep(&store, at(100_000)).await, 1);
    assert_eq!(kept(&store, 4).await, [0, 1, 3]);
    assert_eq!(sweep(&store, at_secs(150)).await, 2);
    assert_eq!(kept(&store, 4).await, [3]);
}

/// However many there are.
pub async fn waiting_tasks_go_by_their_own_age(stores: &impl Stores) {
    let retention = Retention { tasks: 0, bytes: 0, finished_secs: 1, waiting_secs: 100, ..keep() };
    let store = stores.open(retention).await;
    for number in 0..3 {
        let task = key(&number.to_string());
        take(&store, new_task(&task, "context")).await;
        take(&store, end(&task, 1, TaskState::InputRequired, at_secs(number))).await;
    }
    // The caller answers: the task runs again and does not age.
    let row = RowChange { open_turn: Some((1, 2)), ..RowChange::default() };
    take(&store, Append { row, ..command(&key("0"), true) }).await;
    assert_eq!(sweep(&store, at_secs(100)).await, 0);
    assert_eq!(sweep(&store, at_secs(101)).await, 1);
    assert_eq!(kept(&store, 3).await, [0, 2]);
    assert_eq!(sweep(&store, at_secs(1_000)).await, 1);
    assert_eq!(kept(&store, 3).await, [0]);
}

/// Whatever their age, visible or not, with an open turn or a message that waits for one.
pub async fn running_tasks_stay(stores: &impl Stores) {
    let retention = Retention { tasks: 0, bytes: 0, finished_secs: 0, waiting_secs: 0, ..keep() };
    let store = stores.open(retention).await;
    for number in 0..3 {
        take(&store, new_task(&key(&number.to_string()), "context")).await;
    }
    take(&store, show(&key("1"), 1, TaskState::Working, at(0))).await;
    let accepted = vec![entry(EntryKind::Accepted, 2, at(0), "next")];
    take(&store, Append { entries: accepted, ..command(&key("2"), false) }).await;
    take(&store, end(&key("2"), 1, TaskState::InputRequired, at(0))).await;
    assert_eq!(sweep(&store, at_secs(1_000_000)).await, 0);
    assert_eq!(kept(&store, 3).await, [0, 1, 2]);
    assert_eq!(payloads(&store, &key("1")).await.len(), 3);
}

/// At once or in the next sweep.
pub async fn the_oldest_finished_go_when_there_are_too_many(stores: &impl Stores) {
    let store = stores.open(Retention { tasks: 3, ..keep() }).await;
    for number in 0..8 {
        let task = key(&number.to_string());
        ended(&store, &task, TaskState::Completed, at(number)).await;
    }
    sweep(&store, at(100)).await;
    assert_eq!(kept(&store, 8).await, [5, 6, 7]);
    let (listed, total) = list(&store, &alice(), &TaskFilter::default()).await;
    assert_eq!((listed, total), (["7", "6", "5"].map(Into::into).into(), 3));
}

/// Neither running nor waiting tasks, though they are the oldest.
pub async fn a_flood_does_not_push_out_what_has_not_finished(stores: &impl Stores) {
    let store = stores.open(Retention { tasks: 2, bytes: 1_000, ..keep() }).await;
    for number in 0..2 {
        take(&store, new_task(&key(&number.to_string()), "context")).await;
    }
    take(&store, end(&key("1"), 1, TaskState::InputRequired, at(0))).await;
    for number in 2..30 {
        let task = key(&number.to_string());
        ended(&store, &task, TaskState::Completed, at(number)).await;
    }
    sweep(&store, at(100)).await;
    let kept = kept(&store, 30).await;
    assert_eq!(kept[..2], [0, 1]);
    assert!(kept[2..].iter().all(|number| *number >= 28), "{kept:?}");
}

/// Payloads and snapshots count.
pub async fn the_oldest_finished_go_when_they_are_too_large(stores: &impl Stores) {
    let store = stores.open(Retention { bytes: 100_000, ..keep() }).await;
    let large = "x".repeat(20_000);
    for number in 0..10 {
        let task = key(&number.to_string());
        take(&store, new_task(&task, "context")).await;
        take(&store, work(&task, 1, [artifact(&large)])).await;
        take(&store, end(&task, 2, TaskState::Completed, at(number))).await;
    }
    sweep(&store, at(100)).await;
    assert_eq!(kept(&store, 10).await, [6, 7, 8, 9]);
    store.snapshot(&key("9"), 5, Bytes::from(large.repeat(2))).await.expect("it writes");
    ended(&store, &key("10"), TaskState::Completed, at(50)).await;
    sweep(&store, at(100)).await;
    assert_eq!(kept(&store, 11).await, [8, 9, 10]);
}

/// Its caller has just been told that it is there.
pub async fn the_last_to_finish_stays_however_large(stores: &impl Stores) {
    let store = stores.open(Retention { bytes: 100, ..keep() }).await;
    ended(&store, &key("0"), TaskState::Completed, at(0)).await;
    take(&store, new_task(&key("1"), "context")).await;
    take(&store, work(&key("1"), 1, [artifact(&"x".repeat(20_000))])).await;
    take(&store, end(&key("1"), 2, TaskState::Completed, at(1))).await;
    sweep(&store, at(100)).await;
    assert_eq!(kept(&store, 2).await, [1]);
}

/// It never becomes visible, and would stay for ever otherwise.
pub async fn a_reply_before_anybody_saw_the_task_finishes_it(stores: &impl Stores) {
    let store = stores.open(Retention { tasks: 1, finished_secs: 100, ..keep() }).await;
    for number in 0..3 {
        let task = key(&number.to_string());
        take(&store, new_task(&task, "context")).await;
        let reply = entry(EntryKind::Reply, 1, at(number), "reply");
        let status = Some((TaskState::Submitted, at(number)));
        let row = RowChange { status, close_turn: true, ..RowChange::default() };
        take(&store, Append { row, ..work(&task, 1, [reply]) }).await;
    }
    sweep(&store, at(100)).await;
    assert_eq!(kept(&store, 3).await, [2]);
    assert_eq!(sweep(&store, at_secs(1_000)).await, 1);
    assert_eq!(kept(&store, 3).await, [0; 0]);
}

/// And its id may be used again.
pub async fn a_deleted_task_is_gone_in_every_way(stores: &impl Stores) {
    let store = stores.open(Retention { finished_secs: 10, ..keep() }).await;
    let task = key("task");
    ended(&store, &task, TaskState::Completed, at(0)).await;
    store.snapshot(&task, 4, Bytes::from_static(b"snapshot")).await.expect("it writes");
    let webhook = super::actors::webhook("hook", "{}");
    assert!(store.put_push(&task, webhook.clone(), 9).await.expect("it writes"));
    assert_eq!(sweep(&store, at_secs(10)).await, 1);
    assert_eq!(try_load(&store, &task).await, None);
    assert_eq!(payloads(&store, &task).await, []);
    assert_eq!(store.pushes(&task).await.expect("it reads"), []);
    assert!(!store.put_push(&task, webhook, 9).await.expect("it reads"));
    assert_eq!(take(&store, new_task(&task, "context")).await, 1);
    let record = load(&store, &task).await;
    assert_eq!((record.snapshot, record.first, record.row.head), (None, 1, 2));
    assert_eq!(payloads(&store, &task).await.len(), 2);
}

/// Streams can resume until then.
pub async fn entries_stay_for_the_resume_window(stores: &impl Stores) {
    let store = stores.open(Retention { resume_secs: 60, ..keep() }).await;
    ended(&store, &key("task"), TaskState::Completed, at(0)).await;
    take(&store, new_task(&key("open"), "context")).await;
    sweep(&store, at(59_999)).await;
    assert_eq!(payloads(&store, &key("task")).await.len(), 4);
    sweep(&store, at_secs(60)).await;
    assert_eq!(payloads(&store, &key("task")).await.len(), 0);
    assert_eq!(payloads(&store, &key("open")).await.len(), 2);
}

/// The row stays as it is.
pub async fn entries_are_folded_into_a_snapshot(stores: &impl Stores) {
    let store = stores.open(Retention { resume_secs: 60, ..keep() }).await;
    for (id, snapshot) in [("plain", None), ("known", Some(3))] {
        let task = key(id);
        take(&store, new_task(&task, "context")).await;
        take(&store, work(&task, 1, [artifact("a"), artifact("b")])).await;
        take(&store, end(&task, 3, TaskState::Completed, at(0))).await;
        if let Some(seq) = snapshot {
            store.snapshot(&task, seq, Bytes::from_static(b"known")).await.expect("it writes");
        }
    }
    let before = load(&store, &key("plain")).await;
    assert_eq!(sweep(&store, at_secs(60)).await, 0);
    let plain = load(&store, &key("plain")).await;
    assert_eq!(plain.row, before.row);
    assert_eq!(plain.snapshot, Some((6, Bytes::from_static(b"accepted+started+a+b+status+ended"))));
    assert_eq!(plain.first, 7);
    let known = load(&store, &key("known")).await;
    assert_eq!(known.snapshot, Some((6, Bytes::from_static(b"known+b+status+ended"))));
    assert_eq!(list(&store, &alice(), &TaskFilter::default()).await.1, 2);
}

/// The engine writes one when a task ends.
pub async fn a_snapshot_at_the_head_is_not_folded_again(stores: &impl Stores) {
    let store = stores.open(Retention { resume_secs: 60, ..keep() }).await;
    let task = key("task");
    ended(&store, &task, TaskState::Completed, at(0)).await;
    store.snapshot(&task, 4, Bytes::from_static(b"whole")).await.expect("it writes");
    sweep(&store, at_secs(60)).await;
    let record = load(&store, &task).await;
    assert_eq!((record.snapshot, record.first), (Some((4, Bytes::from_static(b"whole"))), 5));
}

/// Each task once.
pub async fn a_folded_task_is_not_folded_again(stores: &impl Stores) {
    let store = stores.open(Retention { resume_secs: 60, ..keep() }).await;
    for number in 0..5 {
        let task = key(&number.to_string());
        ended(&store, &task, TaskState::Completed, at_secs(number)).await;
    }
    let told = Arc::new(Mutex::new(Vec::new()));
    for secs in [61, 62, 100, 200] {
        let told = Arc::clone(&told);
        let fold = move |key: &TaskKey, _: Option<&Bytes>, _: &[Arc<LogEntry>]| {
            told.lock().expect("nobody panics").push(key.id.to_string());
            Ok(Bytes::from_static(b"folded"))
        };
        store.sweep(at_secs(secs), &fold).await.expect("it sweeps");
    }
    let mut folded = told.lock().expect("nobody panics").clone();
    folded.sort();
    assert_eq!(folded, ["0", "1", "2", "3", "4"]);
}

/// The sweep says so, and the task can be read as before.
pub async fn what_cannot_be_folded_keeps_its_entries(stores: &impl Stores) {
    let retention = Retention { resume_secs: 60, ..keep() };
    let store = stores.open(retention).await;
    ended(&store, &key("t"), TaskState::Completed, at_secs(0)).await;
    let before = store.entries(&key("t"), 0, 100).await.expect("it reads");
    let fold = |_: &TaskKey, _: Option<&Bytes>, _: &[Arc<LogEntry>]| Err(StoreError::new("no"));
    assert!(store.sweep(at_secs(61), &fold).await.is_err());
    assert_eq!(store.entries(&key("t"), 0, 100).await.expect("it reads"), before);
    assert!(!before.is_empty());
}

/// However many entries it has.
pub async fn a_long_task_is_folded_and_deleted_whole(stores: &impl Stores) {
    let retention = Retention { resume_secs: 60, finished_secs: 100, ..keep() };
    let store = stores.open(retention).await;
    for id in ["folded", "deleted"] {
        take(&store, new_task(&key(id), "context")).await;
        for batch in 0..30 {
            let append = work(&key(id), 1 + batch * 100, (0..100).map(|_| artifact("chunk")));
            take(&store, append).await;
        }
    }
    take(&store, end(&key("folded"), 3_001, TaskState::Completed, at_secs(60))).await;
    take(&store, end(&key("deleted"), 3_001, TaskState::Completed, at_secs(0))).await;
    assert_eq!(sweep(&store, at_secs(120)).await, 1);
    assert_eq!(try_load(&store, &key("deleted")).await, None);
    assert_eq!(payloads(&store, &key("deleted")).await, []);
    let record = load(&store, &key("folded")).await;
    assert_eq!((record.first, record.row.head), (3_005, 3_004));
    let (seq, snapshot) = record.snapshot.expect("there is a snapshot");
    assert_eq!((seq, snapshot.len()), (3_004, "accepted+started+status+ended".len() + 6 * 3_000));
    assert_eq!(payloads(&store, &key("folded")).await, []);
}

/// More than one step.
pub async fn many_tasks_are_swept_at_once(stores: &impl Stores) {
    let retention = Retention { resume_secs: 60, finished_secs: 100, ..keep() };
    let store = stores.open(retention).await;
    for number in 0..700 {
        let task = key(&number.to_string());
        ended(&store, &task, TaskState::Completed, at(number)).await;
    }
    sweep(&store, at_secs(70)).await;
    assert_eq!(load(&store, &key("699")).await.first, 5);
    assert_eq!(sweep(&store, at(100_000 + 599)).await, 600);
    assert_eq!(list(&store, &alice(), &TaskFilter::default()).await.1, 100);
    assert_eq!(sweep(&store, at_secs(200)).await, 100);
}
