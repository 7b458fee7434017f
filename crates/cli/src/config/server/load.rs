//! Lays flags over the environment over `sabir.toml` over the defaults.

use super::explain::explain;
use super::{Settings, User};
use crate::config::value::Secret;
use crate::failure::Failure;
use figment::providers::{Env, Format, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use std::path::{Path, PathBuf};

/// The file that is looked for in the working directory.
pub(super) const FILE: &str = "sabir.toml";
/// What the names of environment variables begin with.
pub(super) const PREFIX: &str = "SABIR_";
/// The name by which values of the command line are known among the sources.
pub(super) const FLAG: &str = "flag";

/// What the command line says about settings, by key.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags(Dict);

impl Flags {
    /// Sets a key, such as `webhooks.allow_loopback`, unless the flag was not given.
    pub(crate) fn set(&mut self, key: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            let nested = figment::util::nest(key, value.into());
            let nested = nested.into_dict().unwrap_or_default();
            let before = std::mem::take(&mut self.0);
            self.0 = merge(before, nested);
        }
    }

    /// Sets a key to `true` if the switch was given.
    pub(crate) fn switch(&mut self, key: &str, given: bool) {
        self.set(key, given.then_some(true));
    }
}

fn merge(mut into: Dict, from: Dict) -> Dict {
    for (key, value) in from {
        let merged = match (into.remove(&key), value) {
            (Some(Value::Dict(tag, old)), Value::Dict(_, new)) => Value::Dict(tag, merge(old, new)),
            (_, value) => value,
        };
        into.insert(key, merged);
    }
    into
}

impl Provider for Flags {
    fn metadata(&self) -> Metadata {
        Metadata::named(FLAG)
    }

    fn data(&self) -> figment::error::Result<Map<Profile, Dict>> {
        Ok(Profile::Default.collect(self.0.clone()))
    }
}

/// The settings, and where each came from.
pub(crate) struct Loaded {
    /// The settings.
    pub(crate) settings: Settings,
    pub(super) layers: Figment,
}

/// Reads the settings; `file` is the one named on the command line, if any.
///
/// # Errors
/// A usage failure that names the key, the place and what would be right.
pub(crate) fn load(file: Option<&Path>, flags: Flags) -> Result<Loaded, Failure> {
    let mut layers = Figment::new();
    if let Some(path) = existing(file)? {
        check_syntax(&path)?;
        layers = layers.merge(Toml::file_exact(path));
    }
    // SABIR_LOG belongs to the log, not to the settings.
    let env = Env::prefixed(PREFIX).ignore(&["log"]).split("__");
    let layers = layers.merge(env).merge(flags);
    let mut settings: Settings = layers.extract().map_err(|error| explain(&error, &layers))?;
    for user in &mut settings.users {
        resolve(user)?;
    }
    Ok(Loaded { settings, layers })
}

/// The file to read: the one that was named, else the one of the working directory if it exists.
fn existing(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    match named {
        Some(path) if path.is_file() => Ok(Some(path.to_owned())),
        Some(path) => Err(Failure::usage(format!("there is no file {}", path.display()))),
        None => Ok(Some(PathBuf::from(FILE)).filter(|path| path.is_file())),
    }
}

/// The parser of the layers does not say where a file is broken; this one does.
fn check_syntax(path: &Path) -> Result<(), Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", path.display())))?;
    match text.parse::<toml::Table>() {
        Ok(_) => Ok(()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let line = text[..at].matches('\n').count() + 1;
            let message = error.message();
            Err(Failure::usage(format!("{}, line {line}: {message}", path.display())))
        }
    }
}

/// Checks that a user has exactly one credential, and reads it from the environment if it is there.
fn resolve(user: &mut User) -> Result<(), Failure> {
    let name = &user.name;
    let from_env = |variable: Option<String>| match variable {
        None => Ok(None),
        Some(variable) => std::env::var(&variable).map(|value| Some(Secret(value))).map_err(|_| {
            Failure::usage(format!("users: {name}: the environment has no variable {variable}"))
        }),
    };
    let given = [
        user.token.is_some(),
        user.token_env.is_some(),
        user.api_key.is_some(),
        user.api_key_env.is_some(),
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        return Err(Failure::usage(format!(
            "users: {name}: give exactly one of token, token_env, api_key, api_key_env"
        )));
    }
    let token = from_env(user.token_env.take())?;
    let api_key = from_env(user.api_key_env.take())?;
    user.token = user.token.take().or(token);
    user.api_key = user.api_key.take().or(api_key);
    Ok(())
}
