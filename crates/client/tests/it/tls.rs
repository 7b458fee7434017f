//! TLS: a certificate nobody vouches for is refused, unless told otherwise. Ours, on every binding.

use crate::end_to_end::Served;
use crate::fixture::task;
use futures_util::StreamExt;
use rcgen::generate_simple_self_signed;
use sabir_bindings::Tls;
use sabir_client::{Client, Failure, RetryPolicy, Transport};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Serves a task over TLS with a certificate of its own making.
async fn serve() -> SocketAddr {
    let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
    let made = generate_simple_self_signed(names).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("a configuration");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("bound");
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut socket) = acceptor.accept(socket).await else { continue };
            let mut bytes = [0; 4096];
            let _ = socket.read(&mut bytes).await;
            let body = task("t", "WORKING").to_string();
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = socket.write_all((head + &body).as_bytes()).await;
            let _ = socket.shutdown().await;
        }
    });
    addr
}

#[tokio::test]
async fn an_unknown_certificate_is_a_failure_of_its_own_kind_and_may_be_accepted() {
    let url = format!("https://{}", serve().await);
    let build = |insecure| {
        Client::builder().endpoint(&*url, Transport::HttpJson).insecure(insecure).connect()
    };
    let error = build(false).await.expect("set up").get("t").await.expect_err("unknown");
    assert!(matches!(Failure::of(&error), Some(Failure::Tls { .. })), "{error:?}");
    build(true).await.expect("set up").get("t").await.expect("accepted");
}

#[tokio::test]
async fn https_to_a_server_without_tls_is_told_apart_as_well() {
    let server = crate::fixture::Server::start(|_, _| crate::fixture::status(200, "")).await;
    let url = server.url("").replace("http:", "https:");
    let client = Client::builder().endpoint(url, Transport::HttpJson).connect().await;
    let error = client.expect("set up").get("t").await.expect_err("no TLS there");
    assert!(matches!(Failure::of(&error), Some(Failure::Tls { .. })), "{error:?}");
}

#[tokio::test]
async fn our_server_speaks_tls_on_every_binding() {
    let made = generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]);
    let made = made.expect("a certificate");
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let tls = Tls::from_pem(cert.as_bytes(), key.as_bytes()).expect("they fit");
    let config = sabir_bindings::ServerConfig { tls: Some(tls), ..Default::default() };
    let served = Served::with(config).await;
    let url = format!("https://{}", served.handle.local_addr());
    for transport in Transport::ALL {
        let build = |insecure| {
            let card = Client::builder().card(&*url).transport(transport);
            card.retry(RetryPolicy::NEVER).insecure(insecure).connect()
        };
        let client = build(true).await.expect("connected");
        assert_eq!((client.transport(), client.url().scheme()), (transport, "https"));
        let mut stream = client.stream("ask").await.expect("opened");
        assert!(stream.next().await.expect("an item").is_ok());
        assert!(matches!(build(false).await, Err(Failure::Tls { .. })));
    }
}

#[test]
fn what_is_no_certificate_is_refused_with_a_reason() {
    let made = |name: &str| generate_simple_self_signed([name.to_owned()]).expect("made");
    let (one, other) = (made("a.example"), made("b.example"));
    let (cert, key) = (one.cert.pem(), one.signing_key.serialize_pem());
    let wrong = other.signing_key.serialize_pem();
    for (cert, key, expected) in [
        ("", &*key, "no certificate in PEM"),
        (&*cert, "", "no private key in PEM"),
        (&*cert, &*wrong, "cannot be served"),
    ] {
        let error = Tls::from_pem(cert.as_bytes(), key.as_bytes()).expect_err("refused");
        assert!(error.to_string().contains(expected), "{error}");
    }
    let missing = Tls::read("/no/such/cert.pem", "/no/such/key.pem").expect_err("refused");
    assert!(missing.to_string().starts_with("/no/such/cert.pem cannot be read"), "{missing}");
}
