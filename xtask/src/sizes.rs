//! Prints how large files, functions and traits are. It informs and never fails a build.

mod count;
mod summary;

use crate::metadata::Metadata;
use crate::workspace::{Outcome, files, from_root, has_extension, root};
use count::{FileCount, Span, Trait};
use std::fs;
use std::path::Path;
use summary::Summary;

/// Above these, a file, a function or a trait is named.
const LONG_FILE: usize = 700;
const LONG_FUNCTION: usize = 80;
const WIDE_TRAIT: usize = 6;

/// What one crate comes to.
#[derive(Default)]
struct Sizes {
    files: Vec<Span>,
    functions: Vec<Span>,
    traits: Vec<Trait>,
    test_lines: usize,
}

pub(crate) fn run() -> Outcome {
    let metadata = Metadata::read()?;
    let mut packages: Vec<_> = metadata.members().map(|p| (p.folder(), p.path())).collect();
    packages.sort_unstable();
    let mut all = Sizes::default();
    println!("{}", summary::HEADER);
    for (name, path) in packages {
        let sizes = Sizes::of(&root().join(path))?;
        println!("{}", summary(name, &sizes));
        all.add(sizes);
    }
    println!("{}", summary("all", &all));
    println!("{}", summary::AIMS);
    print_long("files", LONG_FILE, &all.files);
    print_long("functions", LONG_FUNCTION, &all.functions);
    print_wide(&all.traits);
    Ok(())
}

fn summary(name: &str, sizes: &Sizes) -> Summary {
    let lines = |spans: &[Span]| spans.iter().map(|span| span.lines).collect();
    Summary::new(name, lines(&sizes.files), lines(&sizes.functions), sizes.test_lines)
}

fn print_long(what: &str, limit: usize, spans: &[Span]) {
    let mut long: Vec<_> = spans.iter().filter(|span| span.lines > limit).collect();
    long.sort_unstable_by_key(|span| std::cmp::Reverse(span.lines));
    println!("\n{what} over {limit} lines: {}", long.len());
    for span in long {
        println!("  {:>5}  {}", span.lines, span.place);
    }
}

fn print_wide(traits: &[Trait]) {
    let wide: Vec<_> = traits.iter().filter(|found| found.required > WIDE_TRAIT).collect();
    println!("\ntraits with more than {WIDE_TRAIT} required methods: {}", wide.len());
    for found in wide {
        println!("  {:>5}  {}", found.required, found.place);
    }
}

impl Sizes {
    /// Counts the sources below a package's folder.
    fn of(package: &Path) -> Outcome<Self> {
        let mut sizes = Self::default();
        for file in files(package, &|path| has_extension(path, "rs"))? {
            let text = fs::read_to_string(&file)?;
            let place = from_root(&file);
            if is_test(file.strip_prefix(package)?) {
                sizes.test_lines += text.lines().count();
                continue;
            }
            match FileCount::of(&place, &text) {
                Ok(count) => sizes.add_file(&place, count),
                Err(error) => eprintln!("not counted: {place}: {error}"),
            }
        }
        Ok(sizes)
    }

    fn add_file(&mut self, place: &str, count: FileCount) {
        self.files.push(Span { place: place.to_owned(), lines: count.lines });
        self.functions.extend(count.functions);
        self.traits.extend(count.traits);
        self.test_lines += count.test_lines;
    }

    fn add(&mut self, other: Self) {
        self.files.extend(other.files);
        self.functions.extend(other.functions);
        self.traits.extend(other.traits);
        self.test_lines += other.test_lines;
    }
}

/// Whether a file of a package is a test as a whole.
fn is_test(path: &Path) -> bool {
    path.starts_with("tests") || path.file_stem().is_some_and(|stem| stem == "tests")
}
