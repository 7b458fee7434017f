//! Reads the body of a request, up to a limit.

use crate::config::ServerConfig;
use crate::media;
use crate::reply::Refusal;
use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};
use http_body::Body;
use sabir_types::{Error, wire};
use std::pin::Pin;

/// A body that is announced larger gets its memory as it comes.
const TRUSTED: usize = 1 << 20;

/// The whole body.
///
/// What is announced as too large is refused before a byte of it is read, what turns out to be
/// when it does; neither is read to its end.
pub(crate) async fn read<B>(
    headers: &HeaderMap,
    mut body: B,
    config: &ServerConfig,
) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
{
    if let Some(coding) = media::coding(headers) {
        return Err(compressed(&coding));
    }
    let limit = config.body_bytes;
    let announced = announced(headers);
    if announced.is_some_and(|size| size > limit) {
        return Err(too_large(limit));
    }
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    while let Some(data) = next(&mut body, config).await? {
        if first.len() + rest.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        if first.is_empty() && rest.is_empty() {
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
async fn next<B>(body: &mut B, config: &ServerConfig) -> Result<Option<Bytes>, Refusal>
where
    B: Body<Data = Bytes> + Unpin,
{
    loop {
        if body.is_end_stream() {
            return Ok(None);
        }
        let frame = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx));
        match tokio::time::timeout(config.body_timeout, frame).await {
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
            Ok(None) => return Ok(None),
            Ok(Some(Err(_))) => {
                return Err(Refusal::from(Error::invalid_request("the body was cut off")).close());
            }
            Err(_) => {
                let seconds = config.body_timeout.as_secs();
                let error = format!("no byte of the body came for {seconds} s");
                return Err(Refusal::from(Error::invalid_request(error))
                    .status(StatusCode::REQUEST_TIMEOUT)
                    .close());
            }
        }
    }
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
