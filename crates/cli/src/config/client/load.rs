//! Lays flags over the environment over local files over the user's files.

use super::files::{self, Entries};
use super::keys::{self, KEYS};
use super::{ClientConfig, Sourced};
use crate::args::ClientFlags;
use crate::config::Source;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// Where the environment and the files are.
pub(crate) struct Surroundings {
    /// Reads an environment variable.
    pub(crate) variable: fn(&str) -> Option<String>,
    /// The working directory.
    pub(crate) folder: PathBuf,
}

impl Surroundings {
    /// Those of this process.
    pub(crate) fn of_process() -> Self {
        Self {
            variable: |name| std::env::var(name).ok(),
            folder: std::env::current_dir().unwrap_or_default(),
        }
    }
}

/// Reads the settings of a call. `more` are those flags of a command that are settings too.
///
/// # Errors
/// A usage failure that names the file or the variable.
pub(crate) fn load(
    flags: &ClientFlags,
    more: Vec<(&'static str, Option<String>)>,
) -> Result<ClientConfig, Failure> {
    gather(flags, more, &Surroundings::of_process())
}

fn gather(
    flags: &ClientFlags,
    more: Vec<(&'static str, Option<String>)>,
    around: &Surroundings,
) -> Result<ClientConfig, Failure> {
    let mut config = ClientConfig::default();
    // The strongest come first: what is there is not replaced.
    config.lay(of_flags(flags, more), &Source::Flag);
    config.lay(of_environment(around), &Source::Env);
    let named: Vec<&PathBuf> = flags.config.iter().filter(|path| !is_server_file(path)).collect();
    for path in named.iter().rev() {
        config.lay_file(path, Source::LocalFile, true)?;
    }
    if named.is_empty()
        && let Some(path) = files::nearest_env(&around.folder)
    {
        config.lay_file(&path, Source::LocalFile, false)?;
    }
    if let Some(folder) = user_folder(around) {
        for name in ["config.yaml", ".env"] {
            let path = folder.join(name);
            if path.is_file() {
                config.lay_file(&path, Source::GlobalFile, false)?;
            }
        }
    }
    Ok(config)
}

/// Whether a file named on the command line is for servers.
pub(crate) fn is_server_file(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

/// `~/.config/a2a-cli`, which the official command line uses too.
fn user_folder(around: &Surroundings) -> Option<PathBuf> {
    let variable = |name| (around.variable)(name).filter(|value| !value.is_empty());
    let base = variable("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")))?;
    Some(base.join("a2a-cli"))
}

fn of_environment(around: &Surroundings) -> Entries {
    KEYS.iter()
        .filter_map(|key| {
            let value = (around.variable)(&keys::variable(key.name))?;
            Some((key.name, files::split(key.list, &value)))
        })
        .collect()
}

fn of_flags(flags: &ClientFlags, more: Vec<(&'static str, Option<String>)>) -> Entries {
    let text = |value: &Option<String>| value.clone().into_iter().collect::<Vec<String>>();
    let switch = |on: bool| if on { vec!["true".to_owned()] } else { Vec::new() };
    let mut entries = vec![
        ("agent-card", text(&flags.agent_card)),
        ("endpoint", text(&flags.endpoint)),
        ("transport", flags.transport.clone()),
        ("a2a-version", text(&flags.a2a_version)),
        ("svc-param", flags.svc_param.clone()),
        ("auth", text(&flags.auth)),
        ("bearer", text(&flags.bearer)),
        ("api-key", text(&flags.api_key)),
        ("tenant", text(&flags.tenant)),
        ("timeout", text(&flags.timeout)),
        ("output", text(&flags.output)),
        ("json-shape", text(&flags.json_shape)),
        ("verbose", switch(flags.verbose)),
        ("debug", switch(flags.debug)),
        ("insecure", switch(flags.insecure)),
    ];
    entries.extend(more.into_iter().map(|(key, value)| (key, text(&value))));
    entries
}

impl ClientConfig {
    fn lay(&mut self, entries: Entries, source: &Source) {
        for (key, values) in entries {
            if !values.is_empty() && !self.values.contains_key(key) {
                self.values.insert(key, Sourced { values, source: source.clone() });
            }
        }
    }

    fn lay_file(
        &mut self,
        path: &Path,
        source: fn(PathBuf) -> Source,
        strict: bool,
    ) -> Result<(), Failure> {
        let entries = files::read(path, strict)?;
        let secret = |(name, _): &(&str, Vec<String>)| {
            KEYS.iter().any(|key| key.name == *name && key.secret)
        };
        if entries.iter().any(secret) && files::is_exposed(path) {
            self.exposed.push(path.to_owned());
        }
        self.lay(entries, &source(path.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Surroundings, gather};
    use crate::args::ClientFlags;
    use crate::config::Source;
    use sabir_testkit::DataDir;
    use std::fs;
    use std::path::Path;

    fn nowhere(folder: &Path) -> Surroundings {
        Surroundings { variable: |_| None, folder: folder.to_owned() }
    }

    #[test]
    fn a_flag_wins_over_the_environment_over_the_nearest_file() {
        let folder = DataDir::new();
        let inner = folder.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        let text = "A2ACLI_TENANT=file\nA2ACLI_BEARER=t0k\nA2ACLI_OUTPUT=json\nOTHER=x\n";
        fs::write(folder.path().join(".env"), text).unwrap();
        let around = Surroundings {
            variable: |name| match name {
                "A2ACLI_TENANT" | "A2ACLI_OUTPUT" => Some("env".into()),
                "A2ACLI_TRANSPORT" => Some("rest, jsonrpc".into()),
                _ => None,
            },
            folder: inner,
        };
        let flags = ClientFlags { tenant: Some("flag".into()), ..ClientFlags::default() };
        let config = gather(&flags, vec![("task-id", Some("t".into()))], &around).unwrap();
        assert_eq!(config.get("tenant"), Some("flag"));
        assert_eq!(config.get("output"), Some("env"));
        assert_eq!(config.get("bearer"), Some("t0k"));
        assert_eq!(config.get("task-id"), Some("t"));
        assert_eq!(config.all("transport"), ["rest", "jsonrpc"]);
        let bearer = config.shown().into_iter().find(|shown| shown.name == "bearer").unwrap();
        assert_eq!(bearer.value, "<redacted>");
        assert!(matches!(bearer.source, Source::LocalFile(_)));
    }

    #[test]
    fn a_named_yaml_file_stands_in_place_of_the_nearest_env_and_its_keys_are_checked() {
        let folder = DataDir::new();
        fs::write(folder.path().join(".env"), "A2ACLI_TENANT=env\n").unwrap();
        let yaml = folder.path().join("agent.yaml");
        fs::write(&yaml, "agent-card: http://localhost:9000\ntransport: [jsonrpc]\n").unwrap();
        let flags = ClientFlags { config: vec![yaml.clone()], ..ClientFlags::default() };
        let config = gather(&flags, Vec::new(), &nowhere(folder.path())).unwrap();
        assert_eq!(config.get("agent-card"), Some("http://localhost:9000"));
        assert_eq!(config.get("tenant"), None);
        fs::write(&yaml, "agent-crad: x\n").unwrap();
        let failure = gather(&flags, Vec::new(), &nowhere(folder.path())).unwrap_err();
        assert_eq!(failure.hint.as_deref(), Some("did you mean `agent-card`?"));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_with_a_secret_that_others_can_read_is_noticed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = DataDir::new();
        let path = folder.path().join(".env");
        fs::write(&path, "A2ACLI_BEARER=x\n").unwrap();
        for (mode, exposed) in [(0o600, 0), (0o644, 1)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let config = gather(&ClientFlags::default(), Vec::new(), &nowhere(folder.path()));
            assert_eq!(config.unwrap().exposed.len(), exposed, "{mode:o}");
        }
    }
}
