//! Which operation a path means, by the table of operations.

use http::Method;
use percent_encoding::percent_decode_str;
use sabir_types::{Operation, Verb, Version};
use std::borrow::Cow;
use std::sync::LazyLock;

/// What stands at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// An operation.
    Route(Route<'a>),
    /// Operations, but for these verbs.
    OtherVerbs(String),
    /// Nothing.
    Nothing,
}

/// An operation, with what the path says of its request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Route<'a> {
    pub(super) operation: Operation,
    /// By the names of the request's fields, decoded.
    pub(super) fields: Vec<(&'static str, Cow<'a, str>)>,
}

/// Finds the operation of a path below the base URL, with or without a tenant before it; 0.3 has
/// no tenants.
pub(super) fn find<'a>(method: &Method, path: &'a str, version: Version) -> Found<'a> {
    let Some(path) = path.strip_prefix('/') else { return Found::Nothing };
    if version < Version::V1_0 {
        return find_at(&OLDER, method, path, None);
    }
    match find_at(&PATTERNS, method, path, None) {
        Found::Nothing => {}
        found => return found,
    }
    let Some((tenant, rest)) = path.split_once('/') else { return Found::Nothing };
    match decode(tenant) {
        // Where a tenant has the name of a route, the route is meant, whatever follows.
        Some(tenant) if !tenant.is_empty() && !is_reserved(&tenant) => {
            find_at(&PATTERNS, method, rest, Some(tenant))
        }
        _ => Found::Nothing,
    }
}

fn find_at<'a>(
    patterns: &[Pattern],
    method: &Method,
    path: &'a str,
    tenant: Option<Cow<'a, str>>,
) -> Found<'a> {
    let mut allowed: Vec<&str> = Vec::new();
    for pattern in patterns {
        let Some(mut fields) = pattern.matches(path) else { continue };
        let verbs = pattern.operation.verbs();
        if verbs.iter().any(|verb| verb.as_str() == method.as_str()) {
            fields.extend(tenant.map(|tenant| ("tenant", tenant)));
            return Found::Route(Route { operation: pattern.operation, fields });
        }
        allowed.extend(verbs.iter().copied().map(Verb::as_str));
    }
    if allowed.is_empty() { Found::Nothing } else { Found::OtherVerbs(allowed.join(", ")) }
}

/// The path of an operation, taken apart.
struct Pattern {
    operation: Operation,
    segments: Vec<Segment>,
}

#[derive(Clone, Copy)]
enum Segment {
    Literal(&'static str),
    /// `{field}`.
    Field(&'static str),
    /// `{field}` where `{field}:verb` may stand as well.
    FieldWithoutVerb(&'static str),
    /// `{field}:verb`.
    FieldWithVerb(&'static str, &'static str),
}

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(Operation::path));

/// The paths of 0.3.
static OLDER: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(Operation::v0_3_path));

fn patterns(path_of: fn(Operation) -> &'static str) -> Vec<Pattern> {
    let pattern = |operation: Operation| {
        let path = path_of(operation);
        let has_verbs = Operation::ALL.into_iter().any(|other| {
            path_of(other).strip_prefix(path).is_some_and(|rest| rest.starts_with(':'))
        });
        let segments = path.split('/').skip(1).map(|text| Segment::new(text, has_verbs)).collect();
        Pattern { operation, segments }
    };
    Operation::ALL.into_iter().map(pattern).collect()
}

impl Segment {
    /// `has_verbs` is said of the last segment; those before it are never both.
    fn new(text: &'static str, has_verbs: bool) -> Self {
        let Some((field, rest)) = text.strip_prefix('{').and_then(|text| text.split_once('}'))
        else {
            return Self::Literal(text);
        };
        match rest.strip_prefix(':') {
            Some(verb) => Self::FieldWithVerb(field, verb),
            None if has_verbs => Self::FieldWithoutVerb(field),
            None => Self::Field(field),
        }
    }
}

impl Pattern {
    fn matches<'a>(&self, path: &'a str) -> Option<Vec<(&'static str, Cow<'a, str>)>> {
        let mut fields = Vec::new();
        let mut given = path.split('/');
        for segment in &self.segments {
            let text = given.next()?;
            let (field, value) = match *segment {
                Segment::Literal(literal) if is(text, literal) => continue,
                Segment::Literal(_) => return None,
                Segment::Field(field) => (field, decode(text)?),
                Segment::FieldWithoutVerb(field) => match split_verb(text)? {
                    (value, None) => (field, value),
                    (_, Some(_)) => return None,
                },
                Segment::FieldWithVerb(field, verb) => match split_verb(text)? {
                    (value, Some(found)) if found == verb => (field, value),
                    _ => return None,
                },
            };
            if value.is_empty() {
                return None;
            }
            fields.push((field, value));
        }
        given.next().is_none().then_some(fields)
    }
}

