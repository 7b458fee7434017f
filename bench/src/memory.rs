//! Whether memory stays where it is: a server that has done a million tasks holds about as much as
//! one that has done a hundred thousand, and can still list the last thousand.

use crate::args::Args;
use crate::build::Programs;
use crate::contender::Contender;
use crate::http::Connection;
use crate::load::{Callers, Load, completed, task_id};
use crate::measure::Measure;
use crate::outcome::Outcome;
use crate::process::Process;
use crate::request::{SendRequest, TEXT, request};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// After how many tasks memory is looked at first.
const FIRST: u64 = 100_000;
/// How many tasks are listed in the end, and how many of them a page has.
const LISTED: u64 = 1000;
const PAGE: usize = 100;

/// Sends all the tasks and prints what the server holds.
pub(crate) async fn run(programs: &Programs, args: &Args) -> Outcome {
    if args.tasks < 2 * FIRST {
        return Err(format!("--tasks must be at least {}", 2 * FIRST).into());
    }
    let sabir = Contender::named("sabir").ok_or("sabir is not in the list")?;
    let server = Process::start(programs, sabir, Measure::Send16).await?;
    let idle = server.memory()?;
    send(&server, FIRST).await?;
    let first = server.memory()?;
    send(&server, args.tasks - FIRST - LISTED).await?;
    let last = send_one_by_one(&server).await?;
    let all = server.memory()?;
    let listed = list(&server).await?;
    let right = listed == last;
    server.stop().await?;
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let ratio = all as f64 / first as f64;
    if args.json {
        let (idle, first, all) = (mib(idle), mib(first), mib(all));
        println!("{}", json!({"idle": idle, "first": first, "all": all, "listed": right}));
    } else {
        println!("{:>9} tasks {:>8.1} MiB", 0, mib(idle));
        println!("{FIRST:>9} tasks {:>8.1} MiB", mib(first));
        println!("{:>9} tasks {:>8.1} MiB, {ratio:.3} of it", args.tasks, mib(all));
        println!(
            "the last {LISTED} in pages of {PAGE}: {}",
            if right { "as sent" } else { "others" }
        );
    }
    if right { Ok(()) } else { Err("the last tasks cannot be listed".into()) }
}

async fn send(server: &Process, calls: u64) -> Outcome {
    let method = "SendMessage";
    let (connections, grpc, gets, calls) = (16, false, true, Some(calls));
    let load = Load { method, text: TEXT, connections, grpc, gets, calls };
    Callers::start(server.address, load).ended().await
}

/// Sends the last tasks so that it is known which ones they are.
async fn send_one_by_one(server: &Process) -> Outcome<BTreeSet<String>> {
    // Tasks are listed by the time of their last change, to the millisecond.
    tokio::time::sleep(Duration::from_millis(5)).await;
    let mut connection = Connection::open(server.address).await?;
    let mut request = SendRequest::new(server.address, "SendMessage", TEXT);
    let mut ids = BTreeSet::new();
    for number in 0..LISTED {
        // Numbers that none of those before had.
        let body = completed(connection.exchange(request.with_id(!number)).await?)?;
        ids.insert(task_id(body).ok_or("an answer that names no task")?.to_owned());
    }
    Ok(ids)
}

async fn list(server: &Process) -> Outcome<BTreeSet<String>> {
    let mut connection = Connection::open(server.address).await?;
    let (mut ids, mut token) = (BTreeSet::new(), String::new());
    for _ in 0..LISTED as usize / PAGE {
        let params = json!({"pageSize": PAGE, "pageToken": token}).to_string();
        let (_, body) = connection.exchange(&request(server.address, "ListTasks", &params)).await?;
        let answer: Value = serde_json::from_slice(body)?;
        let tasks = answer["result"]["tasks"].as_array().ok_or_else(|| answer.to_string())?;
        ids.extend(tasks.iter().filter_map(|task| task["id"].as_str()).map(str::to_owned));
        token = answer["result"]["nextPageToken"].as_str().unwrap_or_default().to_owned();
    }
    Ok(ids)
}
