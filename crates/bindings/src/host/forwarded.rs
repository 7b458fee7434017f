//! What a proxy says about the request it passes on.

use http::header::{FORWARDED, HeaderMap};
use http::uri::Authority;

/// The public face of a request, as far as the proxy says it.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Forwarded<'a> {
    pub(super) proto: Option<&'a str>,
    pub(super) host: Option<Authority>,
    pub(super) prefix: Option<&'a str>,
}

/// Reads `Forwarded` (RFC 7239), and what it leaves open from the `X-Forwarded-` headers.
///
/// Where proxies stand in a row, the first value is that of the one nearest to the caller.
pub(super) fn read(headers: &HeaderMap) -> Forwarded<'_> {
    let mut found = standard(headers);
    found.proto = found.proto.or_else(|| proto(first(headers, "x-forwarded-proto")?));
    found.host = found.host.or_else(|| super::parse_authority(first(headers, "x-forwarded-host")?));
    found.prefix = prefix(first(headers, "x-forwarded-prefix"));
    found
}

fn standard(headers: &HeaderMap) -> Forwarded<'_> {
    let mut found = Forwarded::default();
    let Some(element) = first(headers, FORWARDED.as_str()) else { return found };
    for pair in element.split(';') {
        let Some((name, value)) = pair.split_once('=') else { continue };
        let value = value.trim().trim_matches('"');
        match name.trim().to_ascii_lowercase().as_str() {
            "proto" => found.proto = proto(value),
            "host" => found.host = super::parse_authority(value),
            _ => {}
        }
    }
    found
}

fn first<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()?.split(',').next().map(str::trim)
}

fn proto(value: &str) -> Option<&'static str> {
    if value.eq_ignore_ascii_case("https") {
        Some("https")
    } else if value.eq_ignore_ascii_case("http") {
        Some("http")
    } else {
        None
    }
}

/// A path that can stand between an authority and another path.
fn prefix(value: Option<&str>) -> Option<&str> {
    let value = value?.trim_end_matches('/');
    let odd = |c: char| !(c.is_ascii_alphanumeric() || "/-._~%".contains(c));
    let sound = value.starts_with('/') && !value.contains("//") && !value.contains("..");
    (sound && !value.contains(odd)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap())).collect()
    }

    #[test]
    fn the_standard_header_goes_before_the_others() {
        let headers = headers(&[
            ("forwarded", r#"for=192.0.2.1;proto=https;host="a.test:8443", for=10.0.0.1;host=b"#),
            ("x-forwarded-host", "c.test"),
            ("x-forwarded-prefix", "/agents/"),
        ]);
        let found = read(&headers);
        assert_eq!(found.proto, Some("https"));
        assert_eq!(found.host.unwrap(), "a.test:8443");
        assert_eq!(found.prefix, Some("/agents"));
    }

    #[test]
    fn values_that_are_no_part_of_a_url_are_left_out() {
        let headers = headers(&[
            ("x-forwarded-proto", "javascript"),
            ("x-forwarded-host", "a.test/evil"),
            ("x-forwarded-prefix", "//evil.test"),
        ]);
        assert_eq!(read(&headers), Forwarded::default());
    }
}
