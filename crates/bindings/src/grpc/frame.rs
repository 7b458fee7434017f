//! A message on the wire: a flag, its length in four bytes, and itself.

use super::status::Status;
use crate::dispatch::Reply;
use bytes::Bytes;
use http_body::Frame;
use sabir_compat::Dialect;
use sabir_types::Error;

/// What stands before a message.
pub(super) const PREFIX: usize = 5;

/// The one message of a request. What is compressed is refused, since we never said that we could.
pub(super) fn only_message(mut body: Bytes) -> Result<Bytes, Error> {
    let Some((prefix, _)) = body.split_first_chunk::<PREFIX>() else {
        return Err(Error::invalid_request("the call carries no message"));
    };
    let [flag, length @ ..] = *prefix;
    if flag != 0 {
        return Err(Error::unsupported_operation(
            "the message is compressed; send it as it is (grpc-accept-encoding: identity)",
        ));
    }
    let length = u32::from_be_bytes(length) as usize;
    let message = body.split_off(PREFIX);
    match message.len() {
        found if found == length => Ok(message),
        found if found < length => Err(Error::invalid_request("the message was cut off")),
        _ => Err(Error::invalid_request("the call carries more than one message")),
    }
}

/// What stands before a message of this many bytes.
pub(super) fn prefix(length: usize) -> Result<[u8; PREFIX], Error> {
    let length = u32::try_from(length)
        .map_err(|_| Error::internal("the answer is larger than gRPC can carry: 4 GiB"))?;
    let [a, b, c, d] = length.to_be_bytes();
    Ok([0, a, b, c, d])
}

/// The answer of one message.
#[derive(Debug)]
pub(crate) struct Unary {
    message: Bytes,
    status: Option<Status>,
}

impl Unary {
    /// The message of a reply that is no stream.
    pub(super) fn new(reply: Reply, dialect: Dialect) -> Result<Self, Error> {
        let mut message = vec![0; PREFIX];
        reply.write_protobuf(dialect, &mut message)?;
        let prefix = prefix(message.len() - PREFIX)?;
        message[..PREFIX].copy_from_slice(&prefix);
        Ok(Self { message: message.into(), status: Some(Status::ok()) })
    }

    /// The message, then its status.
    pub(crate) fn next_frame(&mut self) -> Option<Frame<Bytes>> {
        if self.message.is_empty() {
            let status = self.status.take()?;
            return Some(Frame::trailers(status.into_headers()));
        }
        Some(Frame::data(std::mem::take(&mut self.message)))
    }

    /// Whether nothing more will come.
    pub(crate) fn is_done(&self) -> bool {
        self.status.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::{only_message, prefix};
    use bytes::Bytes;
    use sabir_types::ErrorKind;

    #[test]
    fn a_request_is_exactly_one_message() {
        let framed = [&prefix(2).unwrap()[..], b"ab"].concat();
        assert_eq!(framed, b"\0\0\0\0\x02ab");
        assert_eq!(only_message(framed.into()).unwrap(), &b"ab"[..]);
        for (bad, kind) in [
            (&b""[..], ErrorKind::InvalidRequest),
            (b"\0\0\0\0", ErrorKind::InvalidRequest),
            (b"\0\0\0\0\x02a", ErrorKind::InvalidRequest),
            (b"\0\0\0\0\x01a\0\0\0\0\0", ErrorKind::InvalidRequest),
            (b"\x01\0\0\0\x01a", ErrorKind::UnsupportedOperation),
        ] {
            assert_eq!(only_message(Bytes::from_static(bad)).unwrap_err().kind(), kind, "{bad:?}");
        }
    }
}
