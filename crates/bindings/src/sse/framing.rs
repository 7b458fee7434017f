//! How an event, or an error, stands in an event stream.

use crate::dialect;
use bytes::{BufMut, BytesMut};
use memchr::memchr2_iter;
use sabir_compat::Dialect;
use sabir_engine::Event;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{Error, ErrorTable};
use std::io::Write;

/// What stands around the data of an event.
#[derive(Debug)]
pub(crate) enum Framing {
    /// JSON-RPC: every event is a response to the request.
    JsonRpc {
        /// The id of the request.
        id: Id,
        /// What stands before the result, with the id.
        prefix: Vec<u8>,
        /// In what dialect.
        dialect: Dialect,
    },
    /// HTTP+JSON: an event is a `StreamResponse`.
    HttpJson(Dialect, ErrorTable),
}

impl Framing {
    /// The framing of the answers to this JSON-RPC request.
    pub(crate) fn jsonrpc(id: Id, dialect: Dialect) -> Self {
        let prefix = jsonrpc::success_prefix(&id, 0);
        Self::JsonRpc { id, prefix, dialect }
    }

    fn dialect(&self) -> Dialect {
        match self {
            Self::JsonRpc { dialect, .. } | Self::HttpJson(dialect, _) => *dialect,
        }
    }

    /// Writes one event: its sequence, by which a broken stream goes on, and its shared bytes.
    ///
    /// # Errors
    /// When the event cannot be written in this dialect; nothing is written then.
    pub(super) fn put_event(&self, event: &Event, out: &mut BytesMut) -> Result<(), Error> {
        let json = &*dialect::event_json(self.dialect(), event)?;
        out.reserve(json.len() + 96);
        if let Some(seq) = event.seq {
            // Writing to memory cannot fail.
            let _ = writeln!(out.writer(), "id: {seq}");
        }
        out.put_slice(b"data: ");
        match self {
            Self::JsonRpc { prefix, .. } => {
                out.put_slice(prefix);
                put_data(json, out);
                out.put_slice(jsonrpc::SUCCESS_SUFFIX);
            }
            Self::HttpJson(..) => put_data(json, out),
        }
        out.put_slice(b"\n\n");
        Ok(())
    }

    /// Writes the error that ends a stream.
    pub(super) fn put_error(&self, error: &Error, out: &mut BytesMut) {
        let body = match self {
            Self::JsonRpc { id, dialect, .. } => dialect::failure(*dialect, id, error),
            Self::HttpJson(dialect, table) => dialect::error_body(*dialect, error, *table, None),
        };
        out.put_slice(b"data: ");
        put_data(&body, out);
        out.put_slice(b"\n\n");
    }
}

/// Writes JSON as the data of an event. A line break, which JSON has only between its tokens (and
/// which only a remote agent's bytes have), begins another `data:` line.
fn put_data(json: &[u8], out: &mut BytesMut) {
    let mut rest = 0;
    for at in memchr2_iter(b'\n', b'\r', json) {
        out.put_slice(&json[rest..at]);
        out.put_slice(b"\ndata: ");
        rest = at + 1;
    }
    out.put_slice(&json[rest..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    const BARE: Framing = Framing::HttpJson(Dialect::V1_0, ErrorTable::V1_0_1);

    fn written(framing: &Framing, seq: Option<u64>, json: &'static str) -> String {
        let mut out = BytesMut::new();
        let event = Event::from_json(seq, Bytes::from_static(json.as_bytes()));
        framing.put_event(&event, &mut out).unwrap();
        String::from_utf8(out.to_vec()).unwrap()
    }

    #[test]
    fn an_event_has_its_sequence_and_its_bytes() {
        assert_eq!(written(&BARE, Some(7), "{}"), "id: 7\ndata: {}\n\n");
        assert_eq!(written(&BARE, None, "{}"), "data: {}\n\n");
    }

    #[test]
    fn a_jsonrpc_event_is_a_response_with_the_id_of_the_request() {
        let framing = Framing::jsonrpc(Id::string("ü"), Dialect::V1_0);
        let expected = "id: 1\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"ü\",\"result\":{}}\n\n";
        assert_eq!(written(&framing, Some(1), "{}"), expected);
    }

    #[test]
    fn line_breaks_of_a_remote_agent_stay_within_the_event() {
        let data = written(&BARE, None, "{\r\n \"a\": 1\n}");
        assert_eq!(data, "data: {\ndata: \ndata:  \"a\": 1\ndata: }\n\n");
    }
}
