use crate::support::{
    answer, assert_state, cancel, engine, get, says, script, send, start, stream, to, user,
};
use sabir::engine::Engine;
use sabir::types::{Content, Part, SendMessageResponse, TaskState};
use sabir_examples::puppet::{Puppet, card};
use serde_json::{Value, json};
use std::time::Duration;

async fn puppet() -> Engine {
    engine(card(), Puppet::default()).await
}

/// What a stream of this text shows after its first event.
async fn shows(text: &str) -> Vec<String> {
    script(&stream(&puppet().await, user(text)).await).split_off(1)
}

#[tokio::test]
async fn echo_is_exactly_the_rest_and_anything_else_is_the_whole() {
    let engine = puppet().await;
    for (text, artifact) in [
        ("echo hello", "hello"),
        ("echo  two  spaces ", " two  spaces "),
        ("echo é€😀漢\u{2028}\u{a0}ﬁ", "é€😀漢\u{2028}\u{a0}ﬁ"),
        ("echo", ""),
        ("what is this", "what is this"),
    ] {
        let task = send(&engine, user(text)).await;
        assert_state(&task, TaskState::Completed);
        assert_eq!(task.artifacts.len(), 1, "{text}");
        assert_eq!(task.artifacts[0].to_text(), artifact);
    }
}

#[tokio::test]
async fn parts_come_back_as_they_were() {
    let engine = puppet().await;
    let raw = Part::raw(b"\xfb\xff\xfe".as_slice()).with_filename("odd.bin");
    let raw = raw.with_media_type("application/octet-stream");
    let sent = [raw, Part::url("https://example.org/x.png"), Part::data(json!(null))];
    let mut message = user("parts");
    message.parts.extend(sent.clone());
    let task = send(&engine, message).await;
    assert_state(&task, TaskState::Completed);
    assert_eq!(task.artifacts[0].parts, sent);
    let without = send(&engine, user("parts")).await;
    assert_state(&without, TaskState::Rejected);
}

#[tokio::test]
async fn msg_answers_without_a_task() {
    let SendMessageResponse::Message(message) = answer(&puppet().await, user("msg hi you")).await
    else {
        panic!("not a message")
    };
    assert_eq!(message.text(), "hi you");
}

#[tokio::test(start_paused = true)]
async fn slow_and_ticks_number_their_statuses() {
    let start = tokio::time::Instant::now();
    assert_eq!(
        shows("slow 3").await,
        [
            "working",
            "working 1/3",
            "working 2/3",
            "working 3/3",
            "artifact. slow and steady",
            "completed done"
        ]
    );
    assert_eq!(start.elapsed().as_secs(), 3);

    let start = tokio::time::Instant::now();
    let ticks = shows("ticks 40").await;
    let expected = (1..=40).map(|tick| format!("working {tick}/40"));
    assert_eq!(ticks, expected.chain(["completed done".to_owned()]).collect::<Vec<_>>());
    assert!(start.elapsed() <= Duration::from_millis(41 * 750));
}

#[tokio::test]
async fn burst_and_blob_lose_nothing() {
    let burst = shows("burst 1000").await;
    assert_eq!(burst.len(), 1001);
    assert_eq!(burst[999], "working 1000/1000");

    let engine = puppet().await;
    let blob = script(&stream(&engine, user("blob 300")).await).split_off(1);
    assert_eq!(blob[0], "artifact 1");
    assert_eq!(blob[298], "artifact+ 299");
    assert_eq!(blob[299], "artifact+. 300");
    let task = send(&engine, user("blob 300")).await;
    let chunks: Vec<_> = task.artifacts[0].parts.iter().filter_map(|p| p.as_text()).collect();
    assert_eq!(chunks.concat(), (1..=300).map(|n| format!("{n}\n")).collect::<String>());
}

#[tokio::test]
async fn chunks_are_one_artifact() {
    assert_eq!(
        shows("chunks a|b|c").await,
        ["artifact a", "artifact+ b", "artifact+. c", "completed done"]
    );
    assert_eq!(shows("chunks a").await, ["artifact. a", "completed done"]);
}

#[tokio::test]
async fn a_number_that_cannot_be_used_is_rejected_with_the_usage() {
    let engine = puppet().await;
    for word in ["slow", "ticks", "burst", "blob", "detach", "stubborn"] {
        for number in ["", " x", " -1", " 1000001"] {
            let task = send(&engine, user(&format!("{word}{number}"))).await;
            assert_state(&task, TaskState::Rejected);
            assert!(says(&task).contains(&format!("`{word} 3`")), "{}", says(&task));
        }
    }
}

#[tokio::test]
async fn after_a_question_the_next_message_is_played_like_any_other() {
    let engine = puppet().await;
    let task = send(&engine, user("ask")).await;
    assert_state(&task, TaskState::InputRequired);
    let task = send(&engine, to(&task, "auth")).await;
    assert_state(&task, TaskState::AuthRequired);
    let task = send(&engine, to(&task, "echo hi")).await;
    assert_state(&task, TaskState::Completed);
    assert_eq!(task.artifacts[0].to_text(), "hi");
}

#[tokio::test]
async fn it_rejects_and_fails_in_every_way() {
    let engine = puppet().await;
    assert_state(&send(&engine, user("reject")).await, TaskState::Rejected);
    for (word, said) in [
        ("fail-before", "failed before the first event"),
        ("fail-after", "failed after the first event"),
        ("panic", "the agent panicked"),
    ] {
        let task = send(&engine, user(word)).await;
        assert_state(&task, TaskState::Failed);
        assert_eq!(says(&task), said);
    }
}

