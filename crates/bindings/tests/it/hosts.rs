//! Which names a server on loopback answers to.

use crate::wire::{Fixture, Reply, envelope, message};
use sabir_bindings::ServerConfig;

async fn all(fixture: &Fixture, headers: &[(&str, &str)]) -> [Reply; 3] {
    let ours = [("A2A-Version", "1.0"), ("Content-Type", "application/json")];
    let headers: Vec<_> = ours.into_iter().chain(headers.iter().copied()).collect();
    let rpc = envelope("SendMessage", &message("x"));
    [
        fixture.ask("POST", "/", &headers, rpc.as_bytes()).await,
        fixture.ask("POST", "/message:send", &headers, message("x").as_bytes()).await,
        fixture.ask("GET", "/.well-known/agent-card.json", &headers, b"").await,
    ]
}

#[tokio::test]
async fn on_loopback_only_loopback_names_are_served() {
    let fixture = Fixture::new().await;
    let with_port = |host: &str| format!("{host}:{}", fixture.addr().port());
    for host in ["localhost", "127.0.0.1", "[::1]", "127.9.9.9", "LocalHost"] {
        for host in [host.to_owned(), with_port(host)] {
            for reply in all(&fixture, &[("Host", &host)]).await {
                assert_eq!(reply.status(), 200, "{host}");
            }
        }
    }
    let served = fixture.stub.count();
    for host in
        ["evil.test", "localhost.evil.test", "localhost@evil.test", "192.168.0.1", "[::2]", ""]
    {
        let [rpc, rest, card] = all(&fixture, &[("Host", host)]).await;
        assert_eq!([rpc.status(), rest.status(), card.status()], [403; 3], "{host}");
        assert_eq!(rpc.reason(), "FORBIDDEN");
        assert_eq!(rest.reason(), "FORBIDDEN");
    }
    for origin in ["https://evil.test", "null", "http://localhost.evil.test", "file://"] {
        for reply in all(&fixture, &[("Origin", origin)]).await {
            assert_eq!(reply.status(), 403, "{origin}");
            assert!(reply.message().contains("Origin"), "{}", reply.message());
        }
    }
    assert_eq!(fixture.stub.count(), served);
    for origin in ["http://localhost:3000", "http://127.0.0.1", "https://[::1]:8443"] {
        for reply in all(&fixture, &[("Origin", origin)]).await {
            assert_eq!(reply.status(), 200, "{origin}");
        }
    }
}

#[tokio::test]
async fn two_host_headers_are_refused() {
    let fixture = Fixture::new().await;
    for reply in all(&fixture, &[("Host", "localhost"), ("Host", "evil.test")]).await {
        assert_eq!(reply.status(), 403);
    }
}

#[tokio::test]
async fn allowed_hosts_are_served_besides() {
    let allowed_hosts = vec!["agents.example".to_owned(), "other.example:8080".to_owned()];
    let fixture = Fixture::with(ServerConfig { allowed_hosts, ..ServerConfig::default() }).await;
    for host in ["agents.example", "Agents.Example:7420", "other.example:8080", "localhost"] {
        for reply in all(&fixture, &[("Host", host), ("Origin", &format!("https://{host}"))]).await
        {
            assert_eq!(reply.status(), 200, "{host}");
        }
    }
    for host in ["other.example", "example", "x.agents.example"] {
        assert_eq!(all(&fixture, &[("Host", host)]).await[0].status(), 403, "{host}");
    }
}

#[tokio::test]
async fn elsewhere_names_are_checked_only_when_some_are_allowed() {
    let open = ServerConfig { loopback_only: Some(false), ..ServerConfig::default() };
    let fixture = Fixture::with(open.clone()).await;
    for reply in all(&fixture, &[("Host", "any.test"), ("Origin", "https://page.test")]).await {
        assert_eq!(reply.status(), 200);
    }
    let allowed_hosts = vec!["agents.example".to_owned()];
    let fixture = Fixture::with(ServerConfig { allowed_hosts, ..open }).await;
    assert_eq!(all(&fixture, &[("Host", "agents.example")]).await[0].status(), 200);
    assert_eq!(all(&fixture, &[("Host", "any.test")]).await[0].status(), 403);
    assert_eq!(all(&fixture, &[("Host", "localhost")]).await[0].status(), 403);
}
