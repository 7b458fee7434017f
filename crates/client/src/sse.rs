//! Reads a `text/event-stream`, however its bytes are cut.

use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;
use std::time::Duration;

/// The largest event that is read: its data, or one line of it.
pub const MAX_EVENT: usize = 16 << 20;

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SseEvent {
    /// The `id:` this event itself carried; unlike in a browser it is not inherited.
    pub id: Option<String>,
    /// The `event:` name, where one was given.
    pub name: Option<String>,
    /// The data, its lines joined by a line feed. Not checked to be UTF-8: JSON readers do that.
    pub data: Bytes,
}

/// An event, or a line of one, went beyond [`MAX_EVENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {MAX_EVENT} bytes")]
pub struct EventTooLarge;

/// An incremental parser of event streams (WHATWG HTML, section 9.2.6).
///
/// Bytes go in by [`push`](Self::push), events come out by [`next_event`](Self::next_event). An event is
/// complete with its blank line; what the stream ends in the middle of is not an event.
#[derive(Debug, Default)]
pub struct SseParser {
    line: BytesMut,
    data: BytesMut,
    has_data: bool,
    id: Option<String>,
    name: Option<String>,
    retry: Option<Duration>,
    /// The previous byte was a carriage return, so a line feed now belongs to it.
    after_cr: bool,
    /// The first line is over, so a byte order mark is no longer one.
    started: bool,
    events: VecDeque<SseEvent>,
}

