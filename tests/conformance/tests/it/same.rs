//! Makes what is different in each run the same, so that transcripts can be compared.

use serde_json::Value;

/// The transcript as lines, with ids numbered in the order in which they come, without times and
/// without the names of this run.
pub(crate) fn normalised(transcript: &[Value], names: &[(String, &str)]) -> Vec<String> {
    let mut ids = Vec::new();
    let line = |entry: &Value| {
        let mut text = entry.to_string();
        for (name, plain) in names {
            text = text.replace(name.as_str(), plain);
        }
        without_run(&text, &mut ids)
    };
    transcript.iter().map(line).collect()
}

/// Replaces UUIDs by their number and timestamps by a word.
fn without_run(text: &str, ids: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(id) = rest.get(..36).filter(|id| is(id, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
        {
            let known = ids.iter().position(|known| known == id);
            let number = known.unwrap_or_else(|| {
                ids.push(id.to_owned());
                ids.len() - 1
            });
            out.push_str(&format!("id-{number}"));
            rest = &rest[36..];
        } else if rest.get(..24).is_some_and(|at| is(at, "dddd-dd-ddTdd:dd:dd.dddZ")) {
            out.push_str("time");
            rest = &rest[24..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

fn is(text: &str, pattern: &str) -> bool {
    text.bytes().zip(pattern.bytes()).all(|(byte, want)| match want {
        b'x' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        b'd' => byte.is_ascii_digit(),
        want => byte == want,
    })
}

#[test]
fn ids_are_numbered_and_times_are_not_told() {
    let id = "01a22f18-14c4-7384-b01c-78e5158cbc9a";
    let text = format!("{id} at 2026-12-01T00:53:57.060Z, {id}");
    assert_eq!(without_run(&text, &mut Vec::new()), "id-0 at time, id-0");
}