/// Splits `{id}:verb` at its last colon. A colon that is encoded belongs to the id, unless what
/// follows it is a verb: some clients encode every colon.
fn split_verb(text: &str) -> Option<(Cow<'_, str>, Option<Cow<'_, str>>)> {
    if let Some((value, verb)) = text.rsplit_once(':') {
        return Some((decode(value)?, Some(decode(verb)?)));
    }
    let value = decode(text)?;
    match value.rsplit_once(':') {
        Some((id, verb)) if is_verb(verb) => {
            Some((Cow::Owned(id.to_owned()), Some(Cow::Owned(verb.to_owned()))))
        }
        _ => Some((value, None)),
    }
}

fn is_verb(text: &str) -> bool {
    PATTERNS
        .iter()
        .flat_map(|pattern| &pattern.segments)
        .any(|segment| matches!(segment, Segment::FieldWithVerb(_, verb) if *verb == text))
}

fn is_reserved(tenant: &str) -> bool {
    tenant == ".well-known"
        || PATTERNS.iter().any(|pattern| {
            matches!(pattern.segments.first(), Some(Segment::Literal(first)) if *first == tenant)
        })
}

fn is(text: &str, literal: &str) -> bool {
    text == literal || (text.contains('%') && decode(text).as_deref() == Some(literal))
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(method: &Method, path: &str) -> (Operation, Vec<(&'static str, String)>) {
        match find(method, path, Version::V1_0) {
            Found::Route(route) => {
                let fields = route.fields.into_iter().map(|(n, v)| (n, v.into_owned())).collect();
                (route.operation, fields)
            }
            other => panic!("{path}: {other:?}"),
        }
    }

    fn field(name: &'static str, value: &str) -> (&'static str, String) {
        (name, value.to_owned())
    }

    #[test]
    fn every_operation_is_found_by_its_own_path_with_every_verb() {
        for operation in Operation::ALL {
            let path = operation.path().replace("{id}", "i-1").replace("{taskId}", "t-1");
            for verb in operation.verbs() {
                let method: Method = verb.as_str().parse().unwrap();
                assert_eq!(found(&method, &path).0, operation, "{verb} {path}");
                let (of_tenant, fields) = found(&method, &format!("/acme{path}"));
                assert_eq!(of_tenant, operation);
                assert!(fields.contains(&field("tenant", "acme")), "{fields:?}");
            }
        }
    }

    #[test]
    fn an_id_is_decoded_and_its_verb_stands_after_the_last_colon() {
        for (path, id) in [
            ("/tasks/a:cancel", "a"),
            ("/tasks/a%3Acancel", "a"),
            ("/tasks/a:b:cancel", "a:b"),
            ("/tasks/a%3Ab:cancel", "a:b"),
            ("/tasks/a%2Fb%20c:%63ancel", "a/b c"),
        ] {
            let (operation, fields) = found(&Method::POST, path);
            assert_eq!(operation, Operation::CancelTask, "{path}");
            assert_eq!(fields, [field("id", id)], "{path}");
        }
        let (operation, fields) = found(&Method::GET, "/tasks/a%3Ab");
        assert_eq!((operation, fields), (Operation::GetTask, vec![field("id", "a:b")]));
    }

    #[test]
    fn nothing_stands_at_other_paths() {
        for path in [
            "",
            "/",
            "/x",
            "/tasks/",
            "/tasks/a:explode",
            "/tasks/a/",
            "/tasks/a/b",
            "/message:x",
            "//tasks",
            "/tasks/message:send",
            "/tasks/%ff",
            "/a/b/tasks",
            "/tasks/:cancel",
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                assert_eq!(find(&method, path, Version::V1_0), Found::Nothing, "{method} {path}");
            }
        }
    }

    #[test]
    fn another_verb_is_told_which_ones_there_are() {
        for (method, path, allow) in [
            (Method::GET, "/message:send", "POST"),
            (Method::POST, "/tasks", "GET"),
            (Method::PUT, "/tasks/t/pushNotificationConfigs", "POST, GET"),
            (Method::GET, "/acme/tasks/t:cancel", "POST"),
        ] {
            assert_eq!(
                find(&method, path, Version::V1_0),
                Found::OtherVerbs(allow.to_owned()),
                "{path}"
            );
        }
    }

    #[test]
    fn a_tenant_is_decoded() {
        let (_, fields) = found(&Method::GET, "/a%2Fb/tasks");
        assert_eq!(fields, [field("tenant", "a/b")]);
    }
}
