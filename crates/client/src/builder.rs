//! Sets a client up: where, how and as whom.

use crate::Failure;
use crate::card::FoundCard;
use crate::client::Client;
use crate::credential::{ApiKeyPlace, Credentials, Secret};
use crate::http::Http;
use crate::link::{Link, Tenant};
use crate::redact::is_secret_name;
use crate::reference::{CardReference, is_loopback};
use crate::resolver::Resolver;
use crate::retry::RetryPolicy;
use crate::select::{Selected, Wanted, select};
use crate::transport::grpc::target;
use crate::transport::{Transport, Wire};
use crate::wire_log::{WireEvent, WireLog};
use http::header::{HeaderMap, HeaderName, HeaderValue};
use sabir_compat::FileBytes;
use sabir_types::Version;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// How long a call may take that does not wait for work, unless the caller says otherwise.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);
/// The largest answer that is read.
const MAX_ANSWER: usize = 64 << 20;
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// After how much silence a connection is asked whether it is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// The header of an API key where no card says which.
const API_KEY: &str = "X-API-Key";

/// Sets a [`Client`] up.
///
/// ```no_run
/// use sabir_client::{Client, Transport};
///
/// # async fn example() -> Result<(), sabir_client::Failure> {
/// let shop = Client::builder()
///     .card("https://lamps.example.com")
///     .transport(Transport::HttpJson)
///     .bearer("s3cret")
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ClientBuilder {
    place: Place,
    resolver: Option<Resolver>,
    transports: Vec<Transport>,
    version: Option<Version>,
    file_bytes: FileBytes,
    authorization: Option<Secret>,
    api_key: Option<(Option<ApiKeyPlace>, Secret)>,
    parameters: Vec<(String, String)>,
    tenant: Option<String>,
    extensions: Vec<String>,
    timeout: Option<Duration>,
    insecure: bool,
    log: Option<WireLog>,
    retry: RetryPolicy,
    resubscribe: RetryPolicy,
    max_answer: usize,
}

/// Where the agent is.
#[derive(Clone)]
enum Place {
    Nowhere,
    Reference(String),
    Card(Arc<FoundCard>),
    Endpoint(String, Transport),
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            place: Place::Nowhere,
            resolver: None,
            transports: Vec::new(),
            version: None,
            file_bytes: FileBytes::default(),
            authorization: None,
            api_key: None,
            parameters: Vec::new(),
            tenant: None,
            extensions: Vec::new(),
            timeout: None,
            insecure: false,
            log: None,
            retry: RetryPolicy::default(),
            resubscribe: RetryPolicy { attempts: 5, ..RetryPolicy::default() },
            max_answer: MAX_ANSWER,
        }
    }
}

/// Where.
impl ClientBuilder {
    /// The agent whose card is found here; see [`CardReference`] for what may be given.
    #[must_use]
    pub fn card(mut self, reference: impl Into<String>) -> Self {
        self.place = Place::Reference(reference.into());
        self
    }

    /// The agent whose card was found before.
    #[must_use]
    pub fn found_card(mut self, card: Arc<FoundCard>) -> Self {
        self.place = Place::Card(card);
        self
    }

    /// The interface at this URL, without a card: capabilities are not checked, and requests keep
    /// the tenant they name.
    ///
    /// gRPC may also be named as `host:port`. Then it is called by TLS, unless the host is on this
    /// machine or in a private network. A card may say as much: another URL in it, at the same host
    /// and port, or its own.
    #[must_use]
    pub fn endpoint(mut self, url: impl Into<String>, transport: Transport) -> Self {
        self.place = Place::Endpoint(url.into(), transport);
        self
    }

    /// Finds the card by this resolver, which may know it already.
    #[must_use]
    pub fn resolver(mut self, resolver: Resolver) -> Self {
        self.resolver = Some(resolver);
        self
    }

    /// A transport that goes before the order of the card, after those named before. What the card
    /// does not offer is passed over.
    #[must_use]
    pub fn transport(mut self, transport: Transport) -> Self {
        self.transports.push(transport);
        self
    }

