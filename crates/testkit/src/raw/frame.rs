//! The frames of an event stream (`text/event-stream`), with their bytes.

/// One frame of an event stream: what stands between two empty lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Every byte of it, without the empty line that ends it.
    pub raw: String,
}

impl Frame {
    /// Its `id`, which is an event's sequence.
    pub fn id(&self) -> Option<&str> {
        self.field("id").last()
    }

    /// Its `event`, where it names one.
    pub fn event(&self) -> Option<&str> {
        self.field("event").last()
    }

    /// Its data, all lines of it.
    pub fn data(&self) -> String {
        self.field("data").collect::<Vec<_>>().join("\n")
    }

    /// Its data as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> serde_json::Value {
        match serde_json::from_str(&self.data()) {
            Ok(value) => value,
            Err(error) => panic!("a frame without JSON ({error}): {:?}", self.raw),
        }
    }

    /// Whether it has nothing but comments, as a heartbeat does.
    pub fn is_comment(&self) -> bool {
        self.raw.lines().all(|line| line.starts_with(':'))
    }

    fn field(&self, name: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.raw.split('\n').filter_map(move |line| {
            let value = line.trim_end_matches('\r').strip_prefix(name)?.strip_prefix(':')?;
            Some(value.strip_prefix(' ').unwrap_or(value))
        })
    }
}

/// Cuts a body into frames, wherever its pieces were cut.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    rest: Vec<u8>,
}

impl Splitter {
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.rest.extend_from_slice(piece);
    }

    pub(super) fn next(&mut self) -> Option<Frame> {
        let lf = self.rest.windows(2).position(|window| window == b"\n\n").map(|at| (at, 2));
        let crlf = self.rest.windows(4).position(|window| window == b"\r\n\r\n").map(|at| (at, 4));
        let (at, gap) = lf.into_iter().chain(crlf).min()?;
        let frame: Vec<u8> = self.rest.drain(..at + gap).take(at).collect();
        Some(Frame { raw: String::from_utf8_lossy(&frame).into_owned() })
    }

    pub(super) fn rest(&self) -> String {
        String::from_utf8_lossy(&self.rest).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, Splitter};

    #[test]
    fn frames_are_cut_at_empty_lines_and_taken_apart() {
        let wire = b": hello\n\nid: 7\nevent: error\ndata: {\"a\":\ndata: 1}\n\ndata: half";
        let mut splitter = Splitter::default();
        let mut frames = Vec::new();
        for byte in wire {
            splitter.push(&[*byte]);
            frames.extend(splitter.next());
        }
        assert_eq!(frames.len(), 2);
        assert!(frames[0].is_comment());
        assert_eq!(frames[1].id(), Some("7"));
        assert_eq!(frames[1].event(), Some("error"));
        assert_eq!(frames[1].json(), serde_json::json!({"a": 1}));
        assert_eq!(splitter.rest(), "data: half");
    }

    #[test]
    fn a_field_name_is_not_found_inside_another() {
        let frame = Frame { raw: "identity: 9\ndata: id: 8".to_owned() };
        assert_eq!(frame.id(), None);
        assert_eq!(frame.data(), "id: 8");
    }
}
