//! Reads `#[field(…)]`.

use crate::case;
use proc_macro2::{Ident, Span, TokenStream as Tokens};
use quote::quote;
use syn::parse::ParseStream;
use syn::{Attribute, Error, Expr, ExprLit, Lit, LitInt, LitStr, Meta, Result, Token, Type};

/// Field numbers of one message are kept in a 64-bit set while it is read.
const MAX_NUMBER: u32 = 63;

/// What `#[field(…)]` says.
pub(crate) struct FieldAttribute {
    span: Span,
    number: Option<u32>,
    name: Option<String>,
    json_name: Option<String>,
    pub(crate) required: bool,
    pub(crate) may_be_empty: bool,
    pub(crate) optional: bool,
    pub(crate) oneof: bool,
    pub(crate) unrecognized: bool,
}

impl FieldAttribute {
    /// The attribute among `attributes`, if there is one.
    pub(crate) fn find(attributes: &[Attribute]) -> Result<Option<Self>> {
        let mut found = attributes.iter().filter(|a| a.path().is_ident("field"));
        let Some(attribute) = found.next() else { return Ok(None) };
        if let Some(second) = found.next() {
            return Err(Error::new_spanned(second, "a second #[field] on the same item"));
        }
        let span = attribute.path().segments[0].ident.span();
        let parsed =
            attribute.parse_args_with(|input: ParseStream<'_>| Self::parse(span, input))?;
        parsed.check()?;
        Ok(Some(parsed))
    }

    fn parse(span: Span, input: ParseStream<'_>) -> Result<Self> {
        let mut out = Self {
            span,
            number: None,
            name: None,
            json_name: None,
            required: false,
            may_be_empty: false,
            optional: false,
            oneof: false,
            unrecognized: false,
        };
        while !input.is_empty() {
            if input.peek(LitInt) {
                out.number = Some(number(&input.parse()?)?);
            } else {
                out.word(&input.parse()?, input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(out)
    }

    fn word(&mut self, word: &Ident, input: ParseStream<'_>) -> Result<()> {
        match word.to_string().as_str() {
            "required" => self.required = true,
            "may_be_empty" => self.may_be_empty = true,
            "optional" => self.optional = true,
            "oneof" => self.oneof = true,
            "unrecognized" => self.unrecognized = true,
            "name" => self.name = Some(value(input)?),
            "json_name" => self.json_name = Some(value(input)?),
            other => {
                let message = format!(
                    "unknown word `{other}`; expected a field number, `required`, `may_be_empty`, \
                     `optional`, `name = \"…\"`, `json_name = \"…\"`, `oneof` or `unrecognized`"
                );
                return Err(Error::new(word.span(), message));
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<()> {
        let fault = if self.required && self.optional {
            "a field is `required` or `optional`, not both"
        } else if self.may_be_empty && !self.required {
            "`may_be_empty` says something only beside `required`"
        } else if self.oneof && self.number.is_some() {
            "a `oneof` has no number of its own: its members have"
        } else {
            return Ok(());
        };
        Err(Error::new(self.span, fault))
    }

    /// The field number, or an error where the attribute stands.
    pub(crate) fn number(&self) -> Result<u32> {
        self.number.ok_or_else(|| Error::new(self.span, "the field number is missing: #[field(4)]"))
    }

    /// The names of the field, given the Rust name in snake case.
    pub(crate) fn names(&self, rust_name: &str) -> Names {
        let snake = self.name.as_deref().unwrap_or(rust_name).to_owned();
        let camel = self.json_name.clone().unwrap_or_else(|| case::camel(&snake));
        Names { camel, snake }
    }

    /// The name given by `name = "…"`, in camel case.
    pub(crate) fn camel_name(&self) -> Option<String> {
        self.name.as_deref().map(case::camel)
    }
}

/// The text after a word: `= "…"`.
fn value(input: ParseStream<'_>) -> Result<String> {
    input.parse::<Token![=]>()?;
    Ok(input.parse::<LitStr>()?.value())
}

/// The documentation among `attributes`, as one line.
pub(crate) fn about(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    // What follows the first paragraph is for those who write Rust.
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What a field says of its presence.
#[derive(Clone, Copy, Default)]
pub(crate) struct Marks {
    pub(crate) required: bool,
    pub(crate) filled: bool,
    pub(crate) optional: bool,
}

/// How a field or a member looks from outside.
pub(crate) fn shape(
    names: &Names,
    number: u32,
    about: &str,
    marks: Marks,
    union: &Tokens,
    ty: &Type,
) -> Tokens {
    let wire = crate::wire();
    let Names { camel, snake } = names;
    let Marks { required, filled, optional } = marks;
    quote! {
        #wire::FieldShape {
            name: #camel,
            snake: #snake,
            number: #number,
            about: #about,
            required: #required,
            optional: #optional,
            filled: #filled,
            union: #union,
            shape: <#ty as #wire::Field>::shape(),
        }
    }
}

fn number(literal: &LitInt) -> Result<u32> {
    match literal.base10_parse() {
        Ok(number @ 1..=MAX_NUMBER) => Ok(number),
        _ => Err(Error::new(literal.span(), "a field number is between 1 and 63")),
    }
}

/// Both spellings of a field in JSON.
pub(crate) struct Names {
    pub(crate) camel: String,
    snake: String,
}

impl Names {
    /// A `match` arm from either spelling to the field number.
    pub(crate) fn arm(&self, number: u32) -> Tokens {
        let Self { camel, snake } = self;
        if camel == snake {
            quote!(#camel => #number,)
        } else {
            quote!(#camel | #snake => #number,)
        }
    }
}

/// Refuses a number that was used before in the same message.
pub(crate) fn check_unused(used: &mut Vec<u32>, number: u32, at: &Ident) -> Result<()> {
    if used.contains(&number) {
        return Err(Error::new(at.span(), format!("field number {number} is used twice")));
    }
    used.push(number);
    Ok(())
}
