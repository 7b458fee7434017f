//! HTTP+JSON (specification section 11).

use super::{Outgoing, headers};
use crate::http::{Http, HttpAnswer, HttpRequest};
use bytes::Bytes;
use http::Method;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sabir_compat::Dialect;
use sabir_types::{Error, Operation, Verb, wire};
use serde_json::{Map, Value};
use url::Url;

/// All but RFC 3986's unreserved characters.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// HTTP+JSON below one base URL.
#[derive(Clone, Debug)]
pub(crate) struct HttpJson {
    pub(super) url: Url,
    pub(super) dialect: Dialect,
}

impl HttpJson {
    pub(super) fn request(
        &self,
        operation: Operation,
        mut message: impl Outgoing,
        tenant: Option<&str>,
    ) -> Result<HttpRequest, Error> {
        // A tenant that a path cannot carry travels as a member.
        let (prefix, member) = match tenant.filter(|_| !self.is_older()) {
            Some(tenant) if is_routable(tenant) => (Some(tenant), None),
            other => (None, other.map(str::to_owned)),
        };
        *message.tenant() = member;
        let mut url = self.url.clone();
        let template = self.template(operation);
        let body = if !template.contains('{') && operation.has_body() {
            // The one request that may be large is not taken apart.
            url.set_path(&path(&self.url, prefix, template, &mut Map::new())?);
            Some(self.written(message)?)
        } else {
            let mut members = members(&message)?;
            url.set_path(&path(&self.url, prefix, template, &mut members)?);
            if operation.has_body() && self.is_older() {
                Some(self.written(message)?)
            } else if operation.has_body() {
                Some(wire::to_json(&members)?)
            } else {
                put_query(&mut url, &members);
                None
            }
        };
        let method = match operation.verb() {
            // Both are served, but the kits of 0.3 send this one.
            _ if self.is_older() && operation == Operation::SubscribeToTask => Method::GET,
            Verb::Get => Method::GET,
            Verb::Post => Method::POST,
            Verb::Delete => Method::DELETE,
        };
        let body = body.map(Bytes::from);
        Ok(HttpRequest { method, url, headers: headers(), body, shown: None })
    }

    fn is_older(&self) -> bool {
        self.dialect != Dialect::V1_0
    }

    fn template(&self, operation: Operation) -> &'static str {
        if self.is_older() { operation.v0_3_path() } else { operation.path() }
    }

    fn written(&self, message: impl Outgoing) -> Result<Vec<u8>, Error> {
        let mut out = Vec::with_capacity(256);
        self.dialect.write_json(message, &mut out)?;
        Ok(out)
    }

    pub(super) fn answer(&self, answer: &HttpAnswer, http: &Http) -> Result<Bytes, Error> {
        if answer.status.is_success() {
            return Ok(answer.body.clone());
        }
        if self.is_older() && is_older_error(&answer.body) {
            // A message may name one in its body.
            let path = answer.url.path();
            let names_task = path.contains("/tasks/") || path.contains("/message:");
            let status = answer.status.as_u16();
            return Err(sabir_compat::error::read_http_json(status, &answer.body, names_task));
        }
        if is_error_body(&answer.body) {
            return Err(Error::from_status_json(answer.status.as_u16(), &answer.body));
        }
        Err(answer.failure(http).into())
    }

    pub(super) fn event(&self, name: Option<&str>, data: Bytes) -> Result<Bytes, Error> {
        if self.is_older() && is_older_error(&data) {
            return Err(sabir_compat::error::read_http_json(status_of(&data), &data, true));
        }
        // `{"error":…}` is what the specification has; some servers name the event besides.
        if (name == Some("error") || begins_with_error(&data)) && is_error_body(&data) {
            return Err(Error::from_status_json(status_of(&data), &data));
        }
        Ok(data)
    }
}

/// Whether a tenant can stand as the first segment of a path without being taken for a route.
fn is_routable(tenant: &str) -> bool {
    let is_literal = matches!(tenant, "tasks" | "extendedAgentCard" | "." | "..")
        || tenant.starts_with("message:");
    !tenant.is_empty() && !tenant.contains('/') && !is_literal
}

fn members(message: &impl Outgoing) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(message) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Ok(Map::new()),
        Err(error) => Err(Error::invalid_params("", error.to_string())),
    }
}

/// Fills the braces of a path, taking what stands there out of `members`.
fn path(
    base: &Url,
    tenant: Option<&str>,
    template: &str,
    members: &mut Map<String, Value>,
) -> Result<String, Error> {
    let mut path = base.path().trim_end_matches('/').to_owned();
    if let Some(tenant) = tenant {
        path.push('/');
        path.extend(utf8_percent_encode(tenant, SEGMENT));
    }
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, after)) = after.split_once('}') else { break };
        path.push_str(before);
        let value = members.remove(name);
        let value = value.as_ref().and_then(Value::as_str).unwrap_or_default();
        // `.` and `..` would be resolved away, however they are written, and call another route.
        if matches!(value, "" | "." | "..") {
            return Err(Error::invalid_params(name, "cannot stand in a path"));
        }
        path.extend(utf8_percent_encode(value, SEGMENT));
        rest = after;
    }
    path.push_str(rest);
    Ok(path)
}

fn put_query(url: &mut Url, members: &Map<String, Value>) {
    if members.is_empty() {
        return;
    }
    let mut query = url.query_pairs_mut();
    for (name, value) in members {
        match value {
            Value::String(text) => query.append_pair(name, text),
            other => query.append_pair(name, &other.to_string()),
        };
    }
}

/// Whether a body is an error as A2A or a problem document (RFC 9457) has it.
fn is_error_body(body: &[u8]) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else { return false };
    let has = |name: &str| members.contains_key(name);
    members.get("error").is_some_and(Value::is_object)
        || (has("title") && has("status"))
        || (has("code") && has("message"))
}

/// Whether a body is an error as servers of 0.3 have it: also with nothing but a message, which is
/// a text there and an object in every answer and event.
fn is_older_error(body: &[u8]) -> bool {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else { return false };
    members.get("error").is_some_and(Value::is_object)
        || members.get("message").is_some_and(Value::is_string)
}

/// Whether `error` is the first member of an object.
fn begins_with_error(data: &[u8]) -> bool {
    let object = data.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    object.trim_ascii_start().starts_with(b"\"error\"")
}

/// The HTTP status that an error within a stream says it has.
fn status_of(body: &[u8]) -> u16 {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let error = body.get("error").unwrap_or(&body);
    let code = error.get("code").or_else(|| error.get("status")).and_then(Value::as_u64);
    code.and_then(|code| u16::try_from(code).ok()).unwrap_or(500)
}
