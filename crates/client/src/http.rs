//! The one HTTP layer under every transport: sends, follows safe redirects, bounds, logs.

mod headers;

pub(crate) use headers::{retry_after, text};

use crate::credential::Credentials;
use crate::failure::{Failure, classify};
use crate::redact;
use crate::transport::grpc;
use crate::wire_log::{WireEvent, WireLog};
use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderMap, LOCATION};
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use reqwest::Body;
use std::time::Duration;
use url::Url;

/// The most redirects that are followed.
const MAX_HOPS: usize = 5;

/// A request as the transports make it.
#[derive(Clone, Debug)]
pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    /// The body as it is logged, where it is no text.
    pub(crate) shown: Option<Vec<u8>>,
}

/// An answer that was read in full.
#[derive(Clone, Debug)]
pub(crate) struct HttpAnswer {
    pub(crate) url: Url,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// What came after the body.
    pub(crate) trailers: HeaderMap,
}

/// What a request for a stream was answered with.
pub(crate) enum Opened {
    /// The stream, from its first byte.
    Stream(StreamBody),
    /// Something else: an error.
    Answer(HttpAnswer),
}

/// Where redirects may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redirects {
    /// To the same origin: what is sent is meant for it alone.
    SameOrigin,
    /// Anywhere, but not from https to http: a card is public.
    Anywhere,
}

/// Sends requests.
#[derive(Clone, Debug)]
pub(crate) struct Http {
    client: reqwest::Client,
    log: Option<WireLog>,
    credentials: Credentials,
    max_answer: usize,
}

/// Builds an HTTP client. Where the system has no certificate authorities, one that trusts nobody:
/// agents on plain http can be called all the same.
pub(crate) fn build(
    configure: impl Fn() -> reqwest::ClientBuilder,
) -> Result<reqwest::Client, Failure> {
    // Refused when the program has chosen a provider of its own, which then stands.
    drop(rustls::crypto::ring::default_provider().install_default());
    match configure().build() {
        Ok(client) => Ok(client),
        Err(error) => {
            let client = configure().tls_certs_only([]).build();
            let setup = |_| Failure::Setup(format!("TLS cannot be set up: {error:?}"));
            let client = client.map_err(setup)?;
            tracing::warn!(%error, "no certificate authority is known: https will not work");
            Ok(client)
        }
    }
}

impl Http {
    pub(crate) fn new(client: reqwest::Client, log: Option<WireLog>, max_answer: usize) -> Self {
        Self { client, log, credentials: Credentials::default(), max_answer }
    }

    /// The same, with credentials on each request.
    pub(crate) fn with_credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// Sends a request and reads the answer.
    pub(crate) async fn call(
        &self,
        request: &HttpRequest,
        redirects: Redirects,
        timeout: Option<Duration>,
    ) -> Result<HttpAnswer, Failure> {
        let exchange = async {
            let (url, response) = self.send(request, redirects).await?;
            self.read(url, response).await
        };
        self.in_time(&request.url, timeout, exchange).await
    }

    /// Sends a request that a stream of events shall answer.
    pub(crate) async fn open(
        &self,
        request: &HttpRequest,
        timeout: Option<Duration>,
    ) -> Result<Opened, Failure> {
        let exchange = async {
            let (url, response) = self.send(request, Redirects::SameOrigin).await?;
            let headers = response.headers();
            let is_grpc = grpc::is_grpc(headers) && !grpc::has_status(headers);
            if !response.status().is_success() || !(is_event_stream(headers) || is_grpc) {
                return self.read(url, response).await.map(Opened::Answer);
            }
            let mut stream = StreamBody::new(self.clone(), url, response);
            // Whether a stream of gRPC was refused shows only in what comes first.
            if is_grpc && stream.peek().await?.is_none() {
                return Ok(Opened::Answer(stream.into_answer()));
            }
            Ok(Opened::Stream(stream))
        };
        self.in_time(&request.url, timeout, exchange).await
    }

    async fn in_time<T>(
        &self,
        url: &Url,
        timeout: Option<Duration>,
        exchange: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let outcome = match timeout {
            None => exchange.await,
            Some(after) => match tokio::time::timeout(after, exchange).await {
                Ok(outcome) => outcome,
                Err(_) => Err(Failure::Timeout { url: self.name(url), after }),
            },
        };
        if let Err(failure) = &outcome {
            self.log(|_| WireEvent::Failed { reason: failure.to_string() });
        }
        outcome
    }

