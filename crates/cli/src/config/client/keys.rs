//! The names of the settings.

/// One setting.
pub(super) struct Key {
    /// The long flag, and the key in a file.
    pub(super) name: &'static str,
    /// Whether its value is never shown.
    pub(super) secret: bool,
    /// Whether it takes several values.
    pub(super) list: bool,
    /// What holds while nobody says anything.
    pub(super) default: Option<&'static str>,
}

const fn key(name: &'static str, default: Option<&'static str>) -> Key {
    Key { name, secret: false, list: false, default }
}

const fn secret(name: &'static str) -> Key {
    Key { name, secret: true, list: false, default: None }
}

const fn list(name: &'static str) -> Key {
    Key { name, secret: false, list: true, default: None }
}

/// Every setting, in the order in which they are shown.
pub(super) const KEYS: [Key; 19] = [
    key("agent-card", None),
    key("endpoint", None),
    list("transport"),
    key("a2a-version", Some("1.0")),
    // Service parameters are headers, and headers may be credentials.
    Key { name: "svc-param", secret: true, list: true, default: None },
    secret("auth"),
    secret("bearer"),
    secret("api-key"),
    key("tenant", None),
    key("timeout", Some("30s a request")),
    key("output", Some("text")),
    key("json-shape", Some("official")),
    key("verbose", Some("false")),
    key("debug", Some("false")),
    key("insecure", Some("false")),
    key("task-id", None),
    key("context-id", None),
    key("async", Some("false")),
    key("poll-interval", Some("2s")),
];

/// The setting of that name, which may also be written with underscores or in capitals.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    KEYS.iter().find(|key| key.name == name)
}

/// The environment variable of a setting.
pub(super) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('-', "_").to_ascii_uppercase())
}

/// What the names of environment variables begin with.
pub(super) const PREFIX: &str = "A2ACLI_";
