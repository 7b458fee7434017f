//! Keeps secrets and control characters out of logs and messages.

use serde_json::Value;
use std::borrow::Cow;
use url::Url;

/// What stands in place of a secret.
pub(crate) const REDACTED: &str = "<redacted>";

/// The longest excerpt of somebody else's text in a message of ours, in characters.
const EXCERPT: usize = 200;

/// Part of a text that was not what it should be: one line, bounded, nothing a terminal obeys.
pub(crate) fn excerpt(text: &[u8]) -> String {
    let head = &text[..text.len().min(8 * EXCERPT)];
    let head = String::from_utf8_lossy(head);
    let words: Vec<_> = head
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    let clean: String = words.join(" ").chars().filter(|&c| !is_invisible(c)).collect();
    match clean.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None if head.len() < text.len() => format!("{clean}…"),
        None => clean,
    }
}

/// Characters that steer the direction of text, or are not seen.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

/// Whether the value under a name of a header or a query parameter is likely to be a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let harmless = matches!(name.as_str(), "pagetoken" | "nextpagetoken");
    const WORDS: [&str; 10] = [
        "authoriz",
        "cookie",
        "token",
        "secret",
        "password",
        "passwd",
        "credential",
        "apikey",
        "accesskey",
        "signature",
    ];
    !harmless && (name.ends_with("key") || WORDS.iter().any(|word| name.contains(word)))
}

/// A URL without userinfo and without the values of secret parameters; `secrets` are blotted out
/// wherever they stand.
pub(crate) fn url(url: &Url, secrets: &[&str]) -> String {
    let mut clean = url.clone();
    // Fails only for URLs that cannot have userinfo.
    let _ = clean.set_username("");
    let _ = clean.set_password(None);
    if url.query().is_some() {
        let pairs: Vec<_> = url.query_pairs().into_owned().collect();
        let mut query = clean.query_pairs_mut();
        query.clear();
        for (name, value) in &pairs {
            // Compared decoded: in the URL itself a secret may be escaped.
            let value = header(name, value, secrets);
            query.append_pair(name, &value);
        }
    }
    text(clean.as_str(), secrets).into_owned()
}

/// The value of a header or a query parameter as it may be logged.
pub(crate) fn header<'a>(name: &str, value: &'a str, secrets: &[&str]) -> Cow<'a, str> {
    if is_secret_name(name) { REDACTED.into() } else { text(value, secrets) }
}

/// A body as it may be logged: JSON without its secret members, other text as an excerpt.
pub(crate) fn body(body: &[u8], secrets: &[&str]) -> String {
    let Ok(mut value) = serde_json::from_slice::<Value>(body) else {
        return text(&excerpt(body), secrets).into_owned();
    };
    redact_members(&mut value, secrets);
    value.to_string()
}

/// An excerpt in which this client's own secrets are not quoted back.
pub(crate) fn clean_excerpt(bytes: &[u8], secrets: &[&str]) -> String {
    text(&excerpt(bytes), secrets).into_owned()
}

fn redact_members(value: &mut Value, secrets: &[&str]) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if member.is_string() && is_secret_name(name) {
                    *member = REDACTED.into();
                }
                redact_members(member, secrets);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| redact_members(item, secrets)),
        Value::String(string) => redact_string(string, secrets),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redact_string(string: &mut String, secrets: &[&str]) {
    let may_be_url = string.starts_with("http") && string.contains(['?', '@']);
    let clean = match Url::parse(string) {
        Ok(parsed) if may_be_url => Cow::Owned(url(&parsed, secrets)),
        _ => text(string, secrets),
    };
    if let Cow::Owned(clean) = clean {
        *string = clean;
    }
}

fn text<'a>(text: &'a str, secrets: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    for secret in secrets {
        if !secret.is_empty() && text.contains(secret) {
            text = text.replace(secret, REDACTED).into();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{body, excerpt, header, is_secret_name, url};

    #[test]
    fn an_excerpt_is_one_bounded_line_without_control_characters() {
        let html = b"<html>\r\n<h1>\x1b[31m502\x07 Bad\0 Gateway</h1>\n\n</html>";
        assert_eq!(excerpt(html), "<html> <h1> [31m502 Bad Gateway</h1> </html>");
        assert_eq!(excerpt("a\u{202E}b\u{200B}c".as_bytes()), "abc");
        let long = excerpt("ä".repeat(5000).as_bytes());
        assert_eq!(long.chars().count(), 201);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn names_that_carry_secrets_are_known() {
        for name in ["Authorization", "X-API-Key", "api_key", "Cookie", "X-A2A-Notification-Token"]
        {
            assert!(is_secret_name(name), "{name}");
        }
        for name in ["A2A-Version", "pageToken", "nextPageToken", "Content-Type", "contextId"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn urls_lose_userinfo_and_secret_parameters() {
        let given = "https://me:pw@example.com/a?key=abc&page=2&note=s3%26cret&s3&cret";
        let clean = url(&given.parse().expect("url"), &["s3&cret"]);
        assert!(!clean.contains("pw") && !clean.contains("abc") && !clean.contains("s3%26cret"));
        assert!(clean.starts_with("https://example.com/a?") && clean.contains("page=2"), "{clean}");
    }

    #[test]
    fn bodies_lose_secret_members_and_own_secrets() {
        let clean = body(
            br#"{"token":"t0p","authentication":{"scheme":"Bearer","credentials":"c0d"},
                "url":"https://u:p4ss@h/x","list":[{"apiKey":"k3y"}],"text":"say \"s3cret","n":1}"#,
            &["\"s3cret"],
        );
        for secret in ["t0p", "c0d", "p4ss", "k3y", "s3cret"] {
            assert!(!clean.contains(secret), "{secret} in {clean}");
        }
        assert!(clean.contains("Bearer") && clean.contains("\"n\":1"));
        assert_eq!(header("X-Note", "a s3cret b", &["s3cret"]), "a <redacted> b");
    }
}