    async fn send(
        &self,
        request: &HttpRequest,
        redirects: Redirects,
    ) -> Result<(Url, reqwest::Response), Failure> {
        let mut url = request.url.clone();
        for _ in 0..=MAX_HOPS {
            let response = self.send_once(request, &url).await?;
            if !response.status().is_redirection() || response.status() == StatusCode::NOT_MODIFIED
            {
                return Ok((url, response));
            }
            url = self.follow(request, &url, &response, redirects)?;
        }
        let location = self.name(&url);
        let reason = "there are too many redirects";
        Err(Failure::Redirect { url: self.name(&request.url), location, reason })
    }

    /// Sends one request. Credentials go to the origin the request was made for and no other.
    async fn send_once(
        &self,
        request: &HttpRequest,
        url: &Url,
    ) -> Result<reqwest::Response, Failure> {
        let (mut target, mut headers) = (url.clone(), request.headers.clone());
        if url.origin() == request.url.origin() {
            self.credentials.apply(&mut target, &mut headers);
        }
        self.log(|secrets| WireEvent::Request {
            method: request.method.to_string(),
            url: redact::url(&target, secrets),
            headers: headers::redacted(&headers, secrets),
            body: {
                let body = request.shown.as_deref().or(request.body.as_deref());
                body.map(|body| redact::body(body, secrets)).unwrap_or_default()
            },
        });
        let mut out = self.client.request(request.method.clone(), target).headers(headers);
        if let Some(body) = &request.body {
            out = out.body(body.clone());
        }
        let response = out.send().await.map_err(|error| classify(self.name(url), &error))?;
        self.log(|secrets| WireEvent::Answer {
            status: response.status().as_u16(),
            headers: headers::redacted(response.headers(), secrets),
        });
        Ok(response)
    }

    fn follow(
        &self,
        request: &HttpRequest,
        url: &Url,
        response: &reqwest::Response,
        redirects: Redirects,
    ) -> Result<Url, Failure> {
        let location = text(response.headers(), LOCATION.as_str()).unwrap_or_default();
        let fail = |location: String, reason| {
            Err(Failure::Redirect { url: self.name(url), location, reason })
        };
        let Ok(next) = url.join(location) else {
            return fail(redact::excerpt(location.as_bytes()), "that is not a URL");
        };
        let keeps_body = matches!(response.status().as_u16(), 307 | 308);
        let origin = &request.url;
        let reason = if location.is_empty() {
            "it says not where to"
        } else if request.method != Method::GET && !keeps_body {
            "the redirect would turn the call into a GET"
        } else if redirects == Redirects::SameOrigin && next.origin() != origin.origin() {
            "it is another origin"
        } else if url.scheme() == "https" && next.scheme() != "https" {
            "it leaves https"
        } else if !matches!(next.scheme(), "http" | "https") {
            "it leaves http"
        } else {
            return Ok(next);
        };
        fail(self.name(&next), reason)
    }

    async fn read(&self, url: Url, response: reqwest::Response) -> Result<HttpAnswer, Failure> {
        let (head, mut rest) = http::Response::from(response).into_parts();
        let http::response::Parts { status, headers, .. } = head;
        let (mut body, mut trailers) = (BytesMut::new(), HeaderMap::new());
        loop {
            match next(&mut rest, &mut trailers).await {
                Ok(Some(chunk)) if body.len() + chunk.len() > self.max_answer => {
                    let reason = format!("it is larger than {} bytes", self.max_answer);
                    let excerpt = self.excerpt(&body);
                    return Err(Failure::Answer { url: self.name(&url), reason, excerpt });
                }
                Ok(Some(chunk)) => body.extend_from_slice(&chunk),
                Ok(None) => break,
                Err(error) => return Err(classify(self.name(&url), &error)),
            }
        }
        if !grpc::is_grpc(&headers) {
            self.log_body(|| body.to_vec());
        }
        Ok(HttpAnswer { url, status, headers, body: body.freeze(), trailers })
    }

    /// Logs the body of an answer.
    pub(crate) fn log_body(&self, body: impl FnOnce() -> Vec<u8>) {
        self.log(|secrets| WireEvent::Body { body: redact::body(&body(), secrets) });
    }

