//! Reads `.env`, YAML and JSON files of settings.

use super::keys::{self, KEYS, PREFIX};
use crate::config::suggest;
use crate::failure::Failure;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What a file says, by the name of the setting.
pub(super) type Entries = Vec<(&'static str, Vec<String>)>;

/// Reads a file by its name's ending; `strict` refuses keys that are not known.
pub(super) fn read(path: &Path, strict: bool) -> Result<Entries, Failure> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("yaml" | "yml") => mapping(path, strict, |text| {
            serde_saphyr::from_str(text).map_err(|error| error.to_string())
        }),
        Some("json") => mapping(path, strict, |text| {
            serde_json::from_str(text).map_err(|error| error.to_string())
        }),
        _ => env_file(path),
    }
}

/// Of a `.env` file only what begins with `A2ACLI_` is looked at: the rest is somebody else's.
fn env_file(path: &Path) -> Result<Entries, Failure> {
    let wrong = |error: dotenvy::Error| {
        Failure::usage(match error {
            // The parser's own words would repeat the line, which may hold a secret.
            dotenvy::Error::LineParse(_, at) => {
                format!("{}: a line cannot be read at character {at}", path.display())
            }
            other => format!("{} cannot be read: {other}", path.display()),
        })
    };
    let mut entries = Entries::new();
    for item in dotenvy::from_path_iter(path).map_err(wrong)? {
        let (name, value) = item.map_err(wrong)?;
        if let Some(key) = name.strip_prefix(PREFIX).and_then(keys::find) {
            entries.push((key.name, split(key.list, &value)));
        }
    }
    Ok(entries)
}

/// The values of a list stand between commas.
pub(super) fn split(list: bool, value: &str) -> Vec<String> {
    if !list {
        return vec![value.to_owned()];
    }
    let items = value.split(',').map(str::trim).filter(|item| !item.is_empty());
    items.map(str::to_owned).collect()
}

type Mapping = BTreeMap<String, Value>;

fn mapping(
    path: &Path,
    strict: bool,
    parse: impl Fn(&str) -> Result<Mapping, String>,
) -> Result<Entries, Failure> {
    let wrong = |error: String| Failure::usage(format!("{}: {error}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let mut entries = Entries::new();
    for (name, value) in parse(&text).map_err(wrong)? {
        let Some(key) = keys::find(&name) else {
            if strict {
                return Err(unknown(path, &name));
            }
            continue;
        };
        let values = match value {
            Value::Array(items) => items.iter().map(scalar).collect(),
            Value::Null => Vec::new(),
            other => split(key.list, &scalar(&other)),
        };
        entries.push((key.name, values));
    }
    Ok(entries)
}

fn scalar(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn unknown(path: &Path, name: &str) -> Failure {
    let failure = Failure::usage(format!("{}: there is no setting `{name}`", path.display()));
    match suggest(name, KEYS.iter().map(|key| key.name)) {
        Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
        None => failure,
    }
}

/// The nearest `.env` in a folder or one above it.
pub(super) fn nearest_env(from: &Path) -> Option<PathBuf> {
    from.ancestors().map(|folder| folder.join(".env")).find(|path| path.is_file())
}

/// Whether others than the owner can read a file.
#[cfg(unix)]
pub(super) fn is_exposed(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

/// Elsewhere a file's mode says nothing about who can read it.
#[cfg(not(unix))]
pub(super) fn is_exposed(_path: &Path) -> bool {
    false
}
