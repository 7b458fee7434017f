//! Draws the layers.

/// What encloses the picture in ARCHITECTURE.md.
const BEGIN: &str = "<!-- deps -->";
const END: &str = "<!-- /deps -->";

/// The picture with its fence and its markers.
pub(super) fn section(layers: &[&[&str]], beside: &[(&str, &str)]) -> String {
    format!("{BEGIN}\n```text\n{}```\n{END}", picture(layers, beside))
}

fn picture(layers: &[&[&str]], beside: &[(&str, &str)]) -> String {
    let mut picture = String::new();
    for (depth, row) in layers.iter().enumerate() {
        let elbow =
            if depth == 0 { String::new() } else { " ".repeat(5 * depth - 4) + "└── " };
        picture += &format!("{elbow}{}\n", row.join("   "));
    }
    picture.push('\n');
    for (name, how) in beside {
        picture += &format!("{name}: {how}\n");
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::section;

    #[test]
    fn each_layer_hangs_below_the_one_above() {
        let layers: &[&[&str]] = &[&["cli"], &["a", "b"], &["types"]];
        let expected = "<!-- deps -->\n```text\n\
                        cli\n \
                         └── a   b\n      \
                              └── types\n\
                        \n\
                        tool: alone\n\
                        ```\n<!-- /deps -->";
        assert_eq!(section(layers, &[("tool", "alone")]), expected);
    }
}
