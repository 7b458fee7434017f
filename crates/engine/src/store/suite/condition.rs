//! Appends: who may, and what they make of the row.

use super::Stores;
use super::actors::{
    alice, append, artifact, at, command, end, entry, keep, key, key_in, load, message, new_task,
    payloads, record, refuse, scope, send, show, take, try_append, try_load, webhook, work,
};
use crate::log::EntryKind;
use crate::store::{
    Append, AppendError, Appended, Condition, RowChange, TaskKey, TaskRecord, TaskRow,
};
use sabir_types::{ContextId, TaskState};
use std::sync::Arc;
use std::sync::Mutex;

/// The first append of a task gets sequence 1, and the row says what it was told.
pub async fn a_new_task_starts_its_log_at_one(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let appended = try_append(&store, new_task(&task, "context")).await.expect("it is taken");
    assert_eq!(appended, Appended { first: 1, outbox: false });
    let row = TaskRow {
        context_id: ContextId::new("context"),
        state: TaskState::Submitted,
        status_at: at(0),
        visible: false,
        head: 2,
        epoch: 1,
        turn: 1,
        turn_open: true,
        ordinal: 0,
    };
    assert_eq!(load(&store, &task).await, TaskRecord { row, snapshot: None, first: 1 });
    assert_eq!(payloads(&store, &task).await, [(1, "accepted".into()), (2, "started".into())]);
}

/// A status in the append that makes the task is its first.
pub async fn a_new_task_is_submitted_unless_it_says_otherwise(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    let mut append = new_task(&task, "context");
    append.row.status = Some((TaskState::Working, at(5)));
    append.row.visible = true;
    take(&store, append).await;
    let row = load(&store, &task).await.row;
    assert_eq!((row.state, row.status_at, row.visible), (TaskState::Working, at(5), true));
}

/// An id is taken once.
pub async fn a_second_new_task_of_the_same_id_is_refused(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    let error = refuse(&store, new_task(&task, "other")).await;
    assert!(matches!(error, AppendError::Exists), "{error:?}");
    assert_eq!(load(&store, &task).await.row.context_id, ContextId::new("context"));
}

/// Workers and commands need a task.
pub async fn only_a_new_task_needs_no_task(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    for append in [work(&task, 1, [artifact("a")]), command(&task, false), command(&task, true)] {
        let error = refuse(&store, append).await;
        assert!(matches!(error, AppendError::NotFound), "{error:?}");
    }
    assert_eq!(try_load(&store, &task).await, None);
}

/// Sequences follow one another, also between appends.
pub async fn a_worker_appends_in_the_order_of_its_ordinals(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    assert_eq!(take(&store, work(&task, 1, [artifact("a")])).await, 3);
    assert_eq!(take(&store, work(&task, 2, [artifact("b"), artifact("c")])).await, 4);
    assert_eq!(take(&store, work(&task, 4, [artifact("d")])).await, 6);
    let row = load(&store, &task).await.row;
    assert_eq!((row.head, row.ordinal), (6, 4));
    let texts: Vec<_> = payloads(&store, &task).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["accepted", "started", "a", "b", "c", "d"]);
}

/// What follows a lost append is lost too, so that nothing is missing in the middle.
pub async fn after_a_gap_every_append_of_the_turn_is_refused(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    for ordinal in [3, 4, 100, u64::MAX] {
        let error = refuse(&store, work(&task, ordinal, [artifact("x")])).await;
        assert!(matches!(error, AppendError::Fenced), "{error:?}");
    }
    assert_eq!(take(&store, work(&task, 2, [artifact("b")])).await, 4);
}

/// A batch of which only a part was taken is not a repeat, and ordinals begin at 1.
pub async fn an_overlap_of_ordinals_is_refused(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a"), artifact("b")])).await;
    for ordinal in [0, 2] {
        let entries = [artifact("x"), artifact("y"), artifact("z")];
        let error = refuse(&store, work(&task, ordinal, entries)).await;
        assert!(matches!(error, AppendError::Fenced), "{error:?}");
    }
    let error = refuse(&store, work(&task, 0, [artifact("x")])).await;
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    assert_eq!(load(&store, &task).await.row.head, 4);
}

