//! The child process, with a shell in the place of a server.

use sabir_testkit::{DataDir, Program};

fn shell(script: &str) -> Program {
    Program::new("/bin/sh").args(["-c", script])
}

#[tokio::test]
async fn a_program_serves_when_it_says_where() {
    let running =
        shell("echo starting; echo 'Listening on 127.0.0.1:4242' >&2; sleep 60").start().await;
    assert_eq!(running.url(), "http://127.0.0.1:4242");
    assert_eq!(running.addr().port(), 4242);
    assert!(running.printed().contains("Listening"));
    running.kill().await;
}

#[tokio::test]
#[should_panic(expected = "no such agent")]
async fn a_program_that_ends_early_fails_the_test_with_what_it_printed() {
    shell("echo 'no such agent' >&2; exit 3").start().await;
}

#[tokio::test]
async fn a_kill_is_a_crash_and_the_data_stays() {
    let data = DataDir::new();
    let serve = "trap 'exit 9' TERM; echo x >> starts; echo http://127.0.0.1:1; while :; do sleep 0.01; done";
    let server = shell(serve).current_dir(data.path());
    let pid = {
        let running = server.start().await;
        let pid = running.pid().unwrap();
        running.kill().await;
        pid
    };
    assert!(!std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists());
    let status = server.start().await.stop().await;
    assert_eq!(status.code(), Some(9), "asked to end, it ended as it wanted");
    assert_eq!(std::fs::read_to_string(data.join("starts")).unwrap(), "x\nx\n");
}

#[tokio::test]
async fn output_and_exit_code_of_a_command_are_seen() {
    let output = shell("printf '%s' \"$GREETING\"; exit 4").env("GREETING", "hi").run().await;
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(4), &b"hi"[..]));
}
