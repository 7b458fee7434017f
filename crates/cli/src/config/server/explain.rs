//! Says what is wrong with a setting: the key, the place, and what would be right.

use super::load::{FLAG, PREFIX};
use super::show::keys;
use crate::config::suggest;
use crate::failure::Failure;
use figment::error::Kind;
use figment::{Error, Figment, Source};
use std::path::Path;

/// The first thing that is wrong, for the person who wrote it.
pub(super) fn explain(error: &Error, layers: &Figment) -> Failure {
    let mut path = error.path.clone();
    if let Kind::UnknownField(name, _) = &error.kind
        && path.last() != Some(name)
    {
        path.push(name.clone());
    }
    let key = path.join(".");
    let place = place(error, &key, layers);
    match &error.kind {
        Kind::UnknownField(..) => unknown(&key, &place),
        _ => Failure::usage(format!("{place}: {}", wrong(error, &key))),
    }
}

/// An unknown key, with the one that was probably meant.
fn unknown(key: &str, place: &str) -> Failure {
    let failure = Failure::usage(format!("{place}: there is no setting `{key}`"));
    match suggest(key, keys().chain(USER_KEYS.iter().copied())) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure.hint("`sabir config show` lists all settings"),
    }
}

/// The members of one of the `users`.
const USER_KEYS: [&str; 5] =
    ["users.name", "users.token", "users.token_env", "users.api_key", "users.api_key_env"];

/// What is wrong with a value; a value that may be secret is not repeated.
fn wrong(error: &Error, key: &str) -> String {
    let secret = key.starts_with("users");
    match &error.kind {
        Kind::InvalidType(actual, wanted) | Kind::InvalidValue(actual, wanted) if secret => {
            let _ = actual;
            format!("`{key}` must be {wanted}")
        }
        Kind::InvalidType(actual, wanted) | Kind::InvalidValue(actual, wanted) => {
            format!("`{key}` must be {wanted}, not {actual}")
        }
        Kind::UnknownVariant(name, known) => {
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!("`{key}` must be one of {}, not `{name}`", known.join(", "))
        }
        Kind::MissingField(field) => format!("`{key}` needs a `{field}`"),
        Kind::DuplicateField(field) => format!("`{key}` has `{field}` twice"),
        other => format!("`{key}`: {other}"),
    }
}

/// Where the value stands: a variable, a flag, or a line of a file.
fn place(error: &Error, key: &str, layers: &Figment) -> String {
    let metadata = error.metadata.clone().or_else(|| layers.find_metadata(key).cloned());
    let Some(metadata) = metadata else { return "the settings".to_owned() };
    if let Some(Source::File(path)) = &metadata.source {
        return match line(path, key) {
            Some(line) => format!("{}, line {line}", path.display()),
            None => path.display().to_string(),
        };
    }
    if metadata.name == FLAG {
        return "the command line".to_owned();
    }
    format!("{PREFIX}{}", key.replace('.', "__").to_uppercase())
}

/// The line on which a key of a TOML file stands.
fn line(path: &Path, key: &str) -> Option<usize> {
    let text = std::fs::read_to_string(path).ok()?;
    let document = toml::de::DeTable::parse(&text).ok()?;
    let at = find(document.get_ref(), &key.split('.').collect::<Vec<_>>())?;
    Some(text[..at].matches('\n').count() + 1)
}

/// The offset of a key within a table.
fn find(table: &toml::de::DeTable<'_>, path: &[&str]) -> Option<usize> {
    let (first, rest) = path.split_first()?;
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
    inside(value.get_ref(), rest).or(Some(key.span().start))
}

/// The offset of a key within a value that may be a table or a list of tables.
fn inside(value: &toml::de::DeValue<'_>, path: &[&str]) -> Option<usize> {
    match value {
        toml::de::DeValue::Table(table) => find(table, path),
        toml::de::DeValue::Array(items) => {
            let (index, rest) = path.split_first()?;
            let item = items.get(index.parse::<usize>().ok()?)?;
            inside(item.get_ref(), rest).or(Some(item.span().start))
        }
        _ => None,
    }
}
