//! The service parameters: what a request says beside its body.

use crate::config::ServerConfig;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::request::Parts;
use sabir_compat::{Dialect, is_v0_3};
use sabir_engine::Call;
use sabir_types::{
    A2A_EXTENSIONS, A2A_VERSION, Error, Operation, Principal, Version, X_A2A_EXTENSIONS, comma_list,
};
use std::borrow::Cow;
use std::time::Duration;

static VERSION: Header = Header::new(A2A_VERSION, "a2a-version");
static EXTENSIONS: Header = Header::new(A2A_EXTENSIONS, "a2a-extensions");
static X_EXTENSIONS: Header = Header::new(X_A2A_EXTENSIONS, "x-a2a-extensions");
static LAST_EVENT_ID: Header = Header::new("Last-Event-ID", "last-event-id");
static TASK_DEADLINE: Header = Header::new("Sabir-Task-Deadline", "sabir-task-deadline");
static TRACEPARENT: Header = Header::new("traceparent", "traceparent");

/// A header that is looked for in every request, for which its name is not read each time.
struct Header {
    /// As people write it.
    written: &'static str,
    name: HeaderName,
}

impl Header {
    const fn new(written: &'static str, name: &'static str) -> Self {
        Self { written, name: HeaderName::from_static(name) }
    }

    fn invalid(&self, why: &str) -> Error {
        Error::invalid_params(self.written, why)
    }
}

/// The longest deadline that is taken; whoever means more means none.
const LONGEST: f64 = 366.0 * 24.0 * 3600.0;

/// What a request says of its protocol version. The header goes before the query parameter
/// (§3.6.1); without either the request means 0.3.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    text: Cow<'a, str>,
    is_v1_0: bool,
    v0_3_is_served: bool,
}

impl<'a> Asked<'a> {
    pub(crate) fn of(parts: &'a Parts, config: &ServerConfig) -> Self {
        let asked = match parts.headers.get(&VERSION.name) {
            Some(value) => String::from_utf8_lossy(value.as_bytes()),
            None => Cow::Borrowed(""),
        };
        let text = match asked.trim() {
            "" => version_in_query(parts.uri.query().unwrap_or_default()),
            _ => asked,
        };
        let is_v1_0 = text.trim().parse() == Ok(Version::V1_0);
        Self { text, is_v1_0, v0_3_is_served: config.v0_3 }
    }

    fn text(&self) -> &str {
        self.text.trim()
    }

    /// Whether it means 0.3, and that is served.
    pub(crate) fn is_v0_3(&self) -> bool {
        self.v0_3_is_served && is_v0_3(self.text())
    }

    /// Refuses a version that is not served.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_v1_0 || self.is_v0_3() { Ok(()) } else { Err(self.unsupported()) }
    }

    /// Refuses what is written in one version and says that it is of another.
    pub(crate) fn check_is(&self, dialect: Dialect) -> Result<(), Error> {
        self.check()?;
        match dialect {
            Dialect::V1_0 if self.is_v1_0 => Ok(()),
            Dialect::V1_0 => Err(self.unsupported().with_message(format!(
                "this is a call of A2A 1.0, but no {A2A_VERSION} (or 0.3) means A2A 0.3: send \
                 `{A2A_VERSION}: 1.0`"
            ))),
            Dialect::Kind | Dialect::Proto(_) if self.is_v0_3() => Ok(()),
            Dialect::Kind | Dialect::Proto(_) => {
                let asked = self.text();
                Err(self.unsupported().with_message(format!(
                    "this is a call of A2A 0.3, but {A2A_VERSION} says {asked}: call it as A2A \
                     {asked} does, or leave out the header"
                )))
            }
        }
    }

    fn unsupported(&self) -> Error {
        const SERVED: [Version; 2] = [Version::V1_0, Version::V0_3];
        let served = if self.v0_3_is_served { &SERVED[..] } else { &SERVED[..1] };
        match self.text() {
            "" => Error::version_not_supported("0.3", served).with_message(format!(
                "no {A2A_VERSION} means 0.3, which is not served: send `{A2A_VERSION}: 1.0`"
            )),
            asked => Error::version_not_supported(asked, served),
        }
    }
}

