//! Requests, written once; only the id of the message changes.

use std::net::SocketAddr;
use std::ops::Range;

/// What the echo is asked to say: as long as a short question.
pub(crate) const TEXT: &str =
    "Which of the two offers is the better one, and what would you change?";

/// How an id of a message looks: as many digits as all others.
const ID: &str = "0000000000000000";

/// The request that sends a message, again and again.
pub(crate) struct SendRequest {
    bytes: Vec<u8>,
    /// Where the id of the message stands.
    id: Range<usize>,
}

impl SendRequest {
    /// The request for that method, with that text.
    pub(crate) fn new(address: SocketAddr, method: &str, text: &str) -> Self {
        let params = format!(
            r#"{{"message":{{"messageId":"{ID}","role":"ROLE_USER","parts":[{{"text":"{text}"}}]}}}}"#
        );
        let bytes = request(address, method, &params);
        let at = memchr::memmem::find(&bytes, ID.as_bytes()).expect("the id was just written");
        Self { bytes, id: at..at + ID.len() }
    }

    /// The request with another id, the number's.
    pub(crate) fn with_id(&mut self, number: u64) -> &[u8] {
        for (place, byte) in self.bytes[self.id.clone()].iter_mut().rev().enumerate() {
            *byte = b"0123456789abcdef"[(number >> (4 * place) & 15) as usize];
        }
        &self.bytes
    }
}

/// The request of one call.
pub(crate) fn request(address: SocketAddr, method: &str, params: &str) -> Vec<u8> {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let accept =
        if method == "SendStreamingMessage" { "text/event-stream" } else { "application/json" };
    let head = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: {accept}\r\nA2A-Version: 1.0\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    (head + &body).into_bytes()
}

/// The request for a task.
pub(crate) fn get_task(address: SocketAddr, id: &str) -> Vec<u8> {
    request(address, "GetTask", &format!(r#"{{"id":"{id}"}}"#))
}

#[cfg(test)]
mod tests {
    use super::SendRequest;
    use std::net::{Ipv4Addr, SocketAddr};

    #[test]
    fn a_request_differs_from_the_next_by_the_id_of_its_message() {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
        let mut request = SendRequest::new(address, "SendMessage", "hi");
        let first = String::from_utf8(request.with_id(0x1f).to_vec()).unwrap();
        let second = String::from_utf8(request.with_id(u64::MAX).to_vec()).unwrap();
        assert!(first.contains(r#""messageId":"000000000000001f""#), "{first}");
        assert_eq!(first.replace("000000000000001f", "ffffffffffffffff"), second);
        let (head, body) = first.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
    }
}
