//! Derives the two encodings of a message.

use crate::attribute::{FieldAttribute, Marks, about, check_unused, shape};
use crate::{case, oneof, wire};
use proc_macro2::{Ident, TokenStream as Tokens};
use quote::quote;
use syn::{Data, DeriveInput, Error, Field, Fields, Result};

/// A struct is a message with fields; an enum is a message that is one `oneof`.
pub(crate) fn expand(input: &DeriveInput) -> Result<Tokens> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let mut body = Body::default();
                for field in &fields.named {
                    body.add(field)?;
                }
                Ok(body.finish().implement(input))
            }
            Fields::Unnamed(_) | Fields::Unit => {
                Err(Error::new_spanned(&input.ident, "a message has named fields"))
            }
        },
        Data::Enum(_) => {
            let union = oneof::expand(input)?;
            let message = Methods::of_union().implement(input);
            Ok(quote!(#union #message))
        }
        Data::Union(_) => {
            Err(Error::new_spanned(&input.ident, "a message is a struct, or an enum for a oneof"))
        }
    }
}

/// One list of statements for each method, filled field by field.
#[derive(Default)]
struct Body {
    put: Vec<Tokens>,
    size: Vec<Tokens>,
    merge: Vec<Tokens>,
    keys: Vec<Tokens>,
    put_json: Vec<Tokens>,
    merge_json: Vec<Tokens>,
    missing: Vec<Tokens>,
    shapes: Vec<Tokens>,
    union_key: Option<Tokens>,
    numbers: Vec<u32>,
}

