//! Under which names a server is addressed: what is refused, and what its URLs begin with.

mod base;
mod forwarded;

pub use base::{BaseUrl, BaseUrlError};
pub(crate) use base::{base_url, grpc_target};

use crate::config::ServerConfig;
use http::header::{HOST, HeaderMap, ORIGIN};
use http::request::Parts;
use http::uri::Authority;
use sabir_types::Error;
use std::net::Ipv4Addr;

/// Refuses a `Host` or an `Origin` that is not this server's (DNS rebinding, foreign web pages).
pub(crate) fn check(parts: &Parts, config: &ServerConfig, loopback: bool) -> Result<(), Error> {
    if !loopback && config.allowed_hosts.is_empty() {
        return Ok(());
    }
    check_host(parts, config, loopback)?;
    match parts.headers.get(ORIGIN) {
        None => Ok(()),
        Some(origin) => {
            let origin = String::from_utf8_lossy(origin.as_bytes());
            match origin_authority(&origin) {
                Some(authority) if is_allowed_authority(&authority, config, loopback) => Ok(()),
                _ => Err(foreign("Origin", &origin, loopback)),
            }
        }
    }
}

fn check_host(parts: &Parts, config: &ServerConfig, loopback: bool) -> Result<(), Error> {
    if parts.uri.authority().is_none()
        && let Some(text) = single(&parts.headers)
        && is_plain(text)
        && is_allowed(text.split(':').next().unwrap_or_default(), text, config, loopback)
    {
        return Ok(());
    }
    match authority(parts) {
        None => Err(Error::forbidden("the request has no valid Host header")),
        Some(authority) if is_allowed_authority(&authority, config, loopback) => Ok(()),
        Some(authority) => Err(foreign("Host", authority.as_str(), loopback)),
    }
}

/// Whether a text is no more than a name or an IPv4 address and perhaps a port: what nearly every
/// request says, and for which nothing is parsed.
fn is_plain(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "0"));
    let is_named = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'));
    is_named && port.bytes().all(|b| b.is_ascii_digit())
}

fn foreign(header: &str, value: &str, loopback: bool) -> Error {
    let why = if loopback { "this server listens on loopback" } else { "allowed_hosts is set" };
    Error::forbidden(format!(
        "{header} {value:?} is not allowed: {why}; add the name to allowed_hosts to allow it"
    ))
}

/// The name and port that the request is addressed to.
pub(crate) fn authority(parts: &Parts) -> Option<Authority> {
    match parts.uri.authority() {
        Some(authority) => plain(authority.clone()),
        None => parse_authority(single(&parts.headers)?),
    }
}

fn single(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(HOST).iter();
    match (all.next(), all.next()) {
        (Some(host), None) => host.to_str().ok(),
        _ => None,
    }
}

fn parse_authority(text: &str) -> Option<Authority> {
    plain(Authority::try_from(text).ok()?)
}

/// An authority without user and password.
fn plain(authority: Authority) -> Option<Authority> {
    (!authority.as_str().contains('@') && !authority.host().is_empty()).then_some(authority)
}

fn origin_authority(origin: &str) -> Option<Authority> {
    parse_authority(origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))?)
}

fn is_allowed_authority(authority: &Authority, config: &ServerConfig, loopback: bool) -> bool {
    is_allowed(authority.host(), authority.as_str(), config, loopback)
}

fn is_allowed(host: &str, authority: &str, config: &ServerConfig, loopback: bool) -> bool {
    if loopback && is_loopback(host) {
        return true;
    }
    let mut allowed = config.allowed_hosts.iter();
    allowed.any(|name| name.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(authority))
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host == "[::1]"
        || host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_loopback_are_loopback() {
        for good in ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "[::1]"] {
            assert!(is_loopback(good), "{good}");
        }
        for bad in ["localhost.evil.test", "127.0.0.1.evil.test", "127.1", "[::2]", "0.0.0.0", ""] {
            assert!(!is_loopback(bad), "{bad}");
        }
    }

    #[test]
    fn an_authority_with_a_user_is_none() {
        assert!(parse_authority("localhost@evil.test").is_none());
        assert!(parse_authority("").is_none());
        assert_eq!(parse_authority("[::1]:80").unwrap().host(), "[::1]");
    }
}
