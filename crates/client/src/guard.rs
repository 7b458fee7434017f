//! The outbound guard: calls to addresses that somebody else named, such as webhooks.
//!
//! A URL is checked twice. [`Guard::check`] applies the rules that need no network: scheme, no
//! userinfo, no host that is plainly local. Then each connection resolves the host through the
//! guard, which refuses unless every address of it is public, and connects to those very
//! addresses: a name that changes its mind between check and use gains nothing. Redirects are not
//! followed and proxies not used.

mod address;

use crate::failure::find_cause;
use address::refusal;
use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// How the guard is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardConfig {
    /// Whether loopback addresses may be called: for development and for conformance tests.
    pub allow_loopback: bool,
    /// How long one call may take in all.
    pub timeout: Duration,
    /// How many bytes of an answer are read at most.
    pub max_answer: usize,
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self { allow_loopback: false, timeout: Duration::from_secs(15), max_answer: 64 << 10 }
    }
}

/// Why the guard does not let a call out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// It is not a URL.
    #[error("not an absolute URL: {0}")]
    NotAUrl(url::ParseError),
    /// It is neither http nor https.
    #[error("the scheme must be http or https, not {0}")]
    Scheme(String),
    /// It carries a user name or a password.
    #[error("a user name or a password in the URL is not allowed")]
    Userinfo,
    /// The host is not one that may be called.
    #[error("the host {host} is {reason}, which may not be called")]
    Host {
        /// The host as the URL has it.
        host: String,
        /// What it is.
        reason: &'static str,
    },
}

/// Finds the addresses of a host; the system's resolver unless a test says otherwise.
#[async_trait]
pub trait Lookup: Send + Sync + 'static {
    /// Every address of the host.
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Asks the system's resolver.
#[derive(Clone, Copy, Debug)]
struct SystemLookup;

#[async_trait]
impl Lookup for SystemLookup {
    async fn lookup(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// Makes outbound calls that cannot reach inside.
///
/// ```
/// use sabir_client::{Guard, GuardConfig};
///
/// let guard = Guard::new(GuardConfig::default())?;
/// assert!(guard.check("https://hooks.example.com/a2a").is_ok());
/// assert!(guard.check("http://0x7f.1/admin").is_err());
/// # Ok::<(), sabir_client::Failure>(())
/// ```
#[derive(Clone)]
pub struct Guard {
    config: GuardConfig,
    http: reqwest::Client,
}

impl Guard {
    /// A guard that resolves by the system.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new(config: GuardConfig) -> Result<Self, crate::Failure> {
        Self::with_lookup(config, SystemLookup)
    }

    /// A guard that resolves by `lookup`.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn with_lookup(config: GuardConfig, lookup: impl Lookup) -> Result<Self, crate::Failure> {
        let allow_loopback = config.allow_loopback;
        let resolver = GuardedResolver { allow_loopback, lookup: Arc::new(lookup) };
        let timeout = config.timeout;
        let http = crate::http::build(move || {
            reqwest::Client::builder()
                .no_proxy()
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .timeout(timeout)
                .connect_timeout(timeout)
                .pool_idle_timeout(Duration::from_secs(30))
                .pool_max_idle_per_host(8)
                .dns_resolver(resolver.clone())
        })?;
        Ok(Self { config, http })
    }

