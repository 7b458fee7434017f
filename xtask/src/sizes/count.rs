//! Counts the lines of one file, of its functions, and the methods of its traits; tests apart.

use proc_macro2::LineColumn;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ImplItemFn, ItemFn, ItemMod, ItemTrait, Signature, TraitItem};

/// What one file comes to.
#[derive(Debug, Default)]
pub(super) struct FileCount {
    /// Lines before its tests.
    pub(super) lines: usize,
    pub(super) test_lines: usize,
    pub(super) functions: Vec<Span>,
    pub(super) traits: Vec<Trait>,
}

/// Something that takes lines.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Its file, and for a function the line and the name.
    pub(super) place: String,
    pub(super) lines: usize,
}

/// A trait, and how many methods an implementation has to write.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trait {
    pub(super) place: String,
    pub(super) required: usize,
}

impl FileCount {
    pub(super) fn of(place: &str, text: &str) -> syn::Result<Self> {
        let file = syn::parse_file(text)?;
        let mut counter = Counter { place, count: Self::default() };
        counter.visit_file(&file);
        let mut count = counter.count;
        count.lines = text.lines().count() - count.test_lines;
        Ok(count)
    }
}

struct Counter<'a> {
    place: &'a str,
    count: FileCount,
}

impl Counter<'_> {
    fn add_function(&mut self, signature: &Signature, body: &Block) {
        let start = signature.span().start();
        let place = self.place_of(start, &signature.ident.to_string());
        let lines = body.span().end().line + 1 - start.line;
        self.count.functions.push(Span { place, lines });
    }

    fn place_of(&self, at: LineColumn, name: &str) -> String {
        format!("{}:{} {name}", self.place, at.line)
    }
}

impl<'ast> Visit<'ast> for Counter<'_> {
    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        if !is_test(&module.attrs) {
            return visit::visit_item_mod(self, module);
        }
        let (start, end) = (module.span().start(), module.span().end());
        self.count.test_lines += end.line + 1 - start.line;
    }

    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        if !is_test(&function.attrs) {
            self.add_function(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        if !is_test(&function.attrs) {
            self.add_function(&function.sig, &function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_trait(&mut self, found: &'ast ItemTrait) {
        let methods = || {
            found.items.iter().filter_map(|item| match item {
                TraitItem::Fn(function) => Some(function),
                _ => None,
            })
        };
        let required = methods().filter(|function| function.default.is_none()).count();
        let place = self.place_of(found.ident.span().start(), &found.ident.to_string());
        self.count.traits.push(Trait { place, required });
        for function in methods() {
            if let Some(body) = &function.default {
                self.add_function(&function.sig, body);
            }
        }
        visit::visit_item_trait(self, found);
    }
}

/// `#[test]`, `#[tokio::test]`, and `#[cfg(test)]` in any of its forms but `not(test)`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        if path.is_ident("cfg") {
            let tokens = attribute.meta.require_list().map(|list| list.tokens.to_string());
            return tokens.is_ok_and(|tokens| {
                let mut words = tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
                words.clone().any(|word| word == "test") && !words.any(|word| word == "not")
            });
        }
        path.segments.last().is_some_and(|segment| segment.ident == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::{FileCount, Span, Trait};

    const FILE: &str = "\
//! A file.

/// Adds.
#[inline]
pub fn add(
    a: u8,
) -> u8 {
    a + 1
}

trait Wide {
    fn one(&self);
    fn two(&self) {
        self.one();
    }
}

impl Wide for u8 {
    fn one(&self) {}
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_adds() {
        assert_eq!(super::add(1), 2);
    }
}
";

    #[test]
    fn tests_are_counted_apart() {
        let count = FileCount::of("a.rs", FILE).unwrap();
        assert_eq!((count.lines, count.test_lines), (21, 7));
    }

    #[test]
    fn functions_are_counted_from_their_signature_without_docs() {
        let count = FileCount::of("a.rs", FILE).unwrap();
        let span = |place: &str, lines| Span { place: place.to_owned(), lines };
        let expected = [span("a.rs:5 add", 5), span("a.rs:13 two", 3), span("a.rs:19 one", 1)];
        assert_eq!(count.functions, expected);
    }

    #[test]
    fn only_methods_without_a_body_are_required() {
        let count = FileCount::of("a.rs", FILE).unwrap();
        assert_eq!(count.traits, [Trait { place: "a.rs:11 Wide".to_owned(), required: 1 }]);
    }

    #[test]
    fn code_for_all_but_tests_is_no_test() {
        let count =
            FileCount::of("a.rs", "#[cfg(not(test))]\nmod a {\n    fn f() {}\n}\n").unwrap();
        assert_eq!((count.test_lines, count.functions.len()), (0, 1));
    }
}
