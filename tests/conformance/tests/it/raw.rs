//! Asks by bytes on the wire, and checks what each binding says of its own.

pub(crate) mod grpc;
pub(crate) mod http_json;
pub(crate) mod jsonrpc;
pub(crate) mod v0_3;

use crate::world::Terms;

/// The headers of a request with a body of this type.
fn headers<'a>(terms: &'a Terms, content_type: &'a str) -> Vec<(&'a str, String)> {
    let mut headers = vec![("Content-Type", content_type.to_owned())];
    headers.extend(service_parameters(terms));
    headers
}

fn service_parameters(terms: &Terms) -> Vec<(&'static str, String)> {
    let mut parameters = Vec::new();
    if let Some(version) = terms.version {
        parameters.push(("a2a-version", version.to_owned()));
    }
    if let Some(extension) = terms.extension {
        parameters.push(("a2a-extensions", extension.to_owned()));
    }
    if let Some(token) = terms.token {
        parameters.push(("authorization", format!("Bearer {token}")));
    }
    parameters
}

/// As the fixtures take them.
fn borrowed<'a>(headers: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}
