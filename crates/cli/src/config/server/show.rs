//! Every setting of a server with its value and where it came from.

use super::Settings;
use super::load::{FLAG, Loaded, PREFIX};
use crate::config::{REDACTED, Shown, Source, UNSET};
use figment::value::Value;

/// Every key, in the order in which they are shown, with what holds while nobody says anything.
const KEYS: [(&str, &str); 44] = [
    ("listen", "127.0.0.1:7420 (up), :8080 (server), :9000 or :9999 (sample)"),
    ("public_url", UNSET),
    ("tls.cert", UNSET),
    ("tls.key", UNSET),
    ("data", "./.sabir (up), otherwise memory"),
    ("memory", "false"),
    ("synchronous", "full"),
    ("users", UNSET),
    ("anonymous", "true without users, otherwise false"),
    ("idempotency", "all"),
    ("input_modes", "card"),
    ("error_table", "1.0.1"),
    ("allowed_hosts", UNSET),
    ("trusted_proxies", UNSET),
    ("bindings", "jsonrpc, rest, grpc"),
    ("v0_3", "false"),
    ("v0_3_file_bytes", "text"),
    ("card_max_age", "5m"),
    ("heartbeat", "15s"),
    ("drain", "10s"),
    ("retention.tasks", "10000 in memory, 1000000 on disk"),
    ("retention.bytes", "256 MiB in memory, 16 GiB on disk"),
    ("retention.finished", "1h in memory, 30d on disk"),
    ("retention.waiting", "1d in memory, 90d on disk"),
    ("retention.resume", "10m in memory, 1d on disk"),
    ("retention.messages", "50000 in memory, 10000000 on disk"),
    ("retention.message_age", "24h"),
    ("retention.anonymous_message_age", "10m"),
    ("tasks.grace", "5s"),
    ("tasks.abandoned", UNSET),
    ("tasks.first_event", "1s"),
    ("limits.body_bytes", "10 MiB"),
    ("limits.json_depth", "64"),
    ("limits.header_bytes", "64 KiB"),
    ("limits.headers", "100"),
    ("limits.http2_streams", "250"),
    ("limits.connections", "16384"),
    ("limits.queue", "16"),
    ("limits.history", "200"),
    ("limits.pushes", "100"),
    ("limits.log_bytes", "256 MiB"),
    ("limits.turn_bytes", "1 MiB"),
    ("webhooks.allow_loopback", "false"),
    ("push.settle", "0s"),
];

/// Every key.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().map(|(key, _)| key)
}

impl Loaded {
    /// Every setting with its value and where it came from.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        KEYS.into_iter().map(|(key, default)| self.show(key, default)).collect()
    }

    fn show(&self, key: &str, default: &str) -> Shown {
        let variable = format!("{PREFIX}{}", key.replace('.', "__").to_uppercase());
        let name = key.to_owned();
        match self.layers.find_value(key) {
            Ok(value) => {
                let value = if key == "users" { users(&self.settings) } else { text(&value) };
                Shown { name, variable, value, source: self.source(key) }
            }
            Err(_) => Shown { name, variable, value: default.into(), source: Source::Default },
        }
    }

    fn source(&self, key: &str) -> Source {
        let Some(metadata) = self.layers.find_metadata(key) else { return Source::Default };
        match &metadata.source {
            Some(figment::Source::File(path)) => Source::LocalFile(path.clone()),
            _ if metadata.name == FLAG => Source::Flag,
            _ => Source::Env,
        }
    }
}

/// The users by name; what proves them stays secret.
fn users(settings: &Settings) -> String {
    let users: Vec<String> = settings
        .users
        .iter()
        .map(|user| {
            let kind = if user.token.is_some() { "token" } else { "api_key" };
            format!("{} ({kind} {REDACTED})", user.name)
        })
        .collect();
    if users.is_empty() { UNSET.to_owned() } else { users.join(", ") }
}

/// A value as one would write it.
fn text(value: &Value) -> String {
    match value {
        Value::String(_, text) => text.clone(),
        Value::Char(_, c) => c.to_string(),
        Value::Bool(_, flag) => flag.to_string(),
        Value::Num(_, number) => number
            .to_u128()
            .map(|number| number.to_string())
            .or_else(|| number.to_i128().map(|number| number.to_string()))
            .or_else(|| number.to_f64().map(|number| number.to_string()))
            .unwrap_or_default(),
        Value::Array(_, items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Empty(..) | Value::Dict(..) => UNSET.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::keys;
    use crate::config::server::{Flags, Settings};
    use figment::Figment;
    use figment::error::Kind;
    use std::collections::BTreeSet;

    /// The members that settings have below a key, as the reader of settings knows them.
    fn members(section: &str) -> Vec<String> {
        let prefix = if section.is_empty() { String::new() } else { format!("{section}.") };
        let mut flags = Flags::default();
        flags.set(&format!("{prefix}no_such_setting"), Some(1));
        match Figment::from(flags).extract::<Settings>().unwrap_err().kind {
            Kind::UnknownField(_, known) => {
                known.iter().map(|member| format!("{prefix}{member}")).collect()
            }
            other => panic!("{other}"),
        }
    }

    #[test]
    fn every_setting_is_shown_and_everything_shown_is_a_setting() {
        let sections: BTreeSet<String> = keys()
            .filter_map(|key| key.split_once('.'))
            .map(|(section, _)| section.into())
            .collect();
        let inner = sections.iter().flat_map(|section| members(section));
        let outer = members("").into_iter().filter(|member| !sections.contains(member));
        let known: BTreeSet<String> = outer.chain(inner).collect();
        assert_eq!(keys().map(str::to_owned).collect::<BTreeSet<String>>(), known);
    }
}
