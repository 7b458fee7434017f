//! `kill -9` at any moment, on SQLite: what was acknowledged is there, and nothing is stuck.

mod ledger;
mod load;

use crate::agent::{book, puppet_on};
use crate::caller::{Binding, Caller};
use crate::dice;
use sabir_testkit::DataDir;
use serde_json::Value;
use std::collections::BTreeMap;
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
    kill_again_and_again(200).await;
}

async fn kill_again_and_again(kills: usize) {
    let data = DataDir::new();
    let program = puppet_on(&data);
    let (mut all, mut counts) = (BTreeMap::<String, Value>::new(), ledger::Counts::default());
    let mut server = program.start().await;
    for kill in 0..kills {
        let ledger = load::run(server, dice::time_below(LONGEST)).await;
        server = program.start().await;
        if dice::below(4) == 0 {
            // Once more while it brings the tasks of the earlier run on their way.
            server.kill().await;
            server = program.start().await;
        }
        counts += ledger.check(&server).await;
        all.extend(ledger.into_ended().enumerate().filter(|(n, _)| n % 10 == 0).map(|(_, e)| e));
        assert_no_start_twice(&data);
        println!("kill {}: {counts}", kill + 1);
    }
    let caller = Caller::new(&server, Binding::JsonRpc);
    for (id, task) in &all {
        assert_eq!(caller.get(id).await.as_ref(), Ok(task), "at the very end");
    }
    println!("{kills} kills; {counts}; {} tasks looked at again at the very end", all.len());
}

/// No message was ever started twice.
fn assert_no_start_twice(data: &DataDir) {
    let mut starts = BTreeMap::new();
    for line in book(data, "puppet-starts.log").lines() {
        let start: Value = serde_json::from_str(line).unwrap();
        let id = start["messageId"].as_str().unwrap().to_owned();
        let before = starts.insert(id, line.to_owned());
        assert_eq!(before, None, "started again: {line}");
    }
}