    /// Whether anybody wants to know what goes over the wire.
    pub(crate) fn is_logged(&self) -> bool {
        self.log.is_some()
    }

    /// A URL as it may stand in messages.
    pub(crate) fn name(&self, url: &Url) -> String {
        redact::url(url, &self.credentials.secrets())
    }

    /// The beginning of an answer as it may stand in messages.
    fn excerpt(&self, body: &[u8]) -> String {
        redact::clean_excerpt(body, &self.credentials.secrets())
    }

    /// Tells what goes over the wire, if anybody wants to know; `event` gets what to leave out.
    fn log(&self, event: impl FnOnce(&[&str]) -> WireEvent) {
        if let Some(WireLog(log)) = &self.log {
            log(event(&self.credentials.secrets()));
        }
    }
}

/// The next bytes of a body; what comes after them is put aside.
async fn next(body: &mut Body, trailers: &mut HeaderMap) -> reqwest::Result<Option<Bytes>> {
    while let Some(frame) = body.frame().await {
        match frame?.into_data() {
            Ok(data) => return Ok(Some(data)),
            Err(frame) => trailers.extend(frame.into_trailers().unwrap_or_default()),
        }
    }
    Ok(None)
}

/// The body of a stream of events.
pub(crate) struct StreamBody {
    http: Http,
    url: Url,
    head: http::response::Parts,
    body: Body,
    trailers: HeaderMap,
    /// What was looked at and not taken yet.
    first: Option<Bytes>,
}

impl StreamBody {
    fn new(http: Http, url: Url, response: reqwest::Response) -> Self {
        let (head, body) = http::Response::from(response).into_parts();
        Self { http, url, head, body, trailers: HeaderMap::new(), first: None }
    }

    /// The headers of the answer.
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    /// What came after the body, once that has ended.
    pub(crate) fn trailers(&self) -> &HeaderMap {
        &self.trailers
    }

    /// The next bytes; `None` at the regular end.
    pub(crate) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        if let Some(first) = self.first.take() {
            return Ok(Some(first));
        }
        next(&mut self.body, &mut self.trailers).await.map_err(|error| {
            let failure = classify(self.name(), &error);
            self.http.log(|_| WireEvent::Failed { reason: failure.to_string() });
            failure
        })
    }

    /// The next bytes, which stay the next.
    async fn peek(&mut self) -> Result<Option<&Bytes>, Failure> {
        self.first = self.chunk().await?;
        Ok(self.first.as_ref())
    }

    /// The answer that this was instead, without a body.
    fn into_answer(self) -> HttpAnswer {
        let Self { url, head, trailers, .. } = self;
        HttpAnswer { url, status: head.status, headers: head.headers, body: Bytes::new(), trailers }
    }

    /// Logs an event.
    pub(crate) fn log_event(&self, id: Option<&str>, data: impl FnOnce() -> Bytes) {
        self.http.log(|secrets| WireEvent::Event {
            id: id.map(str::to_owned),
            data: redact::body(&data(), secrets),
        });
    }

    /// The URL as it may stand in messages.
    pub(crate) fn name(&self) -> String {
        self.http.name(&self.url)
    }
}

impl HttpAnswer {
    /// The failure that this answer is, where there is no A2A error in it.
    pub(crate) fn failure(&self, http: &Http) -> Failure {
        let (url, excerpt) = (http.name(&self.url), http.excerpt(&self.body));
        if self.status.is_success() {
            let reason = match text(&self.headers, CONTENT_TYPE.as_str()) {
                Some(media_type) => {
                    format!("its content type is {}", redact::excerpt(media_type.as_bytes()))
                }
                None => "it has no content type".to_owned(),
            };
            return Failure::Answer { url, reason, excerpt };
        }
        let retry_after = retry_after(&self.headers);
        Failure::Status { url, status: self.status.as_u16(), retry_after, excerpt }
    }

    /// The failure that the body cannot be read as what it should be.
    pub(crate) fn unreadable(&self, http: &Http, reason: impl Into<String>) -> Failure {
        let (url, excerpt) = (http.name(&self.url), http.excerpt(&self.body));
        Failure::Answer { url, reason: reason.into(), excerpt }
    }
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    text(headers, CONTENT_TYPE.as_str())
        .is_some_and(|value| media_type(value).eq_ignore_ascii_case("text/event-stream"))
}

/// A media type without its parameters.
fn media_type(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}
