//! Spells names the way the protocol does.

/// `context_id` → `contextId`.
pub(crate) fn camel(snake: &str) -> String {
    let mut out = String::with_capacity(snake.len());
    let mut upper = false;
    for c in snake.chars() {
        if c == '_' {
            upper = true;
        } else if std::mem::take(&mut upper) {
            out.extend(c.to_uppercase());
        } else {
            out.push(c);
        }
    }
    out
}

/// `InputRequired` → `input_required`.
pub(crate) fn snake(camel: &str) -> String {
    let mut out = String::with_capacity(camel.len() + 4);
    for (i, c) in camel.char_indices() {
        if c.is_uppercase() && i > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{camel, snake};

    #[test]
    fn names_follow_the_protocol() {
        assert_eq!(camel("reference_task_ids"), "referenceTaskIds");
        assert_eq!(camel("oauth2_security_scheme"), "oauth2SecurityScheme");
        assert_eq!(camel("url"), "url");
        assert_eq!(snake("InputRequired"), "input_required");
        assert_eq!(snake("Task"), "task");
    }
}
