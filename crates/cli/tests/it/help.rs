//! What the programs say about themselves.

use crate::place::{Place, run};

#[tokio::test]
async fn the_help_names_every_command() {
    let place = Place::new();
    let help = place.a2a(&["--help"]).await.ok();
    for command in [
        "up",
        "sample",
        "server",
        "card",
        "get",
        "send",
        "task",
        "list",
        "cancel",
        "subscribe",
        "config",
        "show",
        "version",
    ] {
        let named = |line: &str| line.split_whitespace().next() == Some(command);
        assert!(help.out.lines().any(named), "no {command} in\n{}", help.out);
    }
    assert!(!help.out.contains('\u{1b}'));
}

#[tokio::test]
async fn every_command_has_a_help_of_its_own() {
    let place = Place::new();
    for command in [
        "up",
        "sample",
        "server",
        "card get",
        "send",
        "task get",
        "task list",
        "task cancel",
        "task subscribe",
        "config show",
        "version",
    ] {
        let mut args: Vec<&str> = command.split(' ').collect();
        args.push("--help");
        let help = place.a2a(&args).await.ok();
        assert!(help.out.contains(&format!("Usage: a2a {command}")), "{}", help.out);
    }
}

#[tokio::test]
async fn the_puppet_is_explained_where_it_is_started() {
    let help = Place::new().a2a(&["server", "--help"]).await.ok();
    for word in ["echo X", "slow N", "ticks K", "stubborn N", "count"] {
        assert!(help.out.contains(word), "{}", help.out);
    }
}

#[tokio::test]
async fn the_version_begins_with_the_name_of_the_program() {
    let place = Place::new();
    let version = env!("CARGO_PKG_VERSION");
    let a2a = place.a2a(&["version"]).await.ok();
    assert_eq!(a2a.out.lines().next(), Some(&*format!("a2a {version}")));
    let json = place.a2a(&["version", "-o", "json"]).await.ok().json();
    assert_eq!(json["version"], version);
    for key in ["commit", "date", "runtime", "platform"] {
        assert!(json[key].is_string(), "{json}");
    }
    let sabir = run(place.sabir().arg("--version")).await.ok();
    assert_eq!(sabir.out, format!("sabir {version}\n"));
}
