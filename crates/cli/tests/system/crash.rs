//! `kill -9` at any moment, on SQLite: what was acknowledged is there, and nothing is stuck.

mod ledger;
mod load;

use crate::agent::{book, puppet_on};
use crate::caller::{Binding, Caller};
use crate::dice;
use ledger::Counts;
use sabir_testkit::DataDir;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The load runs for so long at most before the server is killed.
const LONGEST: Duration = Duration::from_millis(600);

#[tokio::test]
async fn what_was_acknowledged_survives_a_kill() {
    kill_again_and_again(6).await;
}

#[tokio::test]
#[ignore = "long"]
async fn what_was_acknowledged_survives_a_kill_long() {
    let counts = kill_again_and_again(200).await;
    assert!(counts.late > 0, "no kill hit between the turns of a queue: {counts}");
}

async fn kill_again_and_again(kills: usize) -> Counts {
    let data = DataDir::new();
    let program = puppet_on(&data);
    let (mut all, mut counts) = (BTreeMap::new(), Counts::default());
    let mut server = program.start().await;
    for _ in 0..kills {
        let mut ledger = load::run(server, dice::time_below(LONGEST)).await;
        ledger.note_starts(&started(&data));
        server = program.start().await;
        if dice::below(4) == 0 {
            // Once more while it brings the tasks of the earlier run on their way.
            server.kill().await;
            server = program.start().await;
        }
        counts += ledger.check(&server).await;
        all.extend(ledger.into_ended().step_by(10));
    }
    started(&data);
    let caller = Caller::new(&server, Binding::JsonRpc);
    for (id, task) in &all {
        assert_eq!(caller.get(id).await.as_ref(), Ok(task), "at the very end");
    }
    println!("{kills} kills; {counts}; {} tasks looked at again at the very end", all.len());
    counts
}

/// The messages that were ever started, says the puppet's book; none was started twice.
fn started(data: &DataDir) -> BTreeSet<String> {
    let mut started = BTreeSet::new();
    for line in book(data, "puppet-starts.log").lines() {
        let start: Value = serde_json::from_str(line).unwrap();
        let id = start["messageId"].as_str().unwrap().to_owned();
        assert!(started.insert(id), "started again: {line}");
    }
    started
}
