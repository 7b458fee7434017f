//! Media types: what a request comes in and what its answer goes out in.

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use sabir_types::Error;

/// The media type that every JSON body may have.
pub(crate) const JSON: &str = "application/json";

/// The JSON media types of A2A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// `application/json`.
    Json,
    /// `application/a2a+json`.
    A2aJson,
}

impl Media {
    fn of(name: &str) -> Option<Self> {
        let name = name.split(';').next().unwrap_or_default().trim();
        if name.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if name.eq_ignore_ascii_case("application/a2a+json") {
            Some(Self::A2aJson)
        } else {
            None
        }
    }

    /// What the request says its body is: ours, something else, or nothing.
    pub(crate) fn of_body(headers: &HeaderMap) -> Result<Self, String> {
        match headers.get(CONTENT_TYPE) {
            None => Err("(none)".to_owned()),
            Some(value) => {
                let text = String::from_utf8_lossy(value.as_bytes());
                Self::of(&text).ok_or_else(|| text.into_owned())
            }
        }
    }

    /// What an answer without a body to go by is best given in.
    pub(crate) fn accepted(headers: &HeaderMap) -> Self {
        let mut best = (0.0, Self::Json);
        for item in headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()) {
            for range in item.split(',') {
                let Some(media) = Self::of(range) else { continue };
                let quality = quality(range);
                if quality > best.0 {
                    best = (quality, media);
                }
            }
        }
        best.1
    }

    pub(crate) fn header(self) -> HeaderValue {
        match self {
            Self::Json => crate::reply::JSON,
            Self::A2aJson => HeaderValue::from_static("application/a2a+json"),
        }
    }
}

fn quality(range: &str) -> f32 {
    let weight = range.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("q").then(|| value.trim().parse().unwrap_or(0.0))
    });
    weight.unwrap_or(1.0)
}

/// A body of another type than what is taken here.
pub(crate) fn unsupported(found: &str, taken: &str) -> Error {
    Error::content_type_not_supported(found)
        .with_message(format!("content type not supported: {found}; send `Content-Type: {taken}`"))
}

/// The content coding of a body that is not sent as it is.
pub(crate) fn coding(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_ENCODING)?;
    let text = String::from_utf8_lossy(value.as_bytes());
    (!text.trim().eq_ignore_ascii_case("identity")).then(|| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: http::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn parameters_and_case_do_not_matter() {
        for json in ["application/json", "application/json; charset=utf-8", "Application/JSON"] {
            assert_eq!(Media::of_body(&with(CONTENT_TYPE, json)), Ok(Media::Json), "{json}");
        }
        let a2a = with(CONTENT_TYPE, "application/a2a+json;v=1");
        assert_eq!(Media::of_body(&a2a), Ok(Media::A2aJson));
        assert!(Media::of_body(&with(CONTENT_TYPE, "text/json")).is_err());
        assert!(Media::of_body(&HeaderMap::new()).is_err());
    }

    #[test]
    fn the_preferred_type_is_given_and_json_when_nothing_fits() {
        for (accept, media) in [
            ("*/*", Media::Json),
            ("text/html", Media::Json),
            ("application/a2a+json", Media::A2aJson),
            ("application/a2a+json, application/json", Media::A2aJson),
            ("application/a2a+json;q=0.5, application/json", Media::Json),
            ("application/a2a+json;q=0", Media::Json),
        ] {
            assert_eq!(Media::accepted(&with(ACCEPT, accept)), media, "{accept}");
        }
    }
}
