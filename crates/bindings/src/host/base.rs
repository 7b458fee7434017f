//! The URL that an agent is reached at.

use super::forwarded::{self, Forwarded};
use crate::config::ServerConfig;
use crate::tls::OverTls;
use http::Uri;
use http::request::Parts;
use http::uri::Authority;
use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

/// An absolute HTTP URL without query, and without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(String);

/// Why a text is no base URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not an absolute http or https URL without query and fragment")]
pub struct BaseUrlError {
    text: String,
}

impl BaseUrl {
    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BaseUrl {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, BaseUrlError> {
        let error = || BaseUrlError { text: text.to_owned() };
        let uri: Uri = text.parse().map_err(|_| error())?;
        let web = matches!(uri.scheme_str(), Some("http" | "https"));
        let named = uri.authority().is_some_and(|a| !a.as_str().contains('@'));
        if !web || !named || uri.query().is_some() || text.contains('#') {
            return Err(error());
        }
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an agent's URLs begin with, for whoever sent this request: the setting, else what a
/// trusted proxy says, else the name the request is addressed to. No slash at its end.
pub(crate) fn base_url(
    parts: &Parts,
    config: &ServerConfig,
    peer: Option<SocketAddr>,
    mount: &str,
) -> Option<String> {
    if let Some(public) = &config.public_url {
        return Some(format!("{public}{mount}"));
    }
    let trusted = peer.is_some_and(|peer| {
        let address = peer.ip().to_canonical();
        config.trusted_proxies.iter().any(|net| net.contains(&address))
    });
    let forwarded = if trusted { forwarded::read(&parts.headers) } else { Forwarded::default() };
    let over_tls = parts.extensions.get::<OverTls>().map(|_| "https");
    let scheme = forwarded.proto.or(over_tls).or(parts.uri.scheme_str()).unwrap_or("http");
    let authority = match forwarded.host {
        Some(host) => host,
        None => super::authority(parts)?,
    };
    let prefix = forwarded.prefix.unwrap_or_default();
    Some(format!("{scheme}://{authority}{prefix}{mount}"))
}

/// The `host:port` of gRPC below a base URL, from which `mount` is taken off again; `None` where
/// a path would be left, which clients of gRPC do not have.
pub(crate) fn grpc_target(base: &str, mount: &str) -> Option<String> {
    let (scheme, authority) = base.strip_suffix(mount)?.split_once("://")?;
    let authority: Authority = authority.parse().ok()?;
    let port = match (authority.port_u16(), scheme) {
        (Some(port), _) => port,
        (None, "https") => 443,
        (None, _) => 80,
    };
    Some(format!("{}:{port}", authority.host()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grpc_is_named_by_host_and_port_where_no_path_is_left() {
        for (base, mount, target) in [
            ("http://127.0.0.1:7420", "", Some("127.0.0.1:7420")),
            ("http://[::1]:7420/agents/x", "/agents/x", Some("[::1]:7420")),
            ("https://a.test", "", Some("a.test:443")),
            ("http://a.test", "", Some("a.test:80")),
            ("https://a.test/prefix", "", None),
            ("https://a.test/prefix/x", "/x", None),
        ] {
            assert_eq!(grpc_target(base, mount).as_deref(), target, "{base}");
        }
    }

    #[test]
    fn a_base_url_loses_its_last_slash() {
        assert_eq!("https://a.test/x/".parse::<BaseUrl>().unwrap().as_str(), "https://a.test/x");
        assert_eq!("http://a.test:80".parse::<BaseUrl>().unwrap().as_str(), "http://a.test:80");
    }

    #[test]
    fn what_cannot_be_a_prefix_of_urls_is_refused() {
        for bad in [
            "",
            "/x",
            "a.test",
            "ftp://a.test",
            "http://u@a.test",
            "http://a.test/?q",
            "http://a.test/#f",
        ] {
            assert!(bad.parse::<BaseUrl>().is_err(), "{bad}");
        }
    }
}