    /// The only protocol version to speak, 1.0 or 0.3. Unless it is set, an interface of 1.0 is
    /// called where there is one, and else one of 0.3.
    #[must_use]
    pub fn version(mut self, version: Version) -> Self {
        self.version = Some(version);
        self
    }

    /// How servers of 0.3 hold the bytes of files in HTTP+JSON and gRPC.
    #[must_use]
    pub fn v0_3_file_bytes(mut self, how: FileBytes) -> Self {
        self.file_bytes = how;
        self
    }

    /// The tenant of all requests, in place of the one that the interface declares.
    #[must_use]
    pub fn tenant(mut self, tenant: impl Into<String>) -> Self {
        self.tenant = Some(tenant.into());
        self
    }
}

/// As whom. Credentials go to the interface's own origin, and to no card and no other host.
impl ClientBuilder {
    /// Sends `Authorization: Bearer …`.
    #[must_use]
    pub fn bearer(self, token: impl AsRef<str>) -> Self {
        self.authorization(format!("Bearer {}", token.as_ref()))
    }

    /// Sends this as the value of `Authorization`.
    #[must_use]
    pub fn authorization(mut self, value: impl Into<String>) -> Self {
        self.authorization = Some(Secret(value.into()));
        self
    }

    /// Sends an API key where the card wants it; without a card, in the header `X-API-Key`.
    #[must_use]
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some((None, Secret(key.into())));
        self
    }

    /// Sends an API key at this place.
    #[must_use]
    pub fn api_key_at(mut self, place: ApiKeyPlace, key: impl Into<String>) -> Self {
        self.api_key = Some((Some(place), Secret(key.into())));
        self
    }
}

/// How.
impl ClientBuilder {
    /// A service parameter that is sent with each call: a header. Not for credentials.
    #[must_use]
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// An extension that the client supports, by its URI.
    #[must_use]
    pub fn extension(mut self, uri: impl Into<String>) -> Self {
        self.extensions.push(uri.into());
        self
    }

    /// How long each call and each stream may take in all. Unless set, calls that wait for work
    /// and streams take as long as they need, and others 30 seconds.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Accepts any certificate, and calls gRPC without TLS where the URL leaves that open: whoever
    /// is on the way can read and change everything.
    #[must_use]
    pub fn insecure(mut self, insecure: bool) -> Self {
        self.insecure = insecure;
        self
    }

    /// Tells what goes over the wire, redacted. It is called while the call runs: it must be quick.
    #[must_use]
    pub fn wire_log(mut self, log: impl Fn(WireEvent) + Send + Sync + 'static) -> Self {
        self.log = Some(WireLog(Arc::new(log)));
        self
    }

