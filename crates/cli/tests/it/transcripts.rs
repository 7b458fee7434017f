//! The conversations that users know, word for word, also over crashes of the server.

use crate::place::{Place, Ran};
use sabir_testkit::{Running, patiently};
use serde_json::json;

/// A server of the sample agents that may crash between any two steps.
struct Up {
    place: Place,
    args: Vec<String>,
    running: Option<Running>,
    crashes: bool,
}

impl Up {
    async fn new(crashes: bool) -> Self {
        let place = Place::new();
        let data = place.dir.join("data").display().to_string();
        let args = ["up", "--listen", "127.0.0.1:0", "--data", &data].map(str::to_owned).to_vec();
        let mut up = Self { place, args, running: None, crashes };
        up.start().await;
        up
    }

    async fn start(&mut self) {
        self.running = Some(self.place.sabir().args(&self.args).start().await);
    }

    /// Runs `a2a` with an agent of the server; `{agent}` stands for it.
    async fn a2a(&mut self, agent: &str, args: &[&str]) -> Ran {
        if self.crashes {
            self.running.take().unwrap().kill().await;
            self.start().await;
        }
        let url = format!("{}/agents/{agent}", self.running.as_ref().unwrap().url());
        let mut all = args.to_vec();
        all.extend(["-a", &url]);
        self.place.a2a(&all).await
    }
}

const ASKED: &str = "\
Task:     <id>
Context:  <id>
Status:   input-required (<time>)
  lamp: asking 130. Send your offer as a number.
History:
  [user] I want to buy a lamp

Resume:     a2a send --task-id <id> \"<reply>\"
";

const LOW: &str = "\
Task:     <id>
Context:  <id>
Status:   input-required (<time>)
  80 is too low. Counteroffer: 105.
History:
  [user] I want to buy a lamp
  [agent] lamp: asking 130. Send your offer as a number.
  [user] 80

Resume:     a2a send --task-id <id> \"<reply>\"
";

const SOLD: &str = "\
Task:     <id>
Context:  <id>
Status:   completed (<time>)
  Deal: lamp at 105.
Artifacts:
  [receipt] {\"item\":\"lamp\",\"price\":105,\"seller\":\"Lamp Shop\"}
History:
  [user] I want to buy a lamp
  [agent] lamp: asking 130. Send your offer as a number.
  [user] 80
  [agent] 80 is too low. Counteroffer: 105.
  [user] 105
";

async fn lamp(crashes: bool) {
    let mut up = Up::new(crashes).await;
    let asked = up.a2a("lamp-shop", &["send", "I want to buy a lamp"]).await.ok();
    assert_eq!(asked.plain(), ASKED);
    let id = asked.task_id();
    let low = up.a2a("lamp-shop", &["send", "--task-id", &id, "80"]).await.ok();
    assert_eq!(low.plain(), LOW);
    let sold = up.a2a("lamp-shop", &["send", "--task-id", &id, "105"]).await.ok();
    assert_eq!(sold.plain(), SOLD);
    assert_eq!(sold.task_id(), id);
    let again = up.a2a("lamp-shop", &["task", "get", &id]).await.ok();
    assert_eq!(again.plain(), SOLD);
    let late = up.a2a("lamp-shop", &["send", "--task-id", &id, "110", "-o", "json"]).await;
    assert_eq!(late.code, 1, "{late:?}");
    let error = &late.json()["error"];
    assert_eq!(error["code"], "A2ACLI_ERR_PROTOCOL");
    assert_eq!(error["a2aCode"], "UNSUPPORTED_OPERATION");
    assert!(error["message"].as_str().unwrap().starts_with("failed to send message: "), "{error}");
}

#[tokio::test]
async fn a_lamp_is_haggled_for_and_sold() {
    lamp(false).await;
}

#[tokio::test]
async fn a_lamp_is_sold_although_the_server_crashes_between_any_two_steps() {
    lamp(true).await;
}

async fn others(crashes: bool) {
    let mut up = Up::new(crashes).await;
    let sofa = up.a2a("lamp-shop", &["send", "I want to buy a sofa"]).await.ok();
    assert_eq!(status(&sofa), ("rejected", "We only sell: lamp, chair, bookshelf."));

    let chair = up.a2a("lamp-shop", &["send", "I want to buy a chair"]).await.ok();
    let id = chair.task_id();
    for said in [
        ("input-required", "100 is too low. Counteroffer: 180."),
        ("input-required", "100 is too low. Counteroffer: 180."),
        ("rejected", "No deal at 100."),
    ] {
        let answer = up.a2a("lamp-shop", &["send", "--task-id", &id, "100"]).await.ok();
        assert_eq!(status(&answer), said);
    }

    let shelf = up.a2a("lamp-shop", &["send", "I want to buy a bookshelf"]).await.ok();
    let canceled = up.a2a("lamp-shop", &["task", "cancel", &shelf.task_id()]).await.ok();
    assert_eq!(status(&canceled).0, "canceled");
    let again = up.a2a("lamp-shop", &["task", "cancel", &shelf.task_id(), "-o", "json"]).await;
    assert_eq!((again.code, &again.json()["error"]["a2aCode"]), (1, &json!("TASK_NOT_CANCELABLE")));

    let hello = up.a2a("hello", &["send", "Good morning"]).await.ok();
    assert_eq!(status(&hello), ("completed", "Hello! You said: Good morning"));
}

/// The state and what was said with it.
fn status(ran: &Ran) -> (&str, &str) {
    let mut lines = ran.out.lines().skip_while(|line| !line.starts_with("Status:"));
    let state = lines.next().and_then(|line| line.split_whitespace().nth(1)).unwrap_or_default();
    let said = lines.next().and_then(|line| line.strip_prefix("  ")).unwrap_or_default();
    (state, said)
}

#[tokio::test]
async fn a_sofa_a_chair_a_bookshelf_and_a_greeting_go_as_known() {
    others(false).await;
}

#[tokio::test]
async fn they_go_the_same_over_crashes() {
    others(true).await;
}

async fn review(crashes: bool) {
    let mut up = Up::new(crashes).await;
    let asked = up.a2a("contract-review", &["send", "Please review a contract"]).await.ok();
    assert_eq!(status(&asked), ("input-required", "Which contract? Send an id like HD-2026-014."));
    let id = asked.task_id();
    let done = up.a2a("contract-review", &["send", "--task-id", &id, "HD-2026-014"]).await.ok();
    assert_eq!(status(&done), ("completed", "Review done."));
    let task = up.a2a("contract-review", &["task", "get", &id, "-o", "json"]).await.ok().json();
    assert_eq!(task["artifacts"][0]["name"], "findings");
    let text = task["artifacts"][0]["parts"][0]["text"].as_str().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[0], "HD-2026-014");
    for (line, begin, end) in [
        (1, "- Art. 7.2: ", "(HIGH)"),
        (2, "- Art. 11.1: ", "(OK)"),
        (3, "- Art. 14.3: ", "(MEDIUM)"),
    ] {
        assert!(lines[line].starts_with(begin) && lines[line].ends_with(end), "{text}");
    }
    let context = task["contextId"].as_str().unwrap();
    let say = ["send", "--context-id", context, "only the HIGH ones", "-o", "json"];
    let high = up.a2a("contract-review", &say).await.ok().json();
    assert_ne!(high["id"], task["id"]);
    let text = high["artifacts"][0]["parts"][0]["text"].as_str().unwrap();
    assert!(text.contains("(HIGH)") && !text.contains("(MEDIUM)"), "{text}");
}

