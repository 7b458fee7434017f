//! Derives the union behind a `oneof`.

use crate::attribute::{FieldAttribute, Marks, about, check_unused, shape};
use crate::{case, wire};
use proc_macro2::{Ident, TokenStream as Tokens};
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result, Type, Variant};

pub(crate) fn expand(input: &DeriveInput) -> Result<Tokens> {
    let Data::Enum(data) = &input.data else {
        return Err(Error::new_spanned(
            &input.ident,
            "a oneof is an enum with a variant per member",
        ));
    };
    let mut numbers = Vec::new();
    let mut members = Vec::new();
    let mut unset = None;
    for variant in &data.variants {
        match FieldAttribute::find(&variant.attrs)? {
            Some(attribute) => {
                let member = Member::of(variant, &attribute)?;
                check_unused(&mut numbers, member.number, &variant.ident)?;
                members.push(member);
            }
            None if unset.is_none() && matches!(variant.fields, Fields::Unit) => {
                unset = Some(&variant.ident);
            }
            None => {
                let fault = "every member needs #[field(number)]; only the one unset variant, \
                             which holds nothing, goes without";
                return Err(Error::new(variant.ident.span(), fault));
            }
        }
    }
    let Some(unset) = unset else {
        let fault = "a oneof needs a variant without #[field] that means unset: `#[default] Unset`";
        return Err(Error::new(input.ident.span(), fault));
    };
    let union = FieldAttribute::find(&input.attrs)?.and_then(|a| a.camel_name());
    Ok(implement(&input.ident, &members, unset, union.as_deref().unwrap_or("content")))
}

struct Member<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    number: u32,
    camel: String,
    key: Tokens,
    shape: Tokens,
}

impl<'a> Member<'a> {
    fn of(variant: &'a Variant, attribute: &FieldAttribute) -> Result<Self> {
        let ident = &variant.ident;
        let ty = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            Fields::Named(_) | Fields::Unnamed(_) | Fields::Unit => {
                return Err(Error::new(ident.span(), "a member of a oneof holds one value"));
            }
        };
        let number = attribute.number()?;
        let names = attribute.names(&case::snake(&ident.to_string()));
        let about = about(&variant.attrs);
        let union = quote!(::core::option::Option::Some(union));
        let shape = shape(&names, number, &about, Marks::default(), &union, ty);
        Ok(Self { ident, ty, number, key: names.arm(number), camel: names.camel, shape })
    }
}

fn implement(name: &Ident, members: &[Member<'_>], unset: &Ident, union: &str) -> Tokens {
    let wire = wire();
    let ident: Vec<_> = members.iter().map(|m| m.ident).collect();
    let ty: Vec<_> = members.iter().map(|m| m.ty).collect();
    let number: Vec<_> = members.iter().map(|m| m.number).collect();
    let camel: Vec<_> = members.iter().map(|m| &m.camel).collect();
    let key = members.iter().map(|m| &m.key);
    let shape = members.iter().map(|m| &m.shape);
    quote! {
        #[automatically_derived]
        impl #wire::ProtoOneof for #name {
            const UNION: &'static str = #union;
            fn number_of(key: &str) -> u32 {
                match key { #(#key)* _ => 0 }
            }
            fn has_number(number: u32) -> bool {
                ::core::matches!(number, #(#number)|*)
            }
            fn members(union: &'static str) -> ::std::vec::Vec<#wire::FieldShape> {
                ::std::vec![#(#shape),*]
            }
            fn member(&self) -> ::core::option::Option<&'static str> {
                match self {
                    Self::#unset => ::core::option::Option::None,
                    #(Self::#ident(_) => ::core::option::Option::Some(#camel),)*
                }
            }
            fn put(&self, buf: &mut impl #wire::BufMut) {
                match self {
                    Self::#unset => {}
                    #(Self::#ident(value) => #wire::Field::put(value, #number, buf),)*
                }
            }
            fn size(&self) -> usize {
                match self {
                    Self::#unset => 0,
                    #(Self::#ident(value) => #wire::Field::size(value, #number),)*
                }
            }
            fn merge_field(
                &mut self,
                number: u32,
                wire_type: #wire::WireType,
                buf: &mut impl #wire::Buf,
                ctx: #wire::DecodeContext,
            ) -> ::core::result::Result<(), #wire::DecodeError> {
                match number {
                    #(#number => {
                        // A repeated member is merged into itself, another one replaces it.
                        let mut value = match ::core::mem::take(self) {
                            Self::#ident(value) => value,
                            _ => <#ty as ::core::default::Default>::default(),
                        };
                        #wire::Field::merge(&mut value, wire_type, buf, ctx)?;
                        *self = Self::#ident(value);
                        ::core::result::Result::Ok(())
                    })*
                    _ => #wire::skip_field(wire_type, number, buf, ctx),
                }
            }
            fn first_missing(&self, union: &str) -> ::core::option::Option<::std::string::String> {
                match self {
                    Self::#unset => ::core::option::Option::Some(union.to_owned()),
                    #(Self::#ident(value) => #wire::Field::first_missing(value)
                        .map(|path| #wire::join_path(#camel, &path)),)*
                }
            }
            fn put_json<M: #wire::serde::ser::SerializeMap>(
                &self,
                map: &mut M,
            ) -> ::core::result::Result<(), M::Error> {
                match self {
                    Self::#unset => ::core::result::Result::Ok(()),
                    #(Self::#ident(value) => #wire::put_entry(map, #camel, value),)*
                }
            }
            fn merge_json<'de, A: #wire::serde::de::MapAccess<'de>>(
                &mut self,
                number: u32,
                map: &mut A,
            ) -> ::core::result::Result<(), A::Error> {
                match number {
                    #(#number => #wire::next_member(map, self, #camel, Self::#ident),)*
                    _ => #wire::skip_value(map),
                }
            }
        }
    }
}
