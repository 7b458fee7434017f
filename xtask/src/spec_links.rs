//! Checks that links to a specification name its version and section, and that sections which
//! the text names exist.

use crate::workspace::{Outcome, files, from_root, has_extension, root};
use std::fs;
use std::path::Path;

/// The sections of the A2A specification 1.0, which is what a bare "§3.1.4" means here.
const SECTIONS: &str = include_str!("spec_links/a2a-1.0.txt");

/// A specification on the web.
struct Specification {
    /// What its addresses begin with, before the version.
    base: &'static str,
    /// What stands in the path of a page of the specification, and not of other pages.
    page: &'static str,
    /// The versions that this workspace speaks.
    versions: &'static [&'static str],
}

const SPECIFICATIONS: &[Specification] = &[Specification {
    base: "https://a2a-protocol.org/",
    page: "specification",
    versions: &["v1.0.0", "v0.3.0"],
}];

/// Words before the number of a section.
const BEFORE_SECTION: &[&str] = &["specification section ", "§ ", "§"];

pub(crate) fn run() -> Outcome {
    let mut faults = Vec::new();
    let texts = texts()?;
    for path in &texts {
        let place = from_root(path);
        for (number, line) in fs::read_to_string(path)?.lines().enumerate() {
            faults.extend(faults_of(line).map(|fault| format!("{place}:{}: {fault}", number + 1)));
        }
    }
    if faults.is_empty() {
        println!("{} files name versions and sections of specifications rightly", texts.len());
        Ok(())
    } else {
        Err(faults.join("\n       ").into())
    }
}

/// Sources and documents. This program is left out: its tests are full of faults.
fn texts() -> Outcome<Vec<std::path::PathBuf>> {
    let wanted = |path: &Path| has_extension(path, "rs") || has_extension(path, "md");
    let mut texts = Vec::new();
    for dir in ["crates", "examples", "tests", "bench", "fuzz"] {
        texts.extend(files(&root().join(dir), &wanted)?);
    }
    for entry in fs::read_dir(root())? {
        let path = entry?.path();
        if path.is_file() && wanted(&path) {
            texts.push(path);
        }
    }
    Ok(texts)
}

fn faults_of(line: &str) -> impl Iterator<Item = String> {
    let links = links(line).filter_map(|link| Some(format!("{link} {}", fault_of_link(link)?)));
    // Other documents have sections as well, and say whose they are.
    let ours = !["RFC", "HTML", "MCP", "0.3"].iter().any(|other| line.contains(other));
    let sections = sections(line).filter(move |section| ours && !exists(section));
    links.chain(sections.map(|section| format!("A2A 1.0 has no section {section}")))
}

fn links(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("https://").map(|(at, _)| {
        let link = &line[at..];
        let end = link.find(|c: char| c.is_whitespace() || "\"`<>)]}".contains(c));
        link[..end.unwrap_or(link.len())].trim_end_matches(['.', ',', ';'])
    })
}

fn fault_of_link(link: &str) -> Option<&'static str> {
    let (specification, rest) = SPECIFICATIONS
        .iter()
        .find_map(|specification| Some((specification, link.strip_prefix(specification.base)?)))?;
    let (path, section) = rest.split_once('#').unwrap_or((rest, ""));
    if !path.contains(specification.page) {
        return None;
    }
    let version = path.split('/').next().unwrap_or_default();
    if !specification.versions.contains(&version) {
        return Some("does not name a version that we speak");
    }
    // A heading "3.1.4. List Tasks" has the anchor "314-list-tasks".
    let has_number = section.starts_with(|c: char| c.is_ascii_digit());
    (!has_number).then_some("does not name a section by its number")
}

/// The numbers of sections that a line names.
fn sections(line: &str) -> impl Iterator<Item = &str> {
    BEFORE_SECTION.iter().flat_map(move |before| {
        line.match_indices(before).filter_map(|(at, before)| {
            let text = &line[at + before.len()..];
            let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
            let number = text[..end].trim_end_matches('.');
            (!number.is_empty()).then_some(number)
        })
    })
}

fn exists(section: &str) -> bool {
    SECTIONS.split_whitespace().any(|found| found == section)
}

#[cfg(test)]
mod tests {
    use super::{faults_of, sections};

    fn faults(line: &str) -> Vec<String> {
        faults_of(line).collect()
    }

    #[test]
    fn a_link_names_a_version_and_a_section() {
        let good = "see <https://a2a-protocol.org/v1.0.0/specification/#314-list-tasks>.";
        assert!(faults(good).is_empty());
        for bad in [
            "https://a2a-protocol.org/latest/specification/#314-list-tasks",
            "https://a2a-protocol.org/v1.0.0/specification/",
            "[tasks](https://a2a-protocol.org/v1.0.0/specification/#list-tasks)",
        ] {
            assert_eq!(faults(bad).len(), 1, "{bad}");
        }
    }

    #[test]
    fn addresses_that_are_no_pages_of_a_specification_are_free() {
        assert!(faults("https://a2a-protocol.org/errors/version-not-supported").is_empty());
        assert!(faults("https://example.com/latest/specification").is_empty());
    }

    #[test]
    fn a_section_that_is_named_exists() {
        assert!(faults("// §3.1.4: newest first; specification section 8.2.").is_empty());
        assert_eq!(faults("/// (specification section 3.1.12)"), ["A2A 1.0 has no section 3.1.12"]);
        assert!(faults("// RFC 9110 §99.9").is_empty());
    }

    #[test]
    fn a_number_ends_where_its_sentence_does() {
        assert_eq!(sections("as §4.1. says").collect::<Vec<_>>(), ["4.1"]);
        assert_eq!(sections("the § sign").count(), 0);
    }
}
