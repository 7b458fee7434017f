//! Credentials go where they are meant to go, and show up nowhere else.

use crate::fixture::{
    QUICK, Server, builder, card, interface, json_answer, redirect, result, task,
};
use sabir_client::{Client, Failure, Transport, WireEvent};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// A server that serves its own card, with these security schemes, and a task.
async fn agent(schemes: Value) -> Server {
    let holder: Arc<Mutex<String>> = Arc::default();
    let url = holder.clone();
    let server = Server::start(move |seen, _| {
        if !seen.target.contains("agent-card") {
            return result(&task("t", "WORKING"));
        }
        let url = url.lock().expect("no panic").clone();
        let mut card = card(&[interface(&url, Transport::JsonRpc)]);
        card["securitySchemes"] = schemes.clone();
        json_answer(&card)
    })
    .await;
    *holder.lock().expect("no panic") = server.url("/rpc");
    server
}

fn key_scheme(location: &str, name: &str) -> Value {
    json!({"k": {"apiKeySecurityScheme": {"location": location, "name": name}}})
}

#[tokio::test]
async fn an_api_key_goes_where_the_card_says_and_not_to_the_card() {
    for (location, name, header, target) in [
        ("header", "X-Lamp-Key", Some("x-lamp-key"), "/rpc"),
        ("cookie", "lamp", Some("cookie"), "/rpc"),
        ("query", "lamp", None, "/rpc?lamp=k3y"),
    ] {
        let server = agent(key_scheme(location, name)).await;
        let client = Client::builder().card(server.url("")).api_key("k3y").connect().await;
        client.expect("connected").get("t").await.expect("got");
        let seen = server.seen();
        assert!(!format!("{:?}", seen[0]).contains("k3y"));
        assert_eq!(seen[1].target, target);
        if let Some(header) = header {
            assert!(seen[1].header(header).expect("sent").ends_with("k3y"));
        }
    }
}

#[tokio::test]
async fn an_api_key_that_no_scheme_asks_for_is_not_sent() {
    let server = agent(json!({})).await;
    let outcome = Client::builder().card(server.url("")).api_key("k3y").connect().await;
    assert!(matches!(outcome, Err(Failure::Setup(_))), "{outcome:?}");
}

#[tokio::test]
async fn bearer_and_raw_authorization_are_sent_with_each_call() {
    let server = agent(json!({})).await;
    let connect = |builder: sabir_client::ClientBuilder| builder.card(server.url("")).connect();
    connect(Client::builder().bearer("t0k")).await.expect("set up").get("t").await.expect("got");
    let raw = Client::builder().authorization("Basic dTpw");
    connect(raw).await.expect("set up").get("t").await.expect("got");
    let sent: Vec<_> =
        server.seen().iter().map(|seen| seen.header("authorization").map(str::to_owned)).collect();
    assert_eq!(sent, [None, Some("Bearer t0k".into()), None, Some("Basic dTpw".into())]);
}

#[tokio::test]
async fn a_redirect_to_another_host_carries_nothing_there() {
    let other = Server::script(vec![result(&task("t", "WORKING"))]).await;
    let server = Server::script(vec![redirect(307, &other.url("/rpc"))]).await;
    let client = builder(&server, Transport::JsonRpc).bearer("t0k").connect().await;
    let error = client.expect("set up").get("t").await.expect_err("not followed");
    assert!(matches!(Failure::of(&error), Some(Failure::Redirect { .. })), "{error:?}");
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn a_redirect_at_home_keeps_method_body_and_credentials() {
    let server = Server::script(vec![redirect(308, "/there"), result(&task("t", "WORKING"))]).await;
    let client = builder(&server, Transport::JsonRpc).bearer("t0k").connect().await;
    client.expect("set up").get("t").await.expect("followed");
    let seen = server.seen();
    assert_eq!(server.targets(), ["POST /", "POST /there"]);
    assert_eq!(seen[0].body, seen[1].body);
    assert_eq!(seen[1].header("authorization"), Some("Bearer t0k"));
}

#[tokio::test]
async fn neither_the_wire_log_nor_an_error_shows_a_secret() {
    let schemes = key_scheme("query", "lamp");
    let server = agent(schemes).await;
    let log: Arc<Mutex<Vec<WireEvent>>> = Arc::default();
    let sink = log.clone();
    let client = Client::builder()
        .card(server.url(""))
        .bearer("t0ken")
        .api_key("k3yk3y")
        .parameter("X-Session-Token", "s3ssion")
        .wire_log(move |event| sink.lock().expect("no panic").push(event))
        .retry(QUICK)
        .connect()
        .await
        .expect("connected");
    let config = sabir_types::TaskPushNotificationConfig {
        task_id: Some("t".into()),
        url: "https://me:h00k@hook.example/".into(),
        token: Some("n0tify".into()),
        authentication: Some(sabir_types::AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: Some("cr3d".into()),
        }),
        ..Default::default()
    };
    let call = sabir_engine::Call::default();
    sabir_engine::Agent::create_task_push_notification_config(&client, &call, config)
        .await
        .expect("created");
    let sent = &server.seen()[1];
    assert!(sent.target.contains("k3yk3y") && format!("{sent:?}").contains("cr3d"));
    let shown = format!("{:?} {client:?}", log.lock().expect("no panic"));
    for secret in ["t0ken", "k3yk3y", "s3ssion", "h00k", "n0tify", "cr3d"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    for shows in ["POST", "CreateTaskPushNotificationConfig", "status: 200", "lamp="] {
        assert!(shown.contains(shows), "{shows} not in {shown}");
    }
    drop(server);
}