/// Also when the append that is repeated ended the turn and the task.
pub async fn a_repeat_succeeds_and_changes_nothing(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a"), artifact("b")])).await;
    let before = load(&store, &task).await;
    for (ordinal, text) in [(1, "a"), (2, "b")] {
        let repeat = try_append(&store, work(&task, ordinal, [artifact(text)])).await;
        assert_eq!(repeat.expect("a repeat succeeds"), Appended { first: 0, outbox: false });
    }
    assert_eq!(load(&store, &task).await, before);
    let last = end(&task, 3, TaskState::Completed, at(9));
    take(&store, last.clone()).await;
    let before = load(&store, &task).await;
    assert_eq!(take(&store, last).await, 0);
    assert_eq!(load(&store, &task).await, before);
    assert_eq!(payloads(&store, &task).await.len(), 6);
}

/// It changes the row or is fenced.
pub async fn an_append_without_entries_is_never_a_repeat(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    let row = RowChange { visible: true, ..RowChange::default() };
    let error = refuse(&store, Append { row, ..work(&task, 1, []) }).await;
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    assert_eq!(take(&store, Append { row, ..work(&task, 2, []) }).await, 4);
    let row = load(&store, &task).await.row;
    assert_eq!((row.head, row.ordinal, row.visible), (3, 1, true));
}

/// Epoch and turn are the row's own.
pub async fn a_worker_of_another_epoch_or_turn_is_fenced(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    for (epoch, turn) in [(0, 1), (2, 1), (1, 0), (1, 2)] {
        let condition = Condition::Worker { epoch, turn, ordinal: 1 };
        let error = refuse(&store, Append { condition, ..work(&task, 1, [artifact("x")]) }).await;
        assert!(matches!(error, AppendError::Fenced), "{error:?}");
    }
    assert_eq!(load(&store, &task).await.row.head, 2);
}

/// A turn that ended at a question takes nothing more.
pub async fn a_worker_whose_turn_has_closed_is_fenced(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, end(&task, 1, TaskState::InputRequired, at(2))).await;
    let error = refuse(&store, work(&task, 3, [artifact("x")])).await;
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
}

/// Nothing follows it, whoever asks.
pub async fn a_terminal_state_is_final(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    use TaskState::{Canceled, Completed, Failed, Rejected};
    for state in [Completed, Failed, Canceled, Rejected] {
        let task = key(state.short_name());
        take(&store, new_task(&task, "context")).await;
        take(&store, end(&task, 1, state, at(2))).await;
        let before = load(&store, &task).await;
        let reopen = RowChange { open_turn: Some((1, 2)), ..RowChange::default() };
        for append in [
            work(&task, 3, [artifact("x")]),
            Append {
                condition: Condition::Worker { epoch: 2, turn: 2, ordinal: 1 },
                ..work(&task, 1, [artifact("x")])
            },
            Append { row: reopen, ..command(&task, false) },
            Append { row: reopen, ..command(&task, true) },
        ] {
            let error = refuse(&store, append).await;
            assert!(matches!(error, AppendError::Terminal(was) if was == state), "{error:?}");
        }
        assert_eq!(load(&store, &task).await, before);
    }
}

/// A command says whether it is refused while a turn is open.
pub async fn a_command_may_wait_for_the_turn_to_close(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    let error = refuse(&store, command(&task, true)).await;
    assert!(matches!(error, AppendError::TurnOpen), "{error:?}");
    take(&store, end(&task, 1, TaskState::InputRequired, at(2))).await;
    let next = Append {
        entries: vec![entry(EntryKind::Accepted, 2, at(3), "second")],
        row: RowChange { open_turn: Some((1, 2)), ..RowChange::default() },
        ..command(&task, true)
    };
    assert_eq!(take(&store, next.clone()).await, 5);
    let error = refuse(&store, next).await;
    assert!(matches!(error, AppendError::TurnOpen), "{error:?}");
}

/// The worker goes on as if nothing had come between.
pub async fn a_command_leaves_the_ordinals_alone(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    let cancel = entry(EntryKind::CancelRequested, 1, at(2), "cancel");
    let cancel = Append { entries: vec![cancel], ..command(&task, false) };
    assert_eq!(take(&store, cancel).await, 4);
    assert_eq!(load(&store, &task).await.row.ordinal, 1);
    assert_eq!(take(&store, work(&task, 2, [artifact("b")])).await, 5);
}

