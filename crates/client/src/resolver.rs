//! Finds agent cards, and remembers them for as long as their servers allow.

mod freshness;

use crate::builder::{TIMEOUT, http_client};
use crate::card::FoundCard;
use crate::http::{Http, HttpAnswer, HttpRequest, Redirects};
use crate::reference::{CardReference, is_loopback, older};
use crate::retry::{RetryPolicy, with_retry};
use crate::wire_log::WireLog;
use crate::{Failure, redact};
use freshness::Freshness;
use http::header::{
    ACCEPT, ETAG, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use http::{Method, StatusCode};
use parking_lot::Mutex;
use sabir_types::A2A_VERSION;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// The largest card that is read.
const MAX_CARD: usize = 1 << 20;
/// How many cards are remembered.
const MAX_CACHED: usize = 1024;

/// Finds agent cards. Cards fetched over HTTP are kept by `Cache-Control`, and asked for again by
/// `ETag` or `Last-Modified`. Clones share what they remember.
#[derive(Clone)]
pub struct Resolver {
    http: Http,
    /// For hosts on this machine, where no proxy that the environment names can help.
    local: Http,
    timeout: Duration,
    retry: RetryPolicy,
    cache: Arc<Mutex<BTreeMap<String, Cached>>>,
}

#[derive(Clone)]
struct Cached {
    card: Arc<FoundCard>,
    /// When it was fetched or confirmed.
    since: Instant,
    freshness: Freshness,
    etag: Option<HeaderValue>,
    last_modified: Option<HeaderValue>,
}

impl Cached {
    fn is_fresh(&self, now: Instant) -> bool {
        now.duration_since(self.since) < self.freshness.lifetime
    }
}

impl Resolver {
    /// A resolver of its own, with a timeout of 30 seconds.
    ///
    /// # Errors
    /// When the TLS library cannot be set up.
    pub fn new() -> Result<Self, Failure> {
        let client = crate::http::build(http_client)?;
        let local = crate::http::build(|| http_client().no_proxy())?;
        let mut resolver = Self::with_client(client, None, TIMEOUT, RetryPolicy::default());
        resolver.local = Http::new(local, None, MAX_CARD);
        Ok(resolver)
    }

    pub(crate) fn with_client(
        client: reqwest::Client,
        log: Option<WireLog>,
        timeout: Duration,
        retry: RetryPolicy,
    ) -> Self {
        // No credentials: whoever serves a card has not yet said which it takes.
        let http = Http::new(client, log, MAX_CARD);
        Self { local: http.clone(), http, timeout, retry, cache: Arc::default() }
    }

    /// Finds a card.
    ///
    /// # Errors
    /// When there is none, or it cannot be read, or it is not valid.
    pub async fn resolve(&self, reference: &CardReference) -> Result<Arc<FoundCard>, Failure> {
        match reference {
            CardReference::File(path) => read_file(path).await.map(Arc::new),
            CardReference::Url(url) => match self.fetch(url).await {
                Err(failure) if failure.is_absent() => match older(url) {
                    Some(older) => self.fetch(&older).await.map_err(|_| failure),
                    None => Err(failure),
                },
                found => found,
            },
        }
    }

    async fn fetch(&self, url: &Url) -> Result<Arc<FoundCard>, Failure> {
        let known = self.cache.lock().get(url.as_str()).cloned();
        if let Some(known) = &known
            && known.is_fresh(Instant::now())
        {
            return Ok(known.card.clone());
        }
        let request = request(url, known.as_ref());
        let http = if is_loopback(url) { &self.local } else { &self.http };
        let answer =
            with_retry(&self.retry, Failure::is_transient, Failure::retry_after, || async {
                let answer = http.call(&request, Redirects::Anywhere, Some(self.timeout)).await?;
                let failure = answer.failure(http);
                if failure.is_transient() { Err(failure) } else { Ok(answer) }
            })
            .await?;
        self.take(url, known, answer)
    }

    fn take(
        &self,
        url: &Url,
        known: Option<Cached>,
        answer: HttpAnswer,
    ) -> Result<Arc<FoundCard>, Failure> {
        let card = match (answer.status, known) {
            (StatusCode::NOT_MODIFIED, Some(known)) => known.card,
            (StatusCode::OK, _) => {
                Arc::new(FoundCard::read(answer.body, CardReference::Url(url.clone()))?)
            }
            (StatusCode::NOT_FOUND | StatusCode::GONE, _) => {
                let reference = redact::url(url, &[]);
                let reason = redact::excerpt(&answer.body);
                return Err(Failure::CardNotFound { reference, reason });
            }
            _ => return Err(answer.failure(&self.http)),
        };
        let cached = Cached {
            card: card.clone(),
            since: Instant::now(),
            freshness: Freshness::of(&answer.headers),
            etag: answer.headers.get(ETAG).cloned(),
            last_modified: answer.headers.get(LAST_MODIFIED).cloned(),
        };
        self.remember(url, cached);
        Ok(card)
    }

    fn remember(&self, url: &Url, cached: Cached) {
        let mut cache = self.cache.lock();
        if !cached.freshness.may_keep {
            cache.remove(url.as_str());
            return;
        }
        if cache.len() >= MAX_CACHED && !cache.contains_key(url.as_str()) {
            let oldest =
                cache.iter().min_by_key(|(_, card)| card.since).map(|(url, _)| url.clone());
            oldest.and_then(|oldest| cache.remove(&oldest));
        }
        cache.insert(url.as_str().to_owned(), cached);
    }
}

impl fmt::Debug for Resolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolver").field("cached", &self.cache.lock().len()).finish_non_exhaustive()
    }
}

fn request(url: &Url, known: Option<&Cached>) -> HttpRequest {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    headers.insert(A2A_VERSION, HeaderValue::from_static("1.0"));
    if let Some(known) = known {
        if let Some(etag) = &known.etag {
            headers.insert(IF_NONE_MATCH, etag.clone());
        } else if let Some(date) = &known.last_modified {
            headers.insert(IF_MODIFIED_SINCE, date.clone());
        }
    }
    HttpRequest { method: Method::GET, url: url.clone(), headers, body: None, shown: None }
}

async fn read_file(path: &Path) -> Result<FoundCard, Failure> {
    let json = tokio::fs::read(path).await.map_err(|error| Failure::File {
        path: path.display().to_string(),
        reason: error.to_string(),
    })?;
    FoundCard::read(json.into(), CardReference::File(path.to_owned()))
}
