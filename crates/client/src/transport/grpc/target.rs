//! Where gRPC is called: cards and people write that in many ways.

use std::net::IpAddr;
use url::{Host, Url};

/// The URL of a gRPC target: `host:port` as the specification has it, an http or https URL,
/// `grpc://` and `grpcs://`, or gRPC's own `dns:///host:port`, `ipv4:…` and `ipv6:…`.
///
/// A name alone does not say whether the server speaks TLS. What another URL at the same host and
/// port says decides; else `plaintext`; else TLS is assumed, but for what is not on the internet:
/// addresses of this machine and of private networks, and names without a dot.
pub(crate) fn target(text: &str, siblings: &[&Url], plaintext: bool) -> Option<Url> {
    for (prefix, scheme) in
        [("http://", "http"), ("https://", "https"), ("grpc://", "http"), ("grpcs://", "https")]
    {
        if let Some(rest) = text.strip_prefix(prefix) {
            return parse(scheme, rest);
        }
    }
    let text = ["dns:///", "dns:", "ipv4:", "ipv6:"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text);
    if text.contains(['/', '?', '#', '@']) {
        return None;
    }
    let (clear, secret) = (parse("http", text)?, parse("https", text)?);
    let is_at = |url: &Url| {
        let same = |mine: &Url| {
            mine.host() == url.host() && mine.port_or_known_default() == url.port_or_known_default()
        };
        if url.scheme() == "https" { same(&secret) } else { same(&clear) }
    };
    let sibling = siblings.iter().find(|url| is_at(url));
    let in_clear = match sibling {
        Some(url) => url.scheme() == "http",
        None => plaintext || !is_public(&clear),
    };
    Some(if in_clear { clear } else { secret })
}

fn parse(scheme: &str, rest: &str) -> Option<Url> {
    let url = Url::parse(&format!("{scheme}://{rest}")).ok()?;
    url.has_host().then_some(url)
}

fn is_public(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => {
            !(address.is_loopback() || address.is_private() || address.is_link_local())
        }
        Some(Host::Ipv6(address)) => match IpAddr::from(address).to_canonical() {
            IpAddr::V4(address) => !(address.is_loopback() || address.is_private()),
            IpAddr::V6(address) => {
                !(address.is_loopback()
                    || address.is_unique_local()
                    || address.is_unicast_link_local())
            }
        },
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name.contains('.') && !name.ends_with(".localhost")
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::target;
    use url::Url;

    fn read(text: &str, plaintext: bool) -> Option<String> {
        target(text, &[], plaintext).map(String::from)
    }

    #[test]
    fn every_spelling_of_a_target_is_read() {
        for (text, url) in [
            ("127.0.0.1:50051", "http://127.0.0.1:50051/"),
            ("[::1]:50051", "http://[::1]:50051/"),
            ("localhost:50051", "http://localhost:50051/"),
            ("10.1.2.3:50051", "http://10.1.2.3:50051/"),
            ("agents:50051", "http://agents:50051/"),
            ("agents.example.com:50051", "https://agents.example.com:50051/"),
            ("agents.example.com:443", "https://agents.example.com/"),
            ("agents.example.com", "https://agents.example.com/"),
            ("8.8.8.8:50051", "https://8.8.8.8:50051/"),
            ("http://agents.example.com:50051", "http://agents.example.com:50051/"),
            ("https://agents.example.com/x", "https://agents.example.com/x"),
            ("grpc://agents.example.com:50051", "http://agents.example.com:50051/"),
            ("grpcs://agents.example.com", "https://agents.example.com/"),
            ("dns:///agents.example.com:50051", "https://agents.example.com:50051/"),
            ("dns:agents.example.com:50051", "https://agents.example.com:50051/"),
            ("ipv4:127.0.0.1:50051", "http://127.0.0.1:50051/"),
            ("ipv6:[::1]:50051", "http://[::1]:50051/"),
        ] {
            assert_eq!(read(text, false).as_deref(), Some(url), "{text}");
        }
        for bad in ["", ":50051", "a b", "unix:/tmp/x", "ftp://a.example", "user@a.example:1"] {
            assert_eq!(read(bad, false), None, "{bad}");
        }
    }

    #[test]
    fn whether_a_name_speaks_tls_may_be_known_otherwise() {
        let at = "agents.example.com:8080";
        assert_eq!(read(at, true).as_deref(), Some("http://agents.example.com:8080/"));
        let same = Url::parse("http://agents.example.com:8080/rpc").unwrap();
        let url = target(at, &[&same], false).unwrap();
        assert_eq!(url.as_str(), "http://agents.example.com:8080/");
        let other = Url::parse("http://agents.example.com:8081/rpc").unwrap();
        assert_eq!(target(at, &[&other], false).unwrap().scheme(), "https");
        let secret = Url::parse("https://agents/rpc").unwrap();
        assert_eq!(target("agents:443", &[&secret], false).unwrap().scheme(), "https");
    }
}
