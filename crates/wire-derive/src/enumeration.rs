//! Derives a protocol enum.

use crate::attribute::FieldAttribute;
use crate::{case, wire};
use proc_macro2::{Ident, TokenStream as Tokens};
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, Fields, Result};

pub(crate) fn expand(input: &DeriveInput) -> Result<Tokens> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "a protocol enum is an enum"));
    };
    let prefix = case::snake(&input.ident.to_string()).to_uppercase();
    let mut known = Known::default();
    let mut unrecognized = None;
    for variant in &data.variants {
        let ident = &variant.ident;
        let (Some((_, number)), Fields::Unit) = (&variant.discriminant, &variant.fields) else {
            return Err(Error::new(ident.span(), "a value has a number and nothing else: `A = 1`"));
        };
        if FieldAttribute::find(&variant.attrs)?.is_some_and(|a| a.unrecognized) {
            unrecognized = Some(ident);
        } else {
            known.idents.push(ident);
            known
                .names
                .push(format!("{prefix}_{}", case::snake(&ident.to_string()).to_uppercase()));
            known.numbers.push(number);
        }
    }
    Ok(implement(&input.ident, &known, unrecognized))
}

#[derive(Default)]
struct Known<'a> {
    idents: Vec<&'a Ident>,
    names: Vec<String>,
    numbers: Vec<&'a Expr>,
}

fn implement(name: &Ident, known: &Known<'_>, unrecognized: Option<&Ident>) -> Tokens {
    let wire = wire();
    let Known { idents, names, numbers } = known;
    let default = quote!(<Self as ::core::default::Default>::default());
    let fallback = unrecognized.map_or_else(|| default.clone(), |ident| quote!(Self::#ident));
    // What was not understood is written as the default, which every reader knows.
    let (name_arm, number_arm, missing) = match unrecognized {
        None => (quote!(), quote!(), quote!(::core::option::Option::None)),
        Some(ident) => (
            quote!(Self::#ident => #wire::ProtoEnum::name(#default),),
            quote!(Self::#ident => #wire::ProtoEnum::number(#default),),
            quote! {
                ::core::matches!(self, Self::#ident).then(::std::string::String::new)
            },
        ),
    };
    quote! {
        #[automatically_derived]
        impl #wire::ProtoEnum for #name {
            const ALL: &'static [Self] = &[#(Self::#idents),*];
            fn name(self) -> &'static str {
                match self { #(Self::#idents => #names,)* #name_arm }
            }
            fn number(self) -> i32 {
                match self { #(Self::#idents => #numbers,)* #number_arm }
            }
            fn from_name(name: &str) -> Self {
                match name { #(#names => Self::#idents,)* _ => #fallback }
            }
            fn from_number(number: i32) -> Self {
                match number { #(#numbers => Self::#idents,)* _ => #fallback }
            }
        }
        #[automatically_derived]
        impl #wire::Field for #name {
            fn shape() -> #wire::Shape {
                #wire::Shape::Enum(#wire::EnumShape {
                    name: ::core::stringify!(#name),
                    values: ::std::vec![#(#names),*],
                })
            }
            fn is_absent(&self) -> bool { #wire::ProtoEnum::number(*self) == 0 }
            fn put(&self, number: u32, buf: &mut impl #wire::BufMut) {
                #wire::Field::put(&#wire::ProtoEnum::number(*self), number, buf);
            }
            fn size(&self, number: u32) -> usize {
                #wire::Field::size(&#wire::ProtoEnum::number(*self), number)
            }
            fn merge(
                &mut self,
                wire_type: #wire::WireType,
                buf: &mut impl #wire::Buf,
                ctx: #wire::DecodeContext,
            ) -> ::core::result::Result<(), #wire::DecodeError> {
                let mut number = 0_i32;
                #wire::Field::merge(&mut number, wire_type, buf, ctx)?;
                *self = #wire::ProtoEnum::from_number(number);
                ::core::result::Result::Ok(())
            }
            fn to_json<S: #wire::serde::Serializer>(
                &self,
                s: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                s.serialize_str(#wire::ProtoEnum::name(*self))
            }
            fn from_json<'de, D: #wire::serde::Deserializer<'de>>(
                d: D,
            ) -> ::core::result::Result<Self, D::Error> { #wire::enum_from_json(d) }
            fn first_missing(&self) -> ::core::option::Option<::std::string::String> { #missing }
        }
    }
}
