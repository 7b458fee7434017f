//! `--debug`: what goes over the wire, on stderr. Secrets were taken out before.

use crate::text;
use sabir_client::WireEvent;
use std::io::{self, Write};

/// Shows an event.
pub(super) fn show(event: &WireEvent) {
    // If stderr is gone there is nobody to show it to.
    let _ = io::stderr().lock().write_all(lines(event).as_bytes());
}

fn lines(event: &WireEvent) -> String {
    match event {
        WireEvent::Request { method, url, headers, body } => {
            format!(
                "> {method} {}\n{}{}",
                text::clean(url, 2),
                fields('>', headers),
                body_of('>', body)
            )
        }
        WireEvent::Answer { status, headers } => format!("< {status}\n{}", fields('<', headers)),
        WireEvent::Body { body } => body_of('<', body),
        WireEvent::Event { id, data } => {
            let id = id.as_deref().map(|id| format!(" {}", text::clean(id, 2))).unwrap_or_default();
            format!("< event{id}\n{}", body_of('<', data))
        }
        WireEvent::Failed { reason } => format!("! {}\n", text::clean(reason, 2)),
        _ => String::new(),
    }
}

fn fields(mark: char, headers: &[(String, String)]) -> String {
    headers
        .iter()
        .map(|(name, value)| format!("{mark} {name}: {}\n", text::clean(value, 2)))
        .collect()
}

fn body_of(mark: char, body: &str) -> String {
    if body.is_empty() { String::new() } else { format!("{mark} {}\n", text::clean(body, 2)) }
}