    /// How calls are repeated that may be; messages never are.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.retry = policy;
        self
    }

    /// How broken streams are resumed: `attempts` without news in between. `None` switches it off,
    /// and a broken stream ends with the failure.
    #[must_use]
    pub fn resubscribe(mut self, policy: impl Into<Option<RetryPolicy>>) -> Self {
        self.resubscribe =
            policy.into().unwrap_or(RetryPolicy { attempts: 0, ..RetryPolicy::NEVER });
        self
    }

    /// The largest answer that is read, in bytes; 64 MiB unless set. Streams have no limit but that
    /// of one event.
    #[must_use]
    pub fn max_answer(mut self, bytes: usize) -> Self {
        self.max_answer = bytes;
        self
    }

    /// Finds the card, whether or not it has an interface in common.
    ///
    /// # Errors
    /// When there is no card.
    pub async fn find_card(self) -> Result<Arc<FoundCard>, Failure> {
        let client = self.http_client()?;
        self.card_of(&client)
            .await?
            .ok_or_else(|| Failure::Setup("an endpoint has no card".to_owned()))
    }

    /// Finds the card and chooses the interface. Nothing is sent to the interface yet.
    ///
    /// # Errors
    /// When there is no card, no interface in common, or what was set cannot work.
    pub async fn connect(self) -> Result<Client, Failure> {
        let client = self.http_client()?;
        let (card, selected) = self.find(&client).await?;
        let credentials = self.credentials(card.as_deref())?;
        let links = selected.into_iter().map(|selected| {
            if !credentials.is_empty()
                && selected.url.scheme() != "https"
                && !is_loopback(&selected.url)
            {
                tracing::warn!(url = %selected.url, "credentials are sent without encryption");
            }
            let client = match selected.transport {
                Transport::Grpc => self.grpc_client(&selected.url)?,
                _ => client.clone(),
            };
            let http = Http::new(client, self.log.clone(), self.max_answer);
            self.link(http.with_credentials(credentials.clone()), selected, card.clone())
        });
        Ok(Client::new(links.collect::<Result<_, _>>()?))
    }

    fn link(
        &self,
        http: Http,
        selected: Selected,
        card: Option<Arc<FoundCard>>,
    ) -> Result<Link, Failure> {
        let tenant = match (&self.tenant, &card) {
            (Some(tenant), _) => {
                Tenant::Exactly(Some(tenant.clone()).filter(|tenant| !tenant.is_empty()))
            }
            (None, Some(_)) => Tenant::Exactly(selected.tenant.clone()),
            (None, None) => Tenant::AsRequested,
        };
        let Selected { transport, version, ref url, .. } = selected;
        Ok(Link {
            http,
            wire: Wire::new(transport, url.clone(), version, self.file_bytes),
            selected,
            card,
            tenant,
            parameters: parameters(&self.parameters)?,
            extensions: self.extensions.clone(),
            timeout: self.timeout,
            retry: self.retry,
            resubscribe: self.resubscribe,
        })
    }

    fn http_client(&self) -> Result<reqwest::Client, Failure> {
        let insecure = self.insecure;
        if insecure {
            tracing::warn!("certificates are not verified: anybody on the way can listen in");
        }
        let is_local = self.is_local();
        crate::http::build(|| {
            let builder = http_client().tls_danger_accept_invalid_certs(insecure);
            if is_local { builder.no_proxy() } else { builder }
        })
    }

    /// A client that begins with HTTP/2, as gRPC does. Without TLS that is nothing for the proxies
    /// that the environment names.
    fn grpc_client(&self, url: &Url) -> Result<reqwest::Client, Failure> {
        let in_clear = url.scheme() == "http";
        crate::http::build(|| {
            let builder = http_client()
                .http2_prior_knowledge()
                .tls_danger_accept_invalid_certs(self.insecure);
            // Certificates take time to load, and nobody shows one.
            if in_clear { builder.no_proxy().tls_certs_only([]) } else { builder }
        })
    }

    /// The URL of an endpoint that was given.
    fn endpoint_url(&self, text: &str, transport: Transport) -> Result<Url, Failure> {
        match transport {
            Transport::Grpc => target(text, &[], self.insecure).ok_or_else(|| {
                Failure::Setup(format!("`{text}` is not where gRPC is: write host:port or a URL"))
            }),
            _ => endpoint(text),
        }
    }

    /// Whether the agent is on this machine, where no proxy that the environment names can help.
    fn is_local(&self) -> bool {
        match &self.place {
            Place::Nowhere => false,
            Place::Reference(reference) => {
                matches!(reference.parse(), Ok(CardReference::Url(url)) if is_loopback(&url))
            }
            Place::Card(card) => select(card, &self.wanted())
                .is_ok_and(|selected| selected.iter().all(|one| is_loopback(&one.url))),
            Place::Endpoint(url, transport) => {
                self.endpoint_url(url, *transport).is_ok_and(|url| is_loopback(&url))
            }
        }
    }

    async fn find(
        &self,
        client: &reqwest::Client,
    ) -> Result<(Option<Arc<FoundCard>>, Vec<Selected>), Failure> {
        if let Place::Endpoint(url, transport) = &self.place {
            let url = self.endpoint_url(url, *transport)?;
            let version = self.version.unwrap_or(Version::V1_0);
            let only = Selected { transport: *transport, version, url, tenant: None };
            return Ok((None, vec![only]));
        }
        let card = self.card_of(client).await?;
        let card = card.ok_or_else(|| Failure::Setup("no card and no endpoint is given".into()))?;
        let mut selected = select(&card, &self.wanted())?;
        if selected[0].url.scheme() == "https" {
            // Whoever cuts the connection must not be able to make us speak without TLS.
            selected.retain(|one| one.url.scheme() == "https");
        }
        Ok((Some(card), selected))
    }

    fn wanted(&self) -> Wanted {
        Wanted {
            transports: self.transports.clone(),
            version: self.version,
            plaintext: self.insecure,
        }
    }

    /// The card; `None` for an endpoint.
    async fn card_of(&self, client: &reqwest::Client) -> Result<Option<Arc<FoundCard>>, Failure> {
        match &self.place {
            Place::Nowhere => Err(Failure::Setup("neither a card nor an endpoint is given".into())),
            Place::Endpoint(..) => Ok(None),
            Place::Card(card) => Ok(Some(card.clone())),
            Place::Reference(reference) => {
                let reference: CardReference = reference.parse()?;
                let timeout = self.timeout.unwrap_or(TIMEOUT);
                let resolver = self.resolver.clone().unwrap_or_else(|| {
                    Resolver::with_client(client.clone(), self.log.clone(), timeout, self.retry)
                });
                let failure = match resolver.resolve(&reference).await {
                    Ok(card) => return Ok(Some(card)),
                    Err(failure) => failure,
                };
                match reference.below().filter(|_| failure.is_no_card()) {
                    Some(below) => Ok(Some(resolver.resolve(&below).await.map_err(|_| failure)?)),
                    None => Err(failure),
                }
            }
        }
    }

    fn credentials(&self, card: Option<&FoundCard>) -> Result<Credentials, Failure> {
        let mut credentials = Credentials::default();
        if let Some(value) = &self.authorization {
            credentials.authorize(value)?;
        }
        if let Some((place, key)) = &self.api_key {
            let place = match (place, card) {
                (Some(place), _) => place.clone(),
                (None, None) => ApiKeyPlace::Header(API_KEY.to_owned()),
                (None, Some(card)) => ApiKeyPlace::of(card).ok_or_else(|| {
                    Failure::Setup("the agent's card declares no API key scheme".to_owned())
                })?,
            };
            credentials.add_key(place, key)?;
        }
        Ok(credentials)
    }
}

