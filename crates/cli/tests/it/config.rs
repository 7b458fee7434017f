//! The settings: precedence, suggestions, places, and no secrets.

use crate::place::{Place, run};
use serde_json::Value;

/// What `config show` says of one setting.
fn row<'a>(rows: &'a Value, name: &str) -> &'a Value {
    rows.as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

#[tokio::test]
async fn every_setting_is_shown_with_where_it_came_from() {
    let place = Place::new();
    place.dir.write(
        "sabir.toml",
        "listen = \"127.0.0.1:0\"\nidempotency = \"off\"\n[limits]\nbody_bytes = \"1 MiB\"\n\
         [[users]]\nname = \"alice\"\ntoken = \"s3cret\"\n",
    );
    let program = place
        .sabir()
        .args(["config", "show", "-o", "json", "--tenant", "t"])
        .env("SABIR_LIMITS__BODY_BYTES", "2 MiB")
        .env("A2ACLI_BEARER", "t0ken");
    let ran = run(program).await.ok();
    let rows = ran.json();
    let value = |name| (row(&rows, name)["value"].clone(), row(&rows, name)["source"].clone());
    assert_eq!(value("listen"), ("127.0.0.1:0".into(), "local-file".into()));
    assert_eq!(row(&rows, "listen")["path"], "sabir.toml");
    assert_eq!(row(&rows, "listen")["envVar"], "SABIR_LISTEN");
    assert_eq!(value("limits.body_bytes"), ("2 MiB".into(), "env".into()));
    assert_eq!(row(&rows, "limits.body_bytes")["envVar"], "SABIR_LIMITS__BODY_BYTES");
    assert_eq!(value("heartbeat"), ("15s".into(), "default".into()));
    assert_eq!(value("users"), ("alice (token <redacted>)".into(), "local-file".into()));
    assert_eq!(value("tenant"), ("t".into(), "flag".into()));
    assert_eq!(value("bearer"), ("<redacted>".into(), "env".into()));
    assert_eq!(value("agent-card"), ("(unset)".into(), "default".into()));
    assert!(!ran.out.contains("s3cret") && !ran.out.contains("t0ken"));
    let text = place.a2a(&["config", "show"]).await.ok();
    assert!(text.out.starts_with("SETTING  "), "{}", text.out);
    assert!(text.out.lines().any(|line| line.ends_with("local-file (sabir.toml)")), "{}", text.out);
}

#[tokio::test]
async fn a_wrong_setting_is_refused_with_its_place_and_what_would_be_right() {
    let place = Place::new();
    for (toml, message, hint) in [
        ("a = 1", "sabir.toml, line 1: there is no setting `a`", "config show"),
        ("\nlisen = \"x\"", "sabir.toml, line 2: there is no setting `lisen`", "`listen`"),
        (
            "[limits]\nqueue = 1\nbody_byte = 1",
            "sabir.toml, line 3: there is no setting `limits.body_byte`",
            "`limits.body_bytes`",
        ),
        ("[limits]\nqueue = \"many\"", "line 2: `limits.queue` must be", ""),
        ("heartbeat = \"soon\"", "line 1: `heartbeat` must be a time such as `30s`", ""),
        ("listen = \"nowhere\"", "`listen` must be an address such as `127.0.0.1:7420`", ""),
        (
            "idempotency = \"some\"",
            "`idempotency` must be one of `all`, `authenticated`, `off`",
            "",
        ),
        ("memory = \"yes\"", "line 1: `memory` must be", ""),
        ("public_url = \"agents\"", "`public_url` must be an http or https URL", ""),
        ("trusted_proxies = [\"lan\"]", "`trusted_proxies` must be a list of addresses", ""),
        ("bindings = [\"soap\"]", "`bindings` must be a list of `jsonrpc`, `rest` and `grpc`", ""),
        ("[tls]\ncert = \"c.pem\"", "`tls.cert` and `tls.key` belong together", ""),
        ("[tls]\ncert = \"c.pem\"\nkey = \"k.pem\"", "c.pem cannot be read", ""),
        ("listen = ", "sabir.toml, line 1: ", ""),
        ("[[users]]\nname = \"a\"", "users: a: give exactly one of token", ""),
        ("[[users]]\nname = \"a\"\ntoken_env = \"NOT_SET\"", "no variable NOT_SET", ""),
        ("[[users]]\nname = \"a\"\ntokn = \"x\"", "no setting `users.0.tokn`", "users.token"),
    ] {
        place.dir.write("sabir.toml", toml);
        let ran = place.a2a(&["sample", "hello", "--port", "0"]).await;
        assert_eq!(ran.code, 2, "{toml}: {ran:?}");
        assert!(ran.err.contains(message), "{toml}: {}", ran.err);
        assert!(ran.err.contains(hint), "{toml}: {}", ran.err);
    }
}

