//! Query strings: percent-decoding that refuses what is not UTF-8.

use percent_encoding::percent_decode_str;
use sabir_types::Error;
use std::borrow::Cow;

/// A name and its value.
pub(crate) type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The parameters of a query string, decoded.
pub(crate) fn pairs(query: &str) -> impl Iterator<Item = Result<Pair<'_>, Error>> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).ok_or_else(|| {
            Error::invalid_params("", format!("the query parameter {name:?} is not UTF-8"))
        })?;
        match decode(value) {
            Some(value) => Ok((name, value)),
            None => Err(Error::invalid_params(name, "the query parameter is not UTF-8")),
        }
    })
}

/// The parameters, each once: the values of one that is repeated stand in a list with commas.
pub(crate) fn merged(query: &str) -> Result<Vec<Pair<'_>>, Error> {
    let mut all: Vec<Pair<'_>> = Vec::new();
    for pair in pairs(query) {
        let (name, value) = pair?;
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => {
                let known = known.to_mut();
                known.push(',');
                known.push_str(&value);
            }
            None => all.push((name, value)),
        }
    }
    Ok(all)
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    if text.contains('+') {
        // In a query a plus is a space; one that is meant comes as %2B.
        let spaced = text.replace('+', " ");
        return percent_decode_str(&spaced).decode_utf8().ok().map(|t| Cow::Owned(t.into_owned()));
    }
    percent_decode_str(text).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_repeated_ones_become_a_list() {
        let got = merged("a=1%2B2&b=x+y&a=3&&c&t=2026-01-01T00%3A00%3A00Z").unwrap();
        let got: Vec<_> = got.iter().map(|(n, v)| (&**n, &**v)).collect();
        let expected = [("a", "1+2,3"), ("b", "x y"), ("c", ""), ("t", "2026-01-01T00:00:00Z")];
        assert_eq!(got, expected);
    }

    #[test]
    fn what_is_not_utf8_is_refused_with_its_name() {
        let error = merged("pageToken=%ff").unwrap_err();
        assert_eq!(error.violations()[0].field, "pageToken");
    }
}