impl SseParser {
    /// A parser at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the stream.
    ///
    /// # Errors
    /// [`EventTooLarge`]; the stream cannot be read on.
    pub fn push(&mut self, mut chunk: &[u8]) -> Result<(), EventTooLarge> {
        while let Some(&first) = chunk.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let Some(end) = chunk.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                return self.extend_line(chunk);
            };
            self.extend_line(&chunk[..end])?;
            self.after_cr = chunk[end] == b'\r';
            self.end_line()?;
            chunk = &chunk[end + 1..];
        }
        Ok(())
    }

    /// The next complete event.
    pub fn next_event(&mut self) -> Option<SseEvent> {
        self.events.pop_front()
    }

    /// How long the server last asked to wait before a reconnection (`retry:`).
    pub fn retry(&self) -> Option<Duration> {
        self.retry
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + bytes.len() > MAX_EVENT {
            return Err(EventTooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), EventTooLarge> {
        let line = self.line.split().freeze();
        let mut line = &line[..];
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        }
        if line.is_empty() {
            self.end_event();
            return Ok(());
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        self.field(&line[..colon], value)
    }

    fn field(&mut self, field: &[u8], value: &[u8]) -> Result<(), EventTooLarge> {
        match field {
            b"data" => return self.extend_data(value),
            b"event" => self.name = Some(String::from_utf8_lossy(value).into_owned()),
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                let millis = std::str::from_utf8(value).ok().filter(|v| is_digits(v));
                if let Some(millis) = millis.and_then(|v| v.parse().ok()) {
                    self.retry = Some(Duration::from_millis(millis));
                }
            }
            // A comment has an empty name; unknown names are ignored too.
            _ => {}
        }
        Ok(())
    }

    fn extend_data(&mut self, value: &[u8]) -> Result<(), EventTooLarge> {
        if self.data.len() + value.len() + 1 > MAX_EVENT {
            return Err(EventTooLarge);
        }
        if std::mem::replace(&mut self.has_data, true) {
            self.data.extend_from_slice(b"\n");
        }
        self.data.extend_from_slice(value);
        Ok(())
    }

    fn end_event(&mut self) {
        let (id, name) = (self.id.take(), self.name.take());
        // A block without data is no event (a lone `retry:`, a comment).
        if std::mem::take(&mut self.has_data) {
            let data = self.data.split().freeze();
            self.events.push_back(SseEvent { id, name, data });
        }
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::{EventTooLarge, MAX_EVENT, SseEvent, SseParser};
    use proptest::prelude::*;
    use std::time::Duration;

    fn parse(chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Vec<SseEvent> {
        let mut parser = SseParser::new();
        for chunk in chunks {
            parser.push(chunk.as_ref()).expect("small events");
        }
        std::iter::from_fn(|| parser.next_event()).collect()
    }

    fn data(text: &str) -> SseEvent {
        SseEvent { id: None, name: None, data: text.to_owned().into() }
    }

    #[test]
    fn all_three_line_ends_end_a_line() {
        let expected = vec![data("one\ntwo"), data("three")];
        for end in ["\n", "\r\n", "\r"] {
            let text = "data: one|data:two||data: three||".replace('|', end);
            assert_eq!(parse([text]), expected, "{end:?}");
        }
        assert_eq!(parse(["data: one\r\ndata:two\r\r\ndata: three\n\r\n"]), expected);
    }

    #[test]
    fn a_line_feed_after_a_carriage_return_is_no_line_of_its_own() {
        assert_eq!(parse(["data: a\r", "\ndata: b\r", "\n\r", "\n"]), vec![data("a\nb")]);
    }

    #[test]
    fn a_byte_order_mark_is_skipped_at_the_beginning_only() {
        let bom = "\u{FEFF}data: x\n\n\u{FEFF}data: y\n\n";
        assert_eq!(parse(bom.as_bytes().chunks(1)), vec![data("x")]);
    }

    #[test]
    fn comments_and_unknown_fields_are_ignored() {
        let text = ": ping\n\nfoo: bar\ndata: x\n: in the middle\ndata\n\nevent: lonely\n\n";
        assert_eq!(parse([text]), vec![data("x\n")]);
    }

    #[test]
    fn ids_and_names_belong_to_their_own_event() {
        let events = parse(["id: 7\nevent: error\ndata: x\n\ndata: y\n\nid: a\0b\ndata: z\n\n"]);
        assert_eq!(
            (events[0].id.as_deref(), events[0].name.as_deref()),
            (Some("7"), Some("error"))
        );
        assert_eq!((&events[1], &events[2]), (&data("y"), &data("z")));
    }

    #[test]
    fn only_one_space_is_stripped_from_a_value() {
        assert_eq!(parse(["data:  x \n\n"]), vec![data(" x ")]);
    }

    #[test]
    fn what_the_end_cuts_off_is_no_event() {
        assert_eq!(parse(["data: x\n\ndata: half\n"]), vec![data("x")]);
    }

    #[test]
    fn retry_takes_digits_only() {
        let mut parser = SseParser::new();
        parser.push(b"retry: 250\n\nretry: soon\n\nretry: -1\n").expect("small");
        assert_eq!(parser.retry(), Some(Duration::from_millis(250)));
    }

    #[test]
    fn an_event_beyond_the_bound_is_refused_by_line_and_by_sum() {
        let mut parser = SseParser::new();
        let line = vec![b'x'; MAX_EVENT / 4];
        let mut outcome = parser.push(b"data: ");
        for _ in 0..5 {
            outcome = outcome.and_then(|()| parser.push(&line));
        }
        assert_eq!(outcome, Err(EventTooLarge));

        let mut parser = SseParser::new();
        let mut outcome = Ok(());
        for _ in 0..5 {
            outcome = outcome
                .and_then(|()| parser.push(b"data: "))
                .and_then(|()| parser.push(&line))
                .and_then(|()| parser.push(b"\n"));
        }
        assert_eq!(outcome, Err(EventTooLarge));
    }

    fn cuts(bytes: &[u8], at: &[usize]) -> Vec<Vec<u8>> {
        let mut at: Vec<_> = at.iter().map(|cut| cut % (bytes.len() + 1)).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        at.windows(2).map(|pair| bytes[pair[0]..pair[1]].to_vec()).collect()
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_events(
            text in "(data: ?|id: |event:|retry:|:|\u{FEFF}|\n|\r|\r\n|\n\n|[a-zäß€🦀\0 ]|[0-9]){0,60}",
            at in prop::collection::vec(0_usize..400, 0..20),
        ) {
            let whole = parse([&text]);
            prop_assert_eq!(&parse(cuts(text.as_bytes(), &at)), &whole);
            prop_assert_eq!(&parse(text.as_bytes().chunks(1)), &whole);
        }

        #[test]
        fn what_was_written_is_read(
            lines in prop::collection::vec("[^\r\n]{0,20}", 1..5),
            id in 0_u64..u64::MAX,
            end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        ) {
            let mut text = format!("id: {id}{end}");
            for line in &lines {
                text.push_str(&format!("data: {line}{end}"));
            }
            text.push_str(end);
            let events = parse(text.as_bytes().chunks(3));
            prop_assert_eq!(events.len(), 1);
            prop_assert_eq!(&events[0].id, &Some(id.to_string()));
            let data = lines.join("\n");
            prop_assert_eq!(&events[0].data[..], data.as_bytes());
        }
    }
}