/// Whoever opened a turn before has lost it.
pub async fn a_new_turn_fences_the_worker_before(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    take(&store, work(&task, 1, [artifact("a")])).await;
    let row = RowChange { open_turn: Some((2, 1)), ..RowChange::default() };
    take(&store, Append { row, ..command(&task, false) }).await;
    let error = refuse(&store, work(&task, 2, [artifact("x")])).await;
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
    let condition = Condition::Worker { epoch: 2, turn: 1, ordinal: 1 };
    take(&store, Append { condition, ..work(&task, 1, [artifact("b")]) }).await;
    let row = load(&store, &task).await.row;
    assert_eq!((row.epoch, row.turn, row.ordinal, row.turn_open), (2, 1, 1, true));
}

/// As a worker does whose turn ends while a message waits.
pub async fn a_turn_can_be_closed_and_opened_at_once(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    let row = RowChange { close_turn: true, open_turn: Some((1, 2)), ..RowChange::default() };
    take(&store, Append { row, ..work(&task, 1, [artifact("a")]) }).await;
    let row = load(&store, &task).await.row;
    assert_eq!((row.turn, row.turn_open, row.ordinal), (2, true, 0));
    let error = refuse(&store, work(&task, 2, [artifact("x")])).await;
    assert!(matches!(error, AppendError::Fenced), "{error:?}");
}

/// An append that does not speak of it changes nothing.
pub async fn a_visible_task_stays_visible(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    assert!(!load(&store, &task).await.row.visible);
    take(&store, show(&task, 1, TaskState::Working, at(1))).await;
    take(&store, work(&task, 2, [artifact("a")])).await;
    assert!(load(&store, &task).await.row.visible);
}

/// No entry, no change of the row, no record, no webhook.
pub async fn a_refused_append_writes_nothing(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let task = key("task");
    take(&store, new_task(&task, "context")).await;
    let before = load(&store, &task).await;
    let refused = |append: Append| Append {
        idempotency: Some((message("m"), record("task", at(1_000)))),
        push: Some(webhook("hook", "{}")),
        ..append
    };
    refuse(&store, refused(new_task(&task, "other"))).await;
    refuse(&store, refused(end(&task, 2, TaskState::Completed, at(1)))).await;
    refuse(&store, refused(command(&task, true))).await;
    refuse(&store, refused(command(&key("other"), false))).await;
    assert_eq!(load(&store, &task).await, before);
    assert_eq!(payloads(&store, &task).await.len(), 2);
    assert_eq!(store.find_message(&message("m"), at(0)).await.expect("it reads"), None);
    assert_eq!(store.pushes(&task).await.expect("it reads"), []);
}

/// Without waiting in between, and with refusals among them.
pub async fn outcomes_come_in_the_order_of_the_appends(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let tasks: Vec<TaskKey> = ["a", "b", "c"].into_iter().map(key).collect();
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut last = Vec::new();
    for task in &tasks {
        last.push(send(&store, new_task(task, "context")));
    }
    for ordinal in 1..=50 {
        for (number, task) in tasks.iter().enumerate() {
            for append in [work(task, ordinal, [artifact("a")]), command(task, true)] {
                let told = Arc::clone(&told);
                let done = move |outcome: Result<Appended, AppendError>| {
                    let first = outcome.map(|appended| appended.first).unwrap_or_default();
                    told.lock().expect("nobody panics").push((number, first));
                };
                store.append(append, Box::new(done));
            }
        }
    }
    last.extend(tasks.iter().map(|task| send(&store, command(task, false))));
    for outcome in last {
        outcome.await.expect("done is called").expect("it is taken");
    }
    let told = told.lock().expect("nobody panics").clone();
    for number in 0..tasks.len() {
        let firsts = told.iter().filter(|(task, _)| *task == number).map(|(_, first)| *first);
        let expected = (3..53).flat_map(|seq| [seq, 0]);
        assert!(firsts.eq(expected), "{told:?}");
    }
}

