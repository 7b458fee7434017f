//! Reads from a line that a program prints where it serves.

/// The origin (`http://host:port`) that a line names, as a URL or as `Listening on host:port`.
pub(super) fn origin(line: &str) -> Option<String> {
    for scheme in ["http://", "https://"] {
        if let Some((_, rest)) = line.split_once(scheme) {
            return Some(format!("{scheme}{}", authority(rest)));
        }
    }
    let (_, rest) = line.split_once("istening on ")?;
    Some(format!("http://{}", authority(rest)))
}

fn authority(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || "/,;)\"'`".contains(c));
    text[..end.unwrap_or(text.len())].trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::origin;

    #[test]
    fn the_origin_is_read_from_a_url_or_an_address() {
        let read = |line| origin(line).unwrap_or_default();
        assert_eq!(read("hello  http://127.0.0.1:7420/agents/hello"), "http://127.0.0.1:7420");
        assert_eq!(read("Serving at http://[::1]:80."), "http://[::1]:80");
        assert_eq!(read("Listening on 127.0.0.1:9999"), "http://127.0.0.1:9999");
        assert_eq!(origin("opening the store"), None);
    }
}
