//! Parts on one line.

use super::clean;
use sabir_types::{Content, Part};

/// The parts joined with one space; each is named, none is left out.
pub(crate) fn parts(parts: &[Part], indent: usize) -> String {
    let texts: Vec<String> = parts.iter().map(|part| self::part(part, indent)).collect();
    texts.join(" ")
}

fn part(part: &Part, indent: usize) -> String {
    match &part.content {
        Content::Text(text) => clean(text, indent),
        // serde_json keeps the keys of an object sorted.
        Content::Data(value) => clean(&value.to_string(), indent),
        Content::Raw(bytes) => file(part, &size(bytes.len())),
        Content::Url(url) => file(part, url),
        _ => "(a part of a kind this version does not know)".to_owned(),
    }
}

/// `file: name (mime, size or address)`.
fn file(part: &Part, what: &str) -> String {
    let name = part.filename.as_deref().unwrap_or("unnamed");
    let about = match part.media_type.as_deref() {
        Some(media_type) => format!("{media_type}, {what}"),
        None => what.to_owned(),
    };
    clean(&format!("file: {name} ({about})"), 0).replace('\n', " ")
}

/// A number of bytes for people: `12 B`, `1.5 KiB`.
fn size(bytes: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::{parts, size};
    use sabir_types::{Content, Part};
    use serde_json::json;

    fn of(content: Content) -> Part {
        content.into()
    }

    #[test]
    fn every_kind_of_part_is_named() {
        let mut raw = of(Content::Raw(vec![0; 1536].into()));
        raw.filename = Some("a.bin".into());
        raw.media_type = Some("application/octet-stream".into());
        let all = [
            of(Content::Text("see".into())),
            of(Content::Data(json!({"b": 1, "a": [true]}))),
            raw,
            of(Content::Url("https://example.org/x".into())),
        ];
        assert_eq!(
            parts(&all, 0),
            r#"see {"a":[true],"b":1} file: a.bin (application/octet-stream, 1.5 KiB) file: unnamed (https://example.org/x)"#
        );
    }

    #[test]
    fn sizes_are_for_people() {
        assert_eq!(size(12), "12 B");
        assert_eq!(size(1024), "1.0 KiB");
        assert_eq!(size(8 << 20), "8.0 MiB");
    }
}