/// Cancel against completion: the others are told how it ended.
pub async fn of_many_endings_at_once_one_is_taken(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    for round in 0..20 {
        let task = key(&round.to_string());
        take(&store, new_task(&task, "context")).await;
        let endings = (0..8).map(|number| {
            let (store, task) = (Arc::clone(&store), task.clone());
            let append = if number % 2 == 0 {
                end(&task, 1, TaskState::Completed, at(number))
            } else {
                let row = end(&task, 1, TaskState::Canceled, at(number)).row;
                Append { row, ..command(&task, false) }
            };
            tokio::spawn(async move { (append.row.status, try_append(&store, append).await) })
        });
        let endings: Vec<_> = endings.collect();
        let mut taken = Vec::new();
        for ending in endings {
            match ending.await.expect("it does not panic") {
                (status, Ok(Appended { first, .. })) if first > 0 => taken.extend(status),
                // The other completions have the ordinals of the one that was taken.
                (_, Ok(_) | Err(AppendError::Terminal(_))) => {}
                (_, Err(error)) => panic!("{error:?}"),
            }
        }
        let row = load(&store, &task).await.row;
        assert_eq!(taken, [(row.state, row.status_at)]);
    }
}

/// And greater than 0, which is nobody's.
pub async fn each_run_has_a_greater_epoch(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let mut before = 0;
    for _ in 0..3 {
        let epoch = store.begin().await.expect("it begins");
        assert!(epoch > before);
        before = epoch;
    }
}

/// Agents, tenants and owners are apart, also when their names run into one another.
pub async fn equal_ids_in_other_scopes_are_other_tasks(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let scopes = [
        alice(),
        scope("agent", "", "bob"),
        scope("agent", "alice", ""),
        scope("agent", "", ""),
        scope("other", "", "alice"),
        scope("agentalice", "", ""),
    ];
    for (number, scope) in scopes.iter().enumerate() {
        let task = key_in(scope.clone(), "task");
        assert_eq!(try_load(&store, &task).await, None);
        take(&store, new_task(&task, &number.to_string())).await;
        for n in 0..number as u64 {
            take(&store, work(&task, n + 1, [artifact(&number.to_string())])).await;
        }
    }
    for (number, scope) in scopes.iter().enumerate() {
        let task = key_in(scope.clone(), "task");
        let row = load(&store, &task).await.row;
        assert_eq!(row.context_id.as_str(), number.to_string());
        assert_eq!(row.head, 2 + number as u64);
        assert_eq!(payloads(&store, &task).await.len(), 2 + number);
    }
}

/// An open turn, or an accepted message whose turn has not started; never a terminal state.
pub async fn unfinished_are_those_that_run_or_wait_for_a_turn(stores: &impl Stores) {
    let store = stores.open(keep()).await;
    let names = ["open", "queued", "accepted", "waiting", "done", "done with a message", "other"];
    let [open, queued, accepted, waiting, done, refused, other] = names.map(key);
    let other = key_in(scope("other", "", ""), other.id.as_str());
    for task in [&open, &queued, &waiting, &done, &refused, &other] {
        take(&store, new_task(task, "context")).await;
    }
    let accept = |turn| vec![entry(EntryKind::Accepted, turn, at(1), "accepted")];
    let context_id = ContextId::new("context");
    let new = append(&accepted, Condition::New { context_id });
    take(&store, Append { entries: accept(1), ..new }).await;
    for task in [&queued, &refused] {
        take(&store, Append { entries: accept(2), ..command(task, false) }).await;
    }
    take(&store, end(&queued, 1, TaskState::InputRequired, at(2))).await;
    take(&store, end(&waiting, 1, TaskState::InputRequired, at(2))).await;
    take(&store, end(&done, 1, TaskState::Completed, at(2))).await;
    take(&store, end(&refused, 1, TaskState::Failed, at(2))).await;
    let unfinished = async |agent| {
        let keys = store.unfinished(agent).await.expect("it reads");
        let mut ids: Vec<_> = keys.iter().map(|key| key.id.to_string()).collect();
        ids.sort();
        ids
    };
    assert_eq!(unfinished("agent").await, ["accepted", "open", "queued"]);
    assert_eq!(unfinished("other").await, ["other"]);
    assert_eq!(unfinished("nobody").await, [""; 0]);
}