#[tokio::test]
async fn a_contract_is_reviewed_after_a_question() {
    review(false).await;
}

#[tokio::test]
async fn a_contract_is_reviewed_although_the_server_crashes_between_any_two_steps() {
    review(true).await;
}

#[tokio::test]
async fn a_review_streams_the_task_then_working_then_the_findings_then_the_end() {
    let mut up = Up::new(false).await;
    let args = ["send", "--stream", "Review HD-2026-014", "-o", "json"];
    let streamed = up.a2a("contract-review", &args).await.ok();
    let lines = streamed.lines();
    let kinds: Vec<String> = lines
        .iter()
        .map(|line| {
            let (kind, value) = line.as_object().unwrap().iter().next().unwrap();
            let state = value["status"]["state"].as_str().unwrap_or_default();
            let name = value["artifact"]["name"].as_str().unwrap_or_default();
            if kind == "task" { kind.clone() } else { format!("{kind} {state}{name}") }
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "task",
            "statusUpdate TASK_STATE_WORKING",
            "artifactUpdate findings",
            "statusUpdate TASK_STATE_COMPLETED"
        ]
    );
}

#[tokio::test]
async fn the_hello_card_alone_on_its_port_looks_as_known() {
    let place = Place::new();
    let args = ["sample", "hello", "--port", "0", "--bindings", "jsonrpc"];
    let hello = place.serve(&args).await;
    let card = place.a2a(&["card", "get", hello.url()]).await.ok();
    let description = card.out.lines().find(|line| line.starts_with("Description:")).unwrap();
    let url = hello.url();
    assert_eq!(
        card.out,
        format!(
            "Name:         Hello Agent\n{description}\nVersion:      1.0.0\nInterfaces:\n  \
             JSONRPC      {url}/\nStreaming:    false\nSkills:\n  hello                Say hello\n"
        )
    );
}

#[tokio::test]
async fn an_echo_answers_with_one_unnamed_artifact() {
    let place = Place::new();
    let echo = place.serve(&["server", "--echo", "--port", "0"]).await;
    let answer = place.a2a(&["send", "-a", echo.url(), "hello A2A"]).await.ok();
    assert_eq!(
        answer.plain(),
        "Task:     <id>\nContext:  <id>\nStatus:   completed (<time>)\nArtifacts:\n  \
         [<id>] hello A2A\nHistory:\n  [user] hello A2A\n"
    );
    // The line is written by a thread of its own, so that no call waits for it.
    let line = async {
        while !echo.printed().contains("SendMessage → ok") {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    patiently("the line of the call", line).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_answers_under_the_name_it_was_given() {
    let place = Place::new();
    let args = ["server", "--exec", "tr a-z A-Z", "--name", "Loud Shop", "--port", "0"];
    let loud = place.serve(&args).await;
    let card = place.a2a(&["card", "get", loud.url()]).await.ok();
    assert!(card.out.starts_with("Name:         Loud Shop\n"), "{}", card.out);
    let answer = place.a2a(&["send", "-a", loud.url(), "hi", "-o", "json"]).await.ok().json();
    assert_eq!(answer["artifacts"][0]["parts"][0]["text"], "HI");
}
