//! Finds what somebody probably meant.

/// The known name that is closest to `name`, if any is close.
pub(crate) fn suggest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '.'], "_");
    let wanted = plain(name);
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&wanted, &plain(candidate)), candidate))
        .filter(|(score, _)| *score > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::suggest;

    #[test]
    fn a_typing_error_finds_the_name_that_was_meant() {
        let known = ["listen", "public_url", "limits.body_bytes", "idempotency"];
        assert_eq!(suggest("lisen", known), Some("listen"));
        assert_eq!(suggest("publicURL", known), Some("public_url"));
        assert_eq!(suggest("limits.body-bytes", known), Some("limits.body_bytes"));
        assert_eq!(suggest("colour", known), None);
    }
}
