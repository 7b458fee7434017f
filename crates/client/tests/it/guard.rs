//! The guard over real sockets: what a name resolves to decides, and that is connected to.

use crate::fixture::{Server, status};
use async_trait::async_trait;
use sabir_client::{Guard, GuardConfig, Lookup, Webhooks};
use sabir_engine::{Delivery, DeliveryError, Parcel};
use sabir_types::{TaskPushNotificationConfig, Version};
use std::io;
use std::net::IpAddr;
use std::sync::Mutex;

/// Answers by the first list, then by the second, and so on; the last one stays.
struct Names(Mutex<Vec<Vec<IpAddr>>>);

impl Names {
    fn new(answers: &[&[&str]]) -> Self {
        let parse = |list: &&[&str]| list.iter().map(|a| a.parse().expect("address")).collect();
        Self(Mutex::new(answers.iter().map(parse).collect()))
    }
}

#[async_trait]
impl Lookup for Names {
    async fn lookup(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        let mut answers = self.0.lock().expect("no panic");
        if answers.len() > 1 { Ok(answers.remove(0)) } else { Ok(answers[0].clone()) }
    }
}

fn webhooks(names: Names, allow_loopback: bool) -> Webhooks {
    let config = GuardConfig { allow_loopback, ..GuardConfig::default() };
    Webhooks::new(Guard::with_lookup(config, names).expect("TLS"))
}

async fn deliver(webhooks: &Webhooks, url: String) -> Result<(), DeliveryError> {
    let config = TaskPushNotificationConfig { url, ..Default::default() };
    let parcel = Parcel {
        body: "{}".into(),
        version: Version::V1_0,
        seq: 1,
        delivery_id: "d".into(),
        attempts: 0,
    };
    webhooks.deliver(&config, parcel).await
}

#[tokio::test]
async fn a_name_that_resolves_inside_is_refused_and_nothing_is_sent() {
    let server = Server::start(|_, _| status(200, "")).await;
    let port = server.addr.port();
    for addresses in [
        &["127.0.0.1"][..],
        &["::ffff:127.0.0.1"],
        &["10.0.0.1"],
        &["169.254.169.254"],
        &["8.8.8.8", "127.0.0.1"],
    ] {
        let webhooks = webhooks(Names::new(&[addresses]), false);
        let outcome = deliver(&webhooks, format!("http://inside.example:{port}/")).await;
        let Err(DeliveryError::Refused { reason }) = outcome else { panic!("{outcome:?}") };
        assert!(reason.contains("inside.example"), "{reason}");
    }
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_name_that_changes_its_mind_between_two_calls_is_refused_at_the_second() {
    let server =
        Server::start(|_, _| crate::fixture::with_header(status(200, ""), "connection", "close"))
            .await;
    let url = format!("http://rebind.example:{}/", server.addr.port());
    let webhooks = webhooks(Names::new(&[&["127.0.0.1"], &["10.0.0.1"]]), true);
    deliver(&webhooks, url.clone()).await.expect("loopback is allowed here");
    let outcome = deliver(&webhooks, url).await;
    assert!(matches!(outcome, Err(DeliveryError::Refused { .. })), "{outcome:?}");
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn the_address_that_was_checked_is_the_one_connected_to() {
    let server = Server::start(|_, _| status(200, "")).await;
    let webhooks = webhooks(Names::new(&[&["127.0.0.1"]]), true);
    let host = format!("no.such.host.invalid:{}", server.addr.port());
    deliver(&webhooks, format!("http://{host}/hook")).await.expect("the lookup decides");
    assert_eq!(server.only().header("host"), Some(&*host));
}

#[tokio::test]
async fn a_name_without_addresses_is_unreachable() {
    let webhooks = webhooks(Names::new(&[&[]]), false);
    let outcome = deliver(&webhooks, "http://nowhere.example/".into()).await;
    assert!(matches!(outcome, Err(DeliveryError::Unreachable { .. })), "{outcome:?}");
}