fn version_in_query(query: &str) -> Cow<'_, str> {
    crate::rest::query::pairs(query)
        .flatten()
        .find(|(name, _)| name.eq_ignore_ascii_case(A2A_VERSION))
        .map_or(Cow::Borrowed(""), |(_, value)| value)
}

/// Reads what an operation takes from the head of its request.
pub(crate) fn call(
    headers: &HeaderMap,
    operation: Operation,
    principal: Principal,
    version: Version,
) -> Result<Call, Error> {
    let mut call = Call { principal, version, ..Call::default() };
    call.extensions = extensions(headers)?;
    if operation.streams() {
        call.resume_after = text(headers, &LAST_EVENT_ID)?.map(sequence).transpose()?;
    }
    if matches!(operation, Operation::SendMessage | Operation::SendStreamingMessage) {
        call.deadline = text(headers, &TASK_DEADLINE)?.map(seconds).transpose()?;
    }
    call.trace = trace(headers);
    Ok(call)
}

fn text<'a>(headers: &'a HeaderMap, header: &Header) -> Result<Option<&'a str>, Error> {
    headers.get(&header.name).map(|value| visible(header, value)).transpose()
}

fn visible<'a>(header: &Header, value: &'a HeaderValue) -> Result<&'a str, Error> {
    value.to_str().map_err(|_| header.invalid("the header is not ASCII text"))
}

fn extensions(headers: &HeaderMap) -> Result<Vec<String>, Error> {
    let mut found: Vec<String> = Vec::new();
    for header in [&EXTENSIONS, &X_EXTENSIONS] {
        for value in headers.get_all(&header.name) {
            for uri in comma_list([visible(header, value)?]) {
                if !found.iter().any(|known| known == uri) {
                    found.push(uri.to_owned());
                }
            }
        }
    }
    Ok(found)
}

fn sequence(text: &str) -> Result<u64, Error> {
    text.trim()
        .parse()
        .map_err(|_| LAST_EVENT_ID.invalid("the header must be the id of an event of this stream"))
}

fn seconds(text: &str) -> Result<Duration, Error> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= LONGEST => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(TASK_DEADLINE
            .invalid("the header must be a number of seconds, more than 0 and at most a year")),
    }
}

/// A malformed trace context is left out, as W3C Trace Context section 3.2 wants it.
fn trace(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(&TRACEPARENT.name)?.to_str().ok()?;
    let mut fields = text.split('-');
    let mut hex = |size: usize| {
        let field = fields.next()?;
        let sound =
            field.len() == size && field.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        sound.then_some(field)
    };
    let (version, trace, span) = (hex(2)?, hex(32)?, hex(16)?);
    hex(2)?;
    let zero = |field: &str| field.bytes().all(|b| b == b'0');
    let whole = version != "00" || text.len() == 55;
    (version != "ff" && whole && !zero(trace) && !zero(span)).then(|| text.to_owned())
}

/// The response header with the extensions that are in effect: asked for and declared.
pub(crate) fn activated(call: &Call, declared: &[String]) -> Option<(HeaderName, HeaderValue)> {
    if call.extensions.is_empty() || declared.is_empty() {
        return None;
    }
    let both: Vec<&str> =
        declared.iter().filter(|uri| call.extensions.contains(uri)).map(String::as_str).collect();
    if both.is_empty() {
        return None;
    }
    // The URIs came in a header, so they can go out in one.
    let value = HeaderValue::from_str(&both.join(", ")).ok()?;
    let header = if call.version < Version::V1_0 { &X_EXTENSIONS } else { &EXTENSIONS };
    Some((header.name.clone(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traced(text: &'static str) -> Option<String> {
        let value = HeaderValue::from_static(text);
        trace(&HeaderMap::from_iter([(TRACEPARENT.name.clone(), value)]))
    }

    #[test]
    fn only_a_sound_trace_context_is_taken() {
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(traced(good).as_deref(), Some(good));
        for bad in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(traced(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_deadline_is_a_positive_number_of_seconds() {
        assert_eq!(seconds("1.5").unwrap(), Duration::from_millis(1500));
        for bad in ["", "0", "-1", "inf", "NaN", "1e99", "5s"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