/// What a user set may hold secrets anywhere, a URL's userinfo among them.
impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").finish_non_exhaustive()
    }
}

/// What all clients have in common. Redirects are followed by our own, stricter rules.
pub(crate) fn http_client() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        // A stream may be silent for long: the connection itself must tell that it is dead.
        .tcp_keepalive(KEEPALIVE)
        .http2_keep_alive_interval(KEEPALIVE)
        .user_agent(concat!("sabir/", env!("CARGO_PKG_VERSION")))
}

fn endpoint(text: &str) -> Result<Url, Failure> {
    let url = Url::parse(text)
        .map_err(|error| Failure::Setup(format!("`{text}` is not a URL: {error}")))?;
    if matches!(url.scheme(), "http" | "https") {
        return Ok(url);
    }
    Err(Failure::Setup(format!("an endpoint is an http or https URL, not {}", url.scheme())))
}

fn parameters(pairs: &[(String, String)]) -> Result<HeaderMap, Failure> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let bad = || Failure::Setup(format!("the service parameter `{name}` cannot be a header"));
        let mut value = HeaderValue::try_from(value.trim()).map_err(|_| bad())?;
        value.set_sensitive(is_secret_name(name));
        headers.append(HeaderName::try_from(name.trim()).map_err(|_| bad())?, value);
    }
    Ok(headers)
}
