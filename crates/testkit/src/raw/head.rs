//! The status line and the headers of an answer.

/// The head of an answer, as it came and taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Every byte of it, with the empty line that ends it.
    pub raw: String,
    /// The status.
    pub status: u16,
    /// The headers, in order, names as they came.
    pub headers: Vec<(String, String)>,
}

impl Head {
    /// The value of a header, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Reads a head if it is whole, and says how long it is. Interim answers (1xx) are answers.
    pub(super) fn parse(bytes: &[u8]) -> Option<(Self, usize)> {
        let length = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
        let raw = String::from_utf8_lossy(&bytes[..length]).into_owned();
        let mut lines = raw.trim_end().split("\r\n");
        let status_line = lines.next().unwrap_or_default();
        let status = status_line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3));
        let Some(status) = status.and_then(|status| status.parse().ok()) else {
            panic!("not the status line of HTTP/1.1: {status_line:?}");
        };
        let headers = lines.map(header_of).collect();
        Some((Self { raw, status, headers }, length))
    }
}

fn header_of(line: &str) -> (String, String) {
    match line.split_once(':') {
        Some((name, value)) => (name.to_owned(), value.trim().to_owned()),
        None => panic!("not a header: {line:?}"),
    }
}
