//! Turns the settings into what a server is made of.

use super::{ErrorTable, FileBytes, Idempotency, InputModes, Settings, Synchronous, User};
use crate::config::value::{Listen, Size, Span};
use crate::failure::Failure;
use sabir::presets::{self, Preset};
use sabir_bindings::{Binding, ServerConfig, StaticTokens, Tls};
use sabir_engine::{EngineConfig, Retention};
use sabir_types::Principal;
use std::path::PathBuf;
use std::time::Duration;

/// Puts a value in place if there is one.
fn put<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

fn time(span: Option<Span>) -> Option<Duration> {
    span.map(|span| span.0)
}

fn seconds(span: Option<Span>) -> Option<u64> {
    span.map(|span| span.0.as_secs())
}

fn bytes(size: Option<Size>) -> Option<u64> {
    size.map(|size| size.0)
}

fn count(size: Option<Size>) -> Option<usize> {
    size.map(|size| usize::try_from(size.0).unwrap_or(usize::MAX))
}

impl Settings {
    /// Everything but who may call; `data` is where a command keeps tasks by itself.
    ///
    /// # Errors
    /// A usage failure that names the key.
    pub(crate) fn preset(&self, data: Option<&str>) -> Result<Preset, Failure> {
        let data = self.data.clone().or(data.map(PathBuf::from)).filter(|_| !self.memory);
        let mut preset = match data {
            Some(folder) => presets::durable(folder),
            None => presets::memory(),
        };
        preset.synchronous = match self.synchronous {
            Synchronous::Full => sabir_stores::Synchronous::Full,
            Synchronous::Normal => sabir_stores::Synchronous::Normal,
        };
        self.retain(&mut preset.retention);
        self.run(&mut preset.engine);
        self.serve(&mut preset.server)?;
        preset.webhooks.allow_loopback = self.webhooks.allow_loopback;
        put(&mut preset.drain, time(self.drain));
        Ok(preset)
    }

    fn retain(&self, retention: &mut Retention) {
        let told = &self.retention;
        put(&mut retention.tasks, told.tasks);
        put(&mut retention.bytes, bytes(told.bytes));
        put(&mut retention.finished_secs, seconds(told.finished));
        put(&mut retention.waiting_secs, seconds(told.waiting));
        put(&mut retention.resume_secs, seconds(told.resume));
        put(&mut retention.messages, told.messages);
    }

    fn run(&self, engine: &mut EngineConfig) {
        engine.idempotency = match self.idempotency {
            Idempotency::All => sabir_engine::Idempotency::All,
            Idempotency::Authenticated => sabir_engine::Idempotency::Authenticated,
            Idempotency::Off => sabir_engine::Idempotency::Off,
        };
        engine.input_modes = match self.input_modes {
            InputModes::Card => sabir_engine::InputModes::Card,
            InputModes::Any => sabir_engine::InputModes::Any,
        };
        put(&mut engine.idempotency_principals, time(self.retention.message_age));
        put(&mut engine.idempotency_anonymous, time(self.retention.anonymous_message_age));
        put(&mut engine.grace, time(self.tasks.grace));
        put(&mut engine.first_event, time(self.tasks.first_event));
        engine.abandoned = time(self.tasks.abandoned);
        put(&mut engine.queue, self.limits.queue);
        put(&mut engine.history, self.limits.history);
        put(&mut engine.pushes, self.limits.pushes);
        put(&mut engine.log_bytes, bytes(self.limits.log_bytes));
        put(&mut engine.turn_bytes, count(self.limits.turn_bytes));
        put(&mut engine.push_settle, time(self.push.settle));
    }

    fn serve(&self, server: &mut ServerConfig) -> Result<(), Failure> {
        let wrong = |key: &str, text: &str, what: &str| {
            Failure::usage(format!("the setting `{key}` must be {what}, not `{text}`"))
        };
        if let Some(url) = &self.public_url {
            let what = "an http or https URL such as `https://agents.example.com`";
            server.public_url = Some(url.parse().map_err(|_| wrong("public_url", url, what))?);
        }
        server.tls = match (&self.tls.cert, &self.tls.key) {
            (Some(cert), Some(key)) => Some(Tls::read(cert, key).map_err(|error| {
                Failure::usage(format!("the settings `tls.cert` and `tls.key`: {error}"))
            })?),
            (None, None) => None,
            _ => return Err(Failure::usage("`tls.cert` and `tls.key` belong together")),
        };
        for proxy in &self.trusted_proxies.0 {
            let net = proxy
                .parse()
                .or_else(|_| proxy.parse::<std::net::IpAddr>().map(ipnet::IpNet::from));
            let what = "a list of addresses or networks such as `10.0.0.0/8`";
            server.trusted_proxies.push(net.map_err(|_| wrong("trusted_proxies", proxy, what))?);
        }
        server.allowed_hosts.clone_from(&self.allowed_hosts.0);
        if !self.bindings.0.is_empty() {
            let what = "a list of `jsonrpc`, `rest` and `grpc`";
            let binding =
                |name: &String| binding(name).ok_or_else(|| wrong("bindings", name, what));
            server.bindings = self.bindings.0.iter().map(binding).collect::<Result<_, _>>()?;
        }
        server.error_table = match self.error_table {
            ErrorTable::V1_0_1 => sabir_types::ErrorTable::V1_0_1,
            ErrorTable::V1_0_0 => sabir_types::ErrorTable::V1_0_0,
        };
        server.v0_3 = self.v0_3;
        server.v0_3_file_bytes = match self.v0_3_file_bytes {
            FileBytes::Text => sabir_bindings::FileBytes::Text,
            FileBytes::Plain => sabir_bindings::FileBytes::Plain,
        };
        put(&mut server.heartbeat, time(self.heartbeat));
        put(&mut server.card_max_age, time(self.card_max_age));
        put(&mut server.body_bytes, count(self.limits.body_bytes));
        put(&mut server.json_depth, self.limits.json_depth);
        put(&mut server.header_bytes, count(self.limits.header_bytes));
        put(&mut server.headers, self.limits.headers);
        put(&mut server.http2_streams, self.limits.http2_streams);
        put(&mut server.connections, self.limits.connections);
        Ok(())
    }

    /// Who may call; `None` if everybody may.
    pub(crate) fn tokens(&self) -> Option<StaticTokens> {
        if self.users.is_empty() {
            return None;
        }
        let tokens = self.users.iter().fold(StaticTokens::new(), |tokens, user| {
            let User { name, token, api_key, .. } = user;
            let principal = Principal::new(name.as_str());
            match (token, api_key) {
                (Some(token), _) => tokens.bearer(&token.0, principal),
                (None, Some(key)) => tokens.api_key(&key.0, principal),
                (None, None) => tokens,
            }
        });
        Some(if self.anonymous { tokens.allow_anonymous() } else { tokens })
    }

    /// Where to listen: flags, then the settings, then the command's own port.
    pub(crate) fn place(&self, host: Option<&str>, port: Option<u16>, usual: u16) -> Listen {
        let told = self.listen.clone().unwrap_or_else(|| Listen::new("127.0.0.1", usual));
        Listen::new(host.unwrap_or(&told.host), port.unwrap_or(told.port))
    }
}

fn binding(name: &str) -> Option<Binding> {
    match name.parse::<sabir_client::Transport>().ok()? {
        sabir_client::Transport::JsonRpc => Some(Binding::JsonRpc),
        sabir_client::Transport::HttpJson => Some(Binding::HttpJson),
        sabir_client::Transport::Grpc => Some(Binding::Grpc),
    }
}