#[tokio::test]
async fn an_event_after_the_end_is_an_error_that_the_author_sees() {
    let engine = puppet().await;
    let task = send(&engine, user("late")).await;
    assert_state(&task, TaskState::Completed);
    let told = async {
        loop {
            let count = says(&send(&engine, user("count")).await);
            if let Some((_, told)) = count.split_once("when late: ") {
                return told.to_owned();
            }
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(10), told).await.unwrap();
    assert_ne!(told, "nothing");
    assert_eq!(says(&get(&engine, &task.id).await), "done");
}

#[tokio::test(start_paused = true)]
async fn detach_works_on_after_the_executor_has_returned() {
    let start = tokio::time::Instant::now();
    let events = shows("detach 4").await;
    assert_eq!(
        events,
        [
            "working working on in the background",
            "artifact. done in the background",
            "completed done"
        ]
    );
    assert_eq!(start.elapsed().as_secs(), 4);
}

#[tokio::test(start_paused = true)]
async fn waiting_scripts_stop_at_once_when_they_are_canceled() {
    let engine = puppet().await;
    for text in ["slow 100", "ticks 1000", "detach 100"] {
        let task = start(&engine, user(text)).await;
        let before = tokio::time::Instant::now();
        let canceled = cancel(&engine, &task.id).await.unwrap();
        assert_state(&canceled, TaskState::Canceled);
        assert!(before.elapsed() < Duration::from_millis(10), "{text}");
    }
}

#[tokio::test]
async fn stubborn_is_not_canceled_before_its_work_is_over() {
    let engine = puppet().await;
    let begun = std::time::Instant::now();
    let task = start(&engine, user("stubborn 1")).await;
    let canceled = cancel(&engine, &task.id).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(1), "canceled after {:?}", begun.elapsed());
    assert_state(&canceled, TaskState::Canceled);
    let effects = numbers(&says(&send(&engine, user("count")).await))[1];
    assert!(effects >= 5, "{effects} side effects in a second");
}

#[tokio::test]
async fn stubborn_completes_when_nobody_cancels() {
    let engine = puppet().await;
    let task = send(&engine, user("stubborn 1")).await;
    assert_state(&task, TaskState::Completed);
}

#[tokio::test]
async fn count_does_not_count_itself() {
    let engine = puppet().await;
    send(&engine, user("echo a")).await;
    send(&engine, user("reject")).await;
    for _ in 0..2 {
        assert_eq!(says(&send(&engine, user("count")).await), "starts: 2, side effects: 0");
    }
}

#[tokio::test]
async fn counts_go_on_after_a_restart_and_can_be_read_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let mut ids = Vec::new();
    for before in 0..2 {
        let puppet = Puppet::with_data(folder.path()).unwrap();
        let engine = engine(card(), puppet).await;
        let message = user("echo a");
        ids.push(message.message_id.to_string());
        send(&engine, message).await;
        let count = says(&send(&engine, user("count")).await);
        assert_eq!(numbers(&count)[0], before + 1);
    }
    let log = std::fs::read_to_string(folder.path().join("puppet-starts.log")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let started: Vec<_> = lines.iter().map(|line| line["messageId"].as_str().unwrap()).collect();
    assert_eq!(started, ids);
    assert!(lines.iter().all(|line| line["script"] == "echo"));
}

#[tokio::test]
async fn message_ids_of_the_official_kit_play_its_scripts() {
    let engine = puppet().await;
    let kit = async |name: &str| {
        let message = user("hello").with_id(format!("tck-{name}-0123abcd"));
        script(&stream(&engine, message).await)
    };
    assert_eq!(kit("complete-task").await[1..], ["completed Hello from TCK"]);
    assert_eq!(kit("message-response").await, ["message Direct message response"]);
    assert_eq!(kit("reject-task").await[1..], ["rejected rejected"]);
    assert_eq!(
        kit("stream-001").await[1..],
        ["working", "artifact. Stream hello from TCK", "completed"]
    );
    assert_eq!(
        kit("stream-artifact-chunked").await[1..],
        ["working", "artifact chunk-1", "artifact+. chunk-2", "completed"]
    );
    assert_eq!(kit("anything-else").await[1..], ["artifact. hello", "completed"]);
}

#[tokio::test]
async fn the_kits_files_have_a_name_and_a_type() {
    let engine = puppet().await;
    for (name, content) in [
        ("artifact-file", Content::Raw(b"tck"[..].into())),
        ("artifact-file-url", Content::Url("https://example.com/output.txt".to_owned())),
    ] {
        let task = send(&engine, user("x").with_id(format!("tck-{name}-1"))).await;
        let part = &task.artifacts[0].parts[0];
        assert_eq!(part.content, content);
        assert_eq!(part.filename.as_deref(), Some("output.txt"));
        assert_eq!(part.media_type.as_deref(), Some("text/plain"));
    }
}

#[tokio::test]
async fn the_kit_asks_until_it_completes() {
    let engine = puppet().await;
    let mut task = send(&engine, user("x").with_id("tck-input-required-1")).await;
    assert_state(&task, TaskState::InputRequired);
    task = send(&engine, to(&task, "x").with_id("tck-input-required-2")).await;
    assert_state(&task, TaskState::InputRequired);
    task = send(&engine, to(&task, "x").with_id("tck-complete-task-1")).await;
    assert_state(&task, TaskState::Completed);
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}
