//! Builds the message that `send` sends.

use crate::args::{PartFlag, PartKind};
use crate::failure::Failure;
use sabir_types::{Content, JsonObject, Part};
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Files above this size make the request so large that most agents refuse it.
pub(crate) const LARGE: usize = 8 << 20;

/// The parts: the text first, then the flags in order.
pub(crate) fn parts(text: Option<&str>, flags: &[PartFlag]) -> Result<Vec<Part>, Failure> {
    let mut parts: Vec<Part> = text.map(Part::text).into_iter().collect();
    for flag in flags {
        parts.push(part(flag)?);
    }
    if parts.is_empty() {
        return Err(Failure::usage("there is nothing to send")
            .hint("give a text, or --text-part, --file-part or --data-part"));
    }
    Ok(parts)
}

fn part(flag: &PartFlag) -> Result<Part, Failure> {
    let mut part = match flag.kind {
        PartKind::Text => Part::text(flag.value.as_str()),
        PartKind::File => file(&flag.value)?,
        PartKind::Data => of(Content::Data(data(&flag.value)?)),
    };
    if let Some(media_type) = &flag.media_type {
        part.media_type = Some(media_type.clone());
    }
    Ok(part)
}

fn of(content: Content) -> Part {
    Part { content, ..Part::default() }
}

/// A file that is sent along, or a URL that is only named.
fn file(reference: &str) -> Result<Part, Failure> {
    const SCHEMES: [&str; 6] = ["http", "https", "s3", "gs", "ftp", "ftps"];
    let scheme = reference.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    if scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.as_str())) {
        return Ok(of(Content::Url(reference.to_owned())));
    }
    if reference == "-" {
        return Ok(of(Content::Raw(stdin("--file-part")?.into())));
    }
    let path = Path::new(reference.strip_prefix("file://").unwrap_or(reference));
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::usage(format!("--file-part {} cannot be read: {error}", path.display()))
    })?;
    let mut part = of(Content::Raw(bytes.into()));
    part.filename = path.file_name().map(|name| name.to_string_lossy().into_owned());
    part.media_type = Some(mime_guess::from_path(path).first_or_octet_stream().to_string());
    Ok(part)
}

/// JSON that stands in the flag itself, in a file, or on stdin.
fn data(reference: &str) -> Result<Value, Failure> {
    let bytes = match reference {
        "-" => stdin("--data-part")?,
        _ => std::fs::read(reference).unwrap_or_else(|_| reference.as_bytes().to_vec()),
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        Failure::usage(format!("--data-part is neither a file that can be read nor JSON: {error}"))
    })
}

fn stdin(flag: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::usage(format!("{flag}: stdin cannot be read: {error}")))?;
    Ok(bytes)
}

/// The objects of `--metadata`, merged; a later one wins.
pub(crate) fn metadata(objects: &[String]) -> Result<Option<JsonObject>, Failure> {
    let mut merged = JsonObject::new();
    for object in objects {
        let object: JsonObject = serde_json::from_str(object)
            .map_err(|error| Failure::usage(format!("--metadata is no JSON object: {error}")))?;
        merged.extend(object);
    }
    Ok((!objects.is_empty()).then_some(merged))
}

/// The number of `--history`.
pub(crate) fn history(number: Option<&str>) -> Result<Option<i32>, Failure> {
    number
        .map(|number| match number.parse() {
            Ok(number) if number >= 0 => Ok(number),
            _ => Err(Failure::usage(format!("--history must be 0 or more, not `{number}`"))),
        })
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::{metadata, parts};
    use crate::args::{PartFlag, PartKind};
    use sabir_testkit::DataDir;
    use sabir_types::Content;
    use serde_json::json;

    fn flag(kind: PartKind, value: &str) -> PartFlag {
        PartFlag { kind, value: value.to_owned(), media_type: None }
    }

    #[test]
    fn the_text_comes_first_and_files_are_sent_along_with_their_type() {
        let folder = DataDir::new();
        let path = folder.write("note.txt", "hello");
        let flags = [
            flag(PartKind::File, path.to_str().unwrap()),
            flag(PartKind::File, "https://example.org/x.png"),
            flag(PartKind::Data, r#"{"a": 1}"#),
        ];
        let parts = parts(Some("look"), &flags).unwrap();
        assert_eq!(parts[0].content, Content::Text("look".into()));
        assert_eq!(parts[1].content, Content::Raw("hello".into()));
        assert_eq!(parts[1].filename.as_deref(), Some("note.txt"));
        assert_eq!(parts[1].media_type.as_deref(), Some("text/plain"));
        assert_eq!(parts[2].content, Content::Url("https://example.org/x.png".into()));
        assert_eq!(parts[3].content, Content::Data(json!({"a": 1})));
    }

    #[test]
    fn nothing_to_send_is_refused() {
        assert_eq!(parts(None, &[]).unwrap_err().message, "there is nothing to send");
        assert!(parts(None, &[flag(PartKind::Data, "{no")]).is_err());
        assert!(parts(None, &[flag(PartKind::File, "/no/such/file")]).is_err());
    }

    #[test]
    fn metadata_is_merged() {
        let merged = metadata(&[r#"{"a":1,"b":1}"#.into(), r#"{"b":2}"#.into()]).unwrap().unwrap();
        assert_eq!(serde_json::Value::from(merged), json!({"a": 1, "b": 2}));
        assert!(metadata(&["[1]".into()]).is_err());
        assert!(metadata(&[]).unwrap().is_none());
    }
}