    /// Applies the rules that need no network, and gives the URL as it will be called.
    ///
    /// # Errors
    /// The rule that is broken.
    pub fn check(&self, url: &str) -> Result<Url, GuardError> {
        let url = Url::parse(url).map_err(GuardError::NotAUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(GuardError::Scheme(url.scheme().to_owned()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(GuardError::Userinfo);
        }
        // The URL parser has made every spelling of an IPv4 address (0x7f.1, 2130706433, 017700…)
        // the one address it is.
        let reason = match url.host() {
            Some(Host::Ipv4(address)) => self.refusal(address.into()),
            Some(Host::Ipv6(address)) => self.refusal(address.into()),
            Some(Host::Domain(name)) => self.name_refusal(name),
            None => Some("missing"),
        };
        match reason {
            Some(reason) => {
                let host = url.host_str().unwrap_or_default().to_owned();
                Err(GuardError::Host { host, reason })
            }
            None => Ok(url),
        }
    }

    /// Begins a POST to a URL, checked again here.
    pub(crate) fn post(&self, url: &str) -> Result<reqwest::RequestBuilder, GuardError> {
        Ok(self.http.post(self.check(url)?))
    }

    /// Reads an answer off its connection, so that it can be used again, and drops it; gives up
    /// beyond the bound.
    pub(crate) async fn discard(&self, mut answer: reqwest::Response) {
        let mut read = 0;
        while let Ok(Some(chunk)) = answer.chunk().await {
            read += chunk.len();
            if read > self.config.max_answer {
                return;
            }
        }
    }

    fn refusal(&self, address: IpAddr) -> Option<&'static str> {
        refusal(address, self.config.allow_loopback)
    }

    fn name_refusal(&self, name: &str) -> Option<&'static str> {
        let name = name.trim_end_matches('.');
        // RFC 6761: these names are loopback whatever a resolver says.
        let local = name == "localhost" || name.ends_with(".localhost");
        (local && !self.config.allow_loopback).then_some("a loopback name")
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("config", &self.config).finish_non_exhaustive()
    }
}

/// The guard's refusal inside an error of a call, where that is what stopped it.
pub(crate) fn guard_error(error: &reqwest::Error) -> Option<&GuardError> {
    find_cause(error)
}

#[derive(Clone)]
struct GuardedResolver {
    allow_loopback: bool,
    lookup: Arc<dyn Lookup>,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let Self { allow_loopback, lookup } = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let addresses = lookup.lookup(host).await?;
            // One inside address among public ones is how rebinding looks: refuse them all.
            for &address in &addresses {
                if let Some(reason) = refusal(address, allow_loopback) {
                    return Err(GuardError::Host { host: host.to_owned(), reason }.into());
                }
            }
            let addresses: Addrs =
                Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Guard, GuardConfig, GuardError};

    fn guard(allow_loopback: bool) -> Guard {
        Guard::new(GuardConfig { allow_loopback, ..GuardConfig::default() }).expect("TLS is there")
    }

    #[test]
    fn public_urls_pass_as_the_parser_writes_them() {
        let guard = guard(false);
        for (url, expected) in [
            ("https://hooks.example.com/a?b=c", "https://hooks.example.com/a?b=c"),
            ("http://134744072/", "http://8.8.8.8/"),
            ("http://[2606:4700::1111]:8080/x", "http://[2606:4700::1111]:8080/x"),
            ("HTTPS://EXAMPLE.com.", "https://example.com./"),
        ] {
            assert_eq!(guard.check(url).map(String::from).as_deref(), Ok(expected), "{url}");
        }
    }

    #[test]
    fn every_spelling_of_an_inside_host_is_refused() {
        let guard = guard(false);
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://017700000001/",
            "http://１２７.0.0.1/",
            "http://127%2e0.0.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[0:0:0:0:0:0:0:1]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "http://localhost/",
            "http://LOCALHOST./",
            "http://localhost../",
            "http://app.localhost:80/",
            "http://169.254.169.254/latest/meta-data",
            "https://10.1.2.3/",
        ] {
            let outcome = guard.check(url);
            assert!(
                matches!(outcome, Err(GuardError::Host { .. } | GuardError::NotAUrl(_))),
                "{url}: {outcome:?}"
            );
        }
    }

    #[test]
    fn other_schemes_userinfo_and_relative_urls_are_refused() {
        let guard = guard(true);
        for url in ["ftp://example.com/", "file:///etc/passwd", "gopher://example.com/"] {
            assert!(matches!(guard.check(url), Err(GuardError::Scheme(_))), "{url}");
        }
        for url in ["http://user@example.com/", "http://:pass@example.com/"] {
            assert_eq!(guard.check(url), Err(GuardError::Userinfo), "{url}");
        }
        for url in ["", "/hook", "example.com/hook", "http://", "http://[::1"] {
            assert!(matches!(guard.check(url), Err(GuardError::NotAUrl(_))), "{url}");
        }
    }

    #[test]
    fn loopback_opens_by_its_switch_alone() {
        let guard = guard(true);
        for url in ["http://127.0.0.1:1/", "http://[::1]/", "http://localhost:7420/hook"] {
            assert!(guard.check(url).is_ok(), "{url}");
        }
        assert!(guard.check("http://10.0.0.1/").is_err());
    }
}
