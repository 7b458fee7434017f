//! Real processes: what they read, write and leave behind, and how they end.

use crate::support::{
    assert_state, cancel, configured, get, open, says, script, send, start, stream, user,
};
use futures_util::StreamExt;
use sabir::engine::{Engine, EngineConfig};
use sabir::types::{Message, Part, TaskState};
use sabir_examples::exec::{Exec, ExecConfig, card};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Long enough for anything that works, on any machine.
const PATIENCE: Duration = Duration::from_secs(30);

async fn run(command: &str) -> Engine {
    with(ExecConfig::new(command)).await
}

async fn with(config: ExecConfig) -> Engine {
    let config_of_engine =
        EngineConfig { grace: Duration::from_millis(300), ..EngineConfig::default() };
    configured(card(&config), Exec::new(config), config_of_engine).await
}

async fn output(command: &str, message: Message) -> String {
    let task = send(&run(command).await, message).await;
    assert_state(&task, TaskState::Completed);
    task.artifacts[0].to_text()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_goes_in_and_what_is_written_comes_out() {
    assert_eq!(output("tr a-z A-Z", user("hello")).await, "HELLO");
    assert_eq!(output("printf 'a\\n\\n'", user("ignored")).await, "a\n");
    assert_eq!(output("true", user("x")).await, "");
    let parts = vec![Part::text("one"), Part::text("two")];
    assert_eq!(output("cat", Message { parts, ..user("") }).await, "one\ntwo");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_finds_the_ids_in_its_environment() {
    let engine = run("echo $A2A_TASK_ID $A2A_CONTEXT_ID $A2A_MESSAGE_ID").await;
    let message = user("x");
    let id = message.message_id.to_string();
    let task = send(&engine, message).await;
    let expected = format!("{} {} {id}", task.id, task.context_id);
    assert_eq!(task.artifacts[0].to_text(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_says_why_or_at_least_how() {
    for (command, said) in [
        ("echo out; echo 'no paper' >&2; exit 2", "no paper"),
        ("exit 7", "exit status 7"),
        ("kill -9 $$", "ended by signal 9"),
    ] {
        let task = send(&run(command).await, user("x")).await;
        assert_state(&task, TaskState::Failed);
        assert_eq!(says(&task), said);
        assert!(task.artifacts.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_input_neither_blocks_a_command_that_writes_nor_one_that_does_not_read() {
    let text = "0123456789abcdef".repeat(1 << 16);
    let copied = tokio::time::timeout(PATIENCE, output("cat", user(&text))).await.unwrap();
    assert!(copied == text, "{} bytes came back", copied.len());
    // Both directions are full before the command reads its first byte.
    let both = "head -c 500000 /dev/zero | tr '\\0' x; cat | wc -c | tr -d ' '";
    let both = tokio::time::timeout(PATIENCE, output(both, user(&text))).await.unwrap();
    assert_eq!(both.trim_start_matches('x'), text.len().to_string());
    assert_eq!(output("exec 0<&-; echo deaf", user(&text)).await, "deaf");
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_come_as_they_are_written() {
    let line = Line::new();
    let command = format!("printf 'a|b|'; cat {}; printf 'c\\n'", line.path.display());
    let config = ExecConfig { chunk: Some("|".to_owned()), ..ExecConfig::new(command) };
    let mut events = open(&with(config).await, user("x")).await;
    let mut seen = Vec::new();
    while let Some(event) = events.next().await {
        seen.push(event.unwrap().response().unwrap().clone());
        if script(&seen).last().is_some_and(|last| last == "artifact a") {
            // The command goes on only now that its first chunk was seen.
            line.release();
        }
    }
    assert_eq!(
        script(&seen)[1..],
        ["working", "artifact a", "artifact+ b", "artifact+. c", "completed"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn chunks_before_a_failure_are_kept() {
    let config = ExecConfig { chunk: Some("\n".to_owned()), ..ExecConfig::new("echo a; exit 1") };
    let events = stream(&with(config).await, user("x")).await;
    assert_eq!(script(&events)[1..], ["working", "artifact. a", "failed exit status 1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_writes_too_much_is_ended() {
    let config = ExecConfig { output_bytes: 1000, ..ExecConfig::new("yes") };
    let task = tokio::time::timeout(PATIENCE, send(&with(config).await, user("x"))).await.unwrap();
    assert_state(&task, TaskState::Failed);
    assert_eq!(says(&task), "the command wrote more than 1000 bytes to its standard output");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_errors_the_last_are_said() {
    let command = "for i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done; exit 1";
    let config = ExecConfig { error_bytes: 14, ..ExecConfig::new(command) };
    let task = send(&with(config).await, user("x")).await;
    assert_eq!(says(&task), "…line 8\nline 9");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_holds_the_output_open_does_not_hold_the_task() {
    let begun = Instant::now();
    assert_eq!(output("sleep 100 & echo done", user("x")).await, "done");
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn who_left_the_group_with_the_output_does_not_hold_the_task_either() {
    let begun = Instant::now();
    assert_eq!(output("setsid sleep 5 & echo done", user("x")).await, "done");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_runs_on_in_the_background_is_ended_with_the_command() {
    let line = Line::new();
    let mut life = line.listen();
    let command = format!(
        "(exec 3>{}; echo up >&3; trap '' TERM; while :; do sleep 0.02; done) & read x <{}",
        line.path.display(),
        line.second.display()
    );
    let engine = run(&command).await;
    let task = start(&engine, user("x")).await;
    assert_eq!(life.recv().await.as_deref(), Some("up"));
    std::fs::write(&line.second, "go\n").unwrap();
    // The other end of the line is closed by nothing but death.
    assert_eq!(tokio::time::timeout(PATIENCE, life.recv()).await.unwrap(), None);
    until(&engine, &task.id, TaskState::Completed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_command_may_clean_up() {
    let line = Line::new();
    let mut life = line.listen();
    let command = format!(
        "exec 3>{}; trap 'echo bye >&3; exit 0' TERM; echo up >&3; while :; do sleep 0.02; done",
        line.path.display()
    );
    let engine = run(&command).await;
    let task = start(&engine, user("x")).await;
    assert_eq!(life.recv().await.as_deref(), Some("up"));
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert_state(&canceled, TaskState::Canceled);
    assert_eq!(life.recv().await.as_deref(), Some("bye"));
    assert_eq!(life.recv().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_not_canceled_while_a_child_that_ignores_signals_still_works() {
    let line = Line::new();
    let mut life = line.listen();
    let folder = tempfile::tempdir().unwrap();
    let effects = folder.path().join("effects");
    // The shell goes at once; its child stays and works on.
    let command = format!(
        "(trap '' TERM INT HUP; exec 3>{}; echo up >&3; while :; do echo x >>{}; done) & wait",
        line.path.display(),
        effects.display()
    );
    let engine = run(&command).await;
    let task = start(&engine, user("x")).await;
    assert_eq!(life.recv().await.as_deref(), Some("up"));

    let canceled = cancel(&engine, &task.id).await.unwrap();
    let at_the_answer = size(&effects);
    assert_state(&canceled, TaskState::Canceled);
    assert_eq!(tokio::time::timeout(PATIENCE, life.recv()).await.unwrap(), None);
    assert_eq!(size(&effects), at_the_answer);
}

#[test]
fn a_command_ends_with_the_server() {
    let line = Line::new();
    let mut life = line.listen();
    let command = format!(
        "trap '' TERM; exec 3>{}; echo up >&3; while :; do sleep 0.02; done",
        line.path.display()
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        start(&run(&command).await, user("x")).await;
        assert_eq!(life.recv().await.as_deref(), Some("up"));
    });
    drop(runtime);
    assert_eq!(life.blocking_recv(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_not_canceled_before_its_command_has_been_reaped() {
    let line = Line::new();
    let mut life = line.listen();
    let command = format!(
        "trap '' TERM; exec 3>{}; echo $$ >&3; while :; do sleep 0.02; done",
        line.path.display()
    );
    let engine = run(&command).await;
    let task = start(&engine, user("x")).await;
    let leader = life.recv().await.unwrap().parse().unwrap();
    let canceled = cancel(&engine, &task.id).await.unwrap();
    let found = rustix::process::test_kill_process(rustix::process::Pid::from_raw(leader).unwrap());
    assert_state(&canceled, TaskState::Canceled);
    assert_eq!(found, Err(rustix::io::Errno::SRCH));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_commands_run_at_once() {
    let line = Line::new();
    let command = format!("cat {}", line.path.display());
    let engine = with(ExecConfig { processes: 1, ..ExecConfig::new(command) }).await;
    let first = start(&engine, user("a")).await;
    until(&engine, &first.id, TaskState::Working).await;
    let second = start(&engine, user("b")).await;
    assert_state(&get(&engine, &second.id).await, TaskState::Submitted);
    // Who waits can be canceled, and never starts.
    assert_state(&cancel(&engine, &second.id).await.unwrap(), TaskState::Canceled);
    let third = start(&engine, user("c")).await;
    assert_state(&get(&engine, &third.id).await, TaskState::Submitted);
    line.release();
    until(&engine, &first.id, TaskState::Completed).await;
    until(&engine, &third.id, TaskState::Working).await;
    line.release();
    until(&engine, &third.id, TaskState::Completed).await;
}

async fn until(engine: &Engine, id: &sabir::types::TaskId, state: TaskState) {
    let reached = async {
        while get(engine, id).await.state() != state {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, reached).await.unwrap();
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// Named pipes between a test and a command.
struct Line {
    path: PathBuf,
    second: PathBuf,
    _folder: tempfile::TempDir,
}

impl Line {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (path, second) = (folder.path().join("line"), folder.path().join("second"));
        let made = std::process::Command::new("mkfifo").arg(&path).arg(&second).status();
        assert!(made.unwrap().success());
        Self { path, second, _folder: folder }
    }

    /// The lines that are written to it, until nobody holds it open any more.
    fn listen(&self) -> mpsc::UnboundedReceiver<String> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let path = self.path.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(std::fs::File::open(path).unwrap()).lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        receiver
    }

    /// Lets a command go on that reads it.
    fn release(&self) {
        drop(std::fs::OpenOptions::new().write(true).open(&self.path).unwrap());
    }
}