impl Body {
    fn add(&mut self, field: &Field) -> Result<()> {
        let ident = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "no name"))?;
        let attribute = FieldAttribute::find(&field.attrs)?
            .ok_or_else(|| Error::new(ident.span(), "every field needs #[field(number)]"))?;
        if attribute.unrecognized {
            return Err(Error::new(ident.span(), "`unrecognized` belongs to a variant of an enum"));
        }
        if attribute.oneof {
            self.add_union(ident, field)
        } else {
            self.add_field(ident, field, &attribute)
        }
    }

    fn add_field(
        &mut self,
        ident: &Ident,
        field: &Field,
        attribute: &FieldAttribute,
    ) -> Result<()> {
        let wire = wire();
        let number = attribute.number()?;
        check_unused(&mut self.numbers, number, ident)?;
        let names = attribute.names(&ident.to_string());
        let camel = &names.camel;
        let marks = Marks {
            required: attribute.required,
            filled: attribute.required && !attribute.may_be_empty,
            optional: attribute.optional,
        };
        let alone = quote!(::core::option::Option::None);
        let shape = shape(&names, number, &about(&field.attrs), marks, &alone, &field.ty);
        self.shapes.push(quote!(fields.push(#shape);));

        // Without presence of its own, a value equal to the default is the same as none.
        let absent = if attribute.optional {
            quote!(#wire::Field::is_absent(&self.#ident))
        } else {
            quote!(#wire::Field::is_default(&self.#ident))
        };
        self.put.push(quote!(if !#absent { #wire::Field::put(&self.#ident, #number, buf); }));
        self.size.push(quote!(if !#absent { size += #wire::Field::size(&self.#ident, #number); }));
        let settle = (!attribute.optional).then(|| quote!(#wire::Field::settle(&mut self.#ident);));
        self.merge.push(quote! {
            #number => {
                #wire::Field::merge(&mut self.#ident, wire_type, buf, ctx)?;
                #settle
            }
        });
        self.keys.push(names.arm(number));
        self.merge_json.push(quote! {
            #number => {
                self.#ident = #wire::next_value(map)?;
                #settle
            }
        });

        let entry = quote!(#wire::put_entry(map, #camel, &self.#ident)?;);
        self.put_json.push(if attribute.required { entry } else { quote!(if !#absent { #entry }) });

        if attribute.required && !attribute.may_be_empty {
            self.missing.push(quote! {
                if #absent { return ::core::option::Option::Some(#camel.to_owned()); }
            });
        }
        self.missing.push(quote! {
            if let ::core::option::Option::Some(path) = #wire::Field::first_missing(&self.#ident) {
                return ::core::option::Option::Some(#wire::join_path(#camel, &path));
            }
        });
        Ok(())
    }

    fn add_union(&mut self, ident: &Ident, field: &Field) -> Result<()> {
        let wire = wire();
        let ty = &field.ty;
        if self.union_key.is_some() {
            return Err(Error::new(ident.span(), "only one `oneof` in a message is supported"));
        }
        self.union_key = Some(quote!(<#ty as #wire::ProtoOneof>::number_of(key)));
        self.put.push(quote!(#wire::ProtoOneof::put(&self.#ident, buf);));
        self.size.push(quote!(size += #wire::ProtoOneof::size(&self.#ident);));
        self.merge.push(quote! {
            _ if <#ty as #wire::ProtoOneof>::has_number(number) => {
                #wire::ProtoOneof::merge_field(&mut self.#ident, number, wire_type, buf, ctx)?;
            }
        });
        self.put_json.push(quote!(#wire::ProtoOneof::put_json(&self.#ident, map)?;));
        self.merge_json.push(quote! {
            _ if <#ty as #wire::ProtoOneof>::has_number(number) => {
                #wire::ProtoOneof::merge_json(&mut self.#ident, number, map)?;
            }
        });
        let camel = case::camel(&ident.to_string());
        self.shapes.push(quote!(fields.extend(<#ty as #wire::ProtoOneof>::members(#camel));));
        self.missing.push(quote! {
            if let ::core::option::Option::Some(path) =
                #wire::ProtoOneof::first_missing(&self.#ident, #camel)
            {
                return ::core::option::Option::Some(path);
            }
        });
        Ok(())
    }

    fn finish(self) -> Methods {
        let wire = wire();
        let Self {
            put, size, merge, keys, put_json, merge_json, missing, shapes, union_key, ..
        } = self;
        let unknown = union_key.unwrap_or_else(|| quote!(0));
        Methods {
            put: quote!(#(#put)*),
            size: quote!(let mut size = 0; #(#size)* size),
            merge: quote! {
                match number {
                    #(#merge)*
                    _ => #wire::skip_field(wire_type, number, buf, ctx)?,
                }
                ::core::result::Result::Ok(())
            },
            number_of: quote!(match key { #(#keys)* _ => #unknown }),
            put_json: quote!(#(#put_json)* ::core::result::Result::Ok(())),
            merge_json: quote! {
                match number {
                    #(#merge_json)*
                    _ => #wire::skip_value(map)?,
                }
                ::core::result::Result::Ok(())
            },
            missing: quote!(#(#missing)* ::core::option::Option::None),
            fields: quote!(let mut fields = ::std::vec::Vec::new(); #(#shapes)* fields),
        }
    }
}

/// The bodies of a message's methods.
struct Methods {
    put: Tokens,
    size: Tokens,
    merge: Tokens,
    number_of: Tokens,
    put_json: Tokens,
    merge_json: Tokens,
    missing: Tokens,
    fields: Tokens,
}

impl Methods {
    /// A message that is nothing but one `oneof` passes everything on to the union.
    fn of_union() -> Self {
        let wire = wire();
        Self {
            put: quote!(#wire::ProtoOneof::put(self, buf)),
            size: quote!(#wire::ProtoOneof::size(self)),
            merge: quote! {
                if <Self as #wire::ProtoOneof>::has_number(number) {
                    #wire::ProtoOneof::merge_field(self, number, wire_type, buf, ctx)
                } else {
                    #wire::skip_field(wire_type, number, buf, ctx)
                }
            },
            number_of: quote!(<Self as #wire::ProtoOneof>::number_of(key)),
            put_json: quote!(#wire::ProtoOneof::put_json(self, map)),
            merge_json: quote!(#wire::ProtoOneof::merge_json(self, number, map)),
            missing: quote!(#wire::ProtoOneof::first_missing(self, <Self as #wire::ProtoOneof>::UNION)),
            fields: quote!(<Self as #wire::ProtoOneof>::members(<Self as #wire::ProtoOneof>::UNION)),
        }
    }

    fn implement(self, input: &DeriveInput) -> Tokens {
        let wire = wire();
        let name = &input.ident;
        let Self { put, size, merge, number_of, put_json, merge_json, missing, fields } = self;
        let field = field_impl(name, &about(&input.attrs), &fields);
        quote! {
            #[automatically_derived]
            impl #wire::prost::Message for #name {
                fn encode_raw(&self, buf: &mut impl #wire::BufMut) { #put }
                fn encoded_len(&self) -> usize { #size }
                fn merge_field(
                    &mut self,
                    number: u32,
                    wire_type: #wire::WireType,
                    buf: &mut impl #wire::Buf,
                    ctx: #wire::DecodeContext,
                ) -> ::core::result::Result<(), #wire::DecodeError> { #merge }
                fn clear(&mut self) { *self = <Self as ::core::default::Default>::default(); }
            }
            #[automatically_derived]
            impl #wire::ProtoMessage for #name {
                fn missing(&self) -> ::core::option::Option<::std::string::String> { #missing }
                fn number_of(key: &str) -> u32 { #number_of }
                fn put_json<M: #wire::serde::ser::SerializeMap>(
                    &self,
                    map: &mut M,
                ) -> ::core::result::Result<(), M::Error> { #put_json }
                fn merge_json<'de, A: #wire::serde::de::MapAccess<'de>>(
                    &mut self,
                    number: u32,
                    map: &mut A,
                ) -> ::core::result::Result<(), A::Error> { #merge_json }
            }
            #field
            #[automatically_derived]
            impl #wire::serde::Serialize for #name {
                fn serialize<S: #wire::serde::Serializer>(
                    &self,
                    s: S,
                ) -> ::core::result::Result<S::Ok, S::Error> { #wire::message_to_json(self, s) }
            }
            #[automatically_derived]
            impl<'de> #wire::serde::Deserialize<'de> for #name {
                fn deserialize<D: #wire::serde::Deserializer<'de>>(
                    d: D,
                ) -> ::core::result::Result<Self, D::Error> { #wire::message_from_json(d) }
            }
        }
    }
}

/// A message as a field of another message.
fn field_impl(name: &Ident, about: &str, fields: &Tokens) -> Tokens {
    let wire = wire();
    quote! {
        #[automatically_derived]
        impl #wire::Field for #name {
            fn shape() -> #wire::Shape {
                #wire::Shape::Message(#wire::MessageShape {
                    name: ::core::stringify!(#name),
                    about: #about,
                    fields: || { #fields },
                })
            }
            fn is_absent(&self) -> bool { false }
            fn put(&self, number: u32, buf: &mut impl #wire::BufMut) {
                #wire::put_message(number, self, buf);
            }
            fn size(&self, number: u32) -> usize { #wire::message_size(number, self) }
            fn merge(
                &mut self,
                wire_type: #wire::WireType,
                buf: &mut impl #wire::Buf,
                ctx: #wire::DecodeContext,
            ) -> ::core::result::Result<(), #wire::DecodeError> {
                #wire::merge_message(wire_type, self, buf, ctx)
            }
            fn to_json<S: #wire::serde::Serializer>(
                &self,
                s: S,
            ) -> ::core::result::Result<S::Ok, S::Error> { #wire::message_to_json(self, s) }
            fn from_json<'de, D: #wire::serde::Deserializer<'de>>(
                d: D,
            ) -> ::core::result::Result<Self, D::Error> { #wire::message_from_json(d) }
            fn first_missing(&self) -> ::core::option::Option<::std::string::String> {
                #wire::ProtoMessage::missing(self)
            }
        }
    }
}