#[tokio::test]
async fn a_secret_of_the_wrong_type_is_not_repeated() {
    let place = Place::new();
    place.dir.write("sabir.toml", "[[users]]\nname = \"a\"\ntoken = 424242\n");
    let ran = place.a2a(&["sample", "hello", "--port", "0"]).await;
    assert_eq!(ran.code, 2);
    assert!(!ran.err.contains("424242"), "{}", ran.err);
}

#[tokio::test]
async fn what_cargo_run_sets_is_no_setting() {
    let place = Place::new();
    let names = include_str!("../../build.rs").split("rustc-env=").skip(1);
    let names: Vec<_> = names.filter_map(|rest| rest.split('=').next()).collect();
    assert!(!names.is_empty());
    for name in names {
        let ran = run(place.sabir().args(["config", "show"]).env(name, "as it was built")).await;
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
}

#[tokio::test]
async fn a_wrong_environment_variable_is_named() {
    let place = Place::new();
    for (name, value, message) in [
        ("SABIR_LISEN", "x", "SABIR_LISEN: there is no setting `lisen`"),
        ("SABIR_LIMITS__QUEUE", "many", "SABIR_LIMITS__QUEUE: `limits.queue` must be"),
    ] {
        let ran = run(place.sabir().args(["config", "show"]).env(name, value)).await;
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
    let ran = run(place.sabir().args(["config", "show"]).env("A2ACLI_OUTPUT", "xml")).await;
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("A2ACLI_OUTPUT must be one of"), "{}", ran.err);
}

#[tokio::test]
async fn flags_win_over_the_environment_over_the_file() {
    let place = Place::new();
    place.dir.write("sabir.toml", "input_modes = \"card\"\ndata = \"kept\"\n");
    let server = place
        .sabir()
        .args(["server", "--echo", "--port", "0", "--memory", "--quiet"])
        .env("SABIR_INPUT_MODES", "any")
        .start()
        .await;
    let args = ["send", "-a", server.url(), "--text", "x", "--media-type", "video/mp4"];
    place.a2a(&args).await.ok();
    assert!(!place.dir.join("kept").exists());
}

#[tokio::test]
async fn a_named_file_stands_in_place_of_the_one_in_the_working_directory() {
    let place = Place::new();
    place.dir.write("sabir.toml", "nonsense = 1");
    let other = place.dir.write("other.toml", "heartbeat = \"7s\"");
    let args = ["config", "show", "-o", "json", "--config", other.to_str().unwrap()];
    let rows = place.a2a(&args).await.ok().json();
    assert_eq!(row(&rows, "heartbeat")["value"], "7s");
    let ran = place.a2a(&["config", "show", "--config", "gone.toml"]).await;
    assert_eq!(ran.code, 2);
    let ran = place.a2a(&["up", "--memory", "--config", "other.json"]).await;
    assert_eq!(ran.code, 2);
}

#[tokio::test]
async fn the_settings_of_a_call_come_from_the_nearest_env_file() {
    let place = Place::new();
    let hello = place.serve(&["sample", "hello", "--port", "0"]).await;
    place.dir.write(".env", format!("A2ACLI_AGENT_CARD={}\nOTHER=1\n", hello.url()));
    let ran = place.a2a(&["send", "hi"]).await.ok();
    assert!(ran.out.contains("Hello! You said: hi"), "{}", ran.out);
}

#[tokio::test]
async fn the_shop_takes_its_configuration_from_json() {
    let place = Place::new();
    let file = place.dir.write("shop.json", r#"{"name": "Sofa Shop", "reserve": {"sofa": 10}}"#);
    let file = file.to_str().unwrap();
    let shop = place.serve(&["sample", "lamp-shop", "--port", "0", "--config", file]).await;
    let ran = place.a2a(&["send", "-a", shop.url(), "a sofa"]).await.ok();
    assert!(ran.out.contains("sofa: asking 13."), "{}", ran.out);
    place.dir.write("shop.json", r#"{"nam": "x"}"#);
    let ran = place.a2a(&["sample", "lamp-shop", "--port", "0", "--config", file]).await;
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `name`?"), "{}", ran.err);
}
