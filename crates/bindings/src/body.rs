//! Reads the body of a request, up to a limit.

use crate::config::ServerConfig;
use crate::media;
use crate::reply::Refusal;
use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};
use http_body::{Body, Frame};
use sabir_types::{Error, wire};
use std::pin::Pin;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// A body that is announced larger gets its memory as it comes.
const TRUSTED: usize = 1 << 20;
/// What must come within each further stretch of `body_timeout`.
const STRETCH: usize = 1 << 20;
/// For how long a refused body is still taken off the wire.
const LINGER: Duration = Duration::from_secs(1);

/// The body of a request.
pub(crate) trait RequestBody: Body<Data = Bytes> + Unpin + Send + 'static {}

impl<B: Body<Data = Bytes> + Unpin + Send + 'static> RequestBody for B {}

/// A body that nobody has read yet.
///
/// When it is dropped so, or reading it fails, it is taken off the wire for a short while and
/// forgotten: most clients read an answer only after they have sent everything, and a connection
/// that is closed on unread bytes is reset, with the answer in it (RFC 9112 section 9.6).
pub(crate) struct Unread<B: RequestBody> {
    body: Option<B>,
    /// How much of it is taken.
    most: usize,
}

impl<B: RequestBody> Unread<B> {
    pub(crate) fn new(body: B, most: usize) -> Self {
        Self { body: Some(body), most }
    }

    /// The whole body.
    ///
    /// What is announced as too large is refused before a byte of it is read, what turns out to
    /// be when it does.
    pub(crate) async fn read(
        mut self,
        headers: &HeaderMap,
        config: &ServerConfig,
    ) -> Result<Bytes, Refusal> {
        let Some(body) = &mut self.body else { return Ok(Bytes::new()) };
        let read = collect(headers, body, config).await;
        if read.is_ok() {
            self.body = None;
        }
        read
    }
}

impl<B: RequestBody> Drop for Unread<B> {
    fn drop(&mut self) {
        let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) else { return };
        let most = self.most;
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(timeout(LINGER, discard(body, most)));
        }
    }
}

async fn discard(mut body: impl RequestBody, most: usize) {
    let mut taken = 0;
    while taken <= most
        && let Some(Ok(frame)) = frame(&mut body).await
    {
        taken += frame.data_ref().map_or(0, Bytes::len);
    }
}

async fn collect(
    headers: &HeaderMap,
    body: &mut impl RequestBody,
    config: &ServerConfig,
) -> Result<Bytes, Refusal> {
    if let Some(coding) = media::coding(headers) {
        return Err(compressed(&coding));
    }
    let limit = config.body_bytes;
    let announced = announced(headers);
    if announced.is_some_and(|size| size > limit) {
        return Err(too_large(limit));
    }
    let begun = Instant::now();
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    loop {
        let taken = first.len() + rest.len();
        let stretches = u32::try_from(1 + taken / STRETCH).unwrap_or(u32::MAX);
        let due = begun + config.body_timeout.saturating_mul(stretches);
        let Some(data) = next(body, due).await? else { break };
        if taken + data.len() > limit {
            return Err(too_large(limit));
        }
        if taken == 0 {
            // Most bodies come in one piece, which is then not copied.
            first = data;
            continue;
        }
        if rest.is_empty() {
            rest.reserve(announced.unwrap_or_default().clamp(2 * first.len(), TRUSTED));
            rest.extend_from_slice(&std::mem::take(&mut first));
        }
        rest.extend_from_slice(&data);
    }
    Ok(if rest.is_empty() { first } else { rest.freeze() })
}

/// The next piece; one that does not come in time ends the request.
async fn next(body: &mut impl RequestBody, due: Instant) -> Result<Option<Bytes>, Refusal> {
    while !body.is_end_stream() {
        match timeout_at(due, frame(body)).await {
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Ok(None) => break,
            Ok(Some(Err(_))) => {
                return Err(Refusal::from(Error::invalid_request("the body was cut off")).close());
            }
            Err(_) => {
                let error = Error::invalid_request("the body comes too slowly");
                return Err(Refusal::from(error).status(StatusCode::REQUEST_TIMEOUT).close());
            }
        }
    }
    Ok(None)
}

async fn frame<B: RequestBody>(body: &mut B) -> Option<Result<Frame<Bytes>, B::Error>> {
    std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
}

/// Refuses what is not UTF-8 or nests too deep, before anything is made of it.
pub(crate) fn check_json(bytes: &[u8], depth: usize) -> Result<(), Error> {
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(Error::parse_error(format!("the body is not UTF-8: {error}")));
    }
    wire::check_depth(bytes, depth)
}

/// The size that the head announces.
pub(crate) fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(limit: usize) -> Refusal {
    Refusal::from(Error::too_large(limit)).close()
}

fn compressed(coding: &str) -> Refusal {
    let error = Error::content_type_not_supported(coding)
        .with_message(format!("content coding not supported: {coding}; send the body as it is"));
    Refusal::from(error)
        .status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
        .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"))
        .close()
}
