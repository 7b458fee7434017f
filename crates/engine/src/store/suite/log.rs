//! Reading: entries, snapshots, and what is not there.

use super::Stores;
use super::actors::{
    alice, append, artifact, at, command, entry, keep, key, list, load, message, new_task,
    payloads, take, try_load, work,
};
use crate::log::{EntryKind, LogEntry};
use crate::store::{Append, Condition, NewEntry, RowChange, TaskFilter};
use bytes::Bytes;
use sabir_types::{ContextId, TaskState};

/// Every kind, also one that this version does not know; every state; every byte.
pub async fn entries_come_back_as_they_were_written(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let numbers = (1..=3).chain(10..=16).chain([0, 4, 99, 255]);
    let kinds = numbers.map(EntryKind::from_number);
    let states = (0..=8).map(<TaskState as sabir_types::ProtoEnum>::from_number).cycle();
    let bytes: Bytes = (0..=255).collect();
    let entries: Vec<_> = kinds
        .zip(states)
        .zip(0_u8..)
        .map(|((kind, state), n)| NewEntry {
            kind,
            turn: u64::from(n),
            at: at(i64::from(n) * 7),
            state,
            payload: bytes.slice(usize::from(n) * 18..),
        })
        .collect();
    let context_id = ContextId::new("context");
    let new = Append { entries: entries.clone(), ..append(&task, Condition::New { context_id }) };
    take(&store, new).await;
    let read = store.entries(&task, 0, 100).await.expect("it reads");
    let expected: Vec<_> = (1..).zip(entries).map(|(seq, e)| e.into_entry(seq, 0)).collect();
    let read: Vec<LogEntry> = read.iter().map(|entry| LogEntry::clone(entry)).collect();
    assert_eq!(read, expected);
}

/// A worker's own, and for commands that of the row.
pub async fn entries_have_the_epoch_of_the_turn(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    let cancel = || vec![entry(EntryKind::CancelRequested, 0, at(1), "cancel")];
    take(&store, Append { entries: cancel(), ..command(&task, false) }).await;
    let row = RowChange { open_turn: Some((3, 2)), ..RowChange::default() };
    take(&store, Append { entries: cancel(), row, ..command(&task, false) }).await;
    let read = store.entries(&task, 0, 100).await.expect("it reads");
    let epochs: Vec<_> = read.iter().map(|entry| entry.epoch).collect();
    assert_eq!(epochs, [1, 1, 1, 1, 3]);
}

/// After a sequence, so many.
pub async fn entries_are_read_in_pieces(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, (0..10).map(|n| artifact(&n.to_string())))).await;
    let read = async |after, limit| {
        let entries = store.entries(&task, after, limit).await.expect("it reads");
        entries.iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    assert_eq!(read(0, 3).await, [1, 2, 3]);
    assert_eq!(read(3, 3).await, [4, 5, 6]);
    assert_eq!(read(10, 100).await, [11, 12]);
    assert_eq!(read(12, 100).await, [0; 0]);
    assert_eq!(read(u64::MAX, 100).await, [0; 0]);
    assert_eq!(read(0, 0).await, [0; 0]);
    assert_eq!(read(0, usize::MAX).await.len(), 12);
}

/// Thousands of entries, and one of a megabyte.
pub async fn a_long_log_is_kept_whole(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    for batch in 0..20 {
        let entries = (0..100).map(|n| artifact(&(batch * 100 + n).to_string()));
        take(&store, work(&task, 1 + batch * 100, entries)).await;
    }
    let large = "x".repeat(1 << 20);
    take(&store, work(&task, 2_001, [artifact(&large)])).await;
    let payloads = payloads(&store, &task).await;
    let numbers = payloads[2..2_002].iter().map(|(_, payload)| payload.clone());
    assert!(numbers.eq((0..2_000).map(|n| n.to_string())));
    assert_eq!(payloads[2_002], (2_003, large));
}

/// Unknown tasks, scopes and messages are no errors, and asking makes none of them.
pub async fn what_does_not_exist_reads_as_nothing(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    assert_eq!(try_load(&store, &task).await, None);
    assert_eq!(store.entries(&task, 0, 10).await.expect("it reads"), []);
    assert_eq!(store.pushes(&task).await.expect("it reads"), []);
    assert_eq!(store.find_message(&message("m"), at(0)).await.expect("it reads"), None);
    assert_eq!(store.due("agent", at(0), 10).await.expect("it reads"), (vec![], None));
    store.snapshot(&task, 3, Bytes::from_static(b"x")).await.expect("it does not matter");
    assert_eq!(list(&store, &alice(), &TaskFilter::default()).await, (vec![], 0));
    assert_eq!(try_load(&store, &task).await, None);
}

/// An older one does not come back, whoever was slower.
pub async fn a_newer_snapshot_replaces_an_older_one(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, (0..5).map(|_| artifact("a")))).await;
    for (seq, text, kept) in [(3, "three", 3), (5, "five", 5), (4, "four", 5), (7, "seven", 7)] {
        store.snapshot(&task, seq, Bytes::from_static(text.as_bytes())).await.expect("it writes");
        let (seq, bytes) = load(&store, &task).await.snapshot.expect("there is a snapshot");
        let expected = match kept {
            3 => "three",
            5 => "five",
            _ => "seven",
        };
        assert_eq!((seq, &*bytes), (kept, expected.as_bytes()));
    }
}

/// Only a sweep drops them.
pub async fn a_snapshot_leaves_the_entries(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    store.snapshot(&task, 2, Bytes::from_static(b"two")).await.expect("it writes");
    assert_eq!(load(&store, &task).await.first, 1);
    assert_eq!(payloads(&store, &task).await.len(), 2);
}
