//! Makes text from elsewhere harmless for a terminal and for the layout around it.

/// Takes out escape sequences and control characters, and indents every line after the first.
///
/// An agent's text can neither move the cursor, nor change colours, nor look like a line of ours:
/// lines of ours begin in the first column.
pub(crate) fn clean(text: &str, indent: usize) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.trim_end_matches(['\n', '\r']).chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
            }
            '\t' => out.push('\t'),
            c if c.is_control() || is_bidi_control(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Drops the rest of an escape sequence: CSI up to its final byte, OSC and the like up to their
/// terminator, anything else one character.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            for c in chars.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            while let Some(c) = chars.next() {
                if c == '\u{7}' || c == '\u{9c}' {
                    break;
                }
                if c == '\u{1b}' {
                    chars.next_if_eq(&'\\');
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Characters that reorder the text around them.
fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn colours_titles_and_bells_are_taken_out() {
        assert_eq!(clean("\u{1b}[31mred\u{1b}[0m \u{1b}]0;title\u{7}end\u{7}", 0), "red end");
        assert_eq!(clean("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", 0), "link");
        assert_eq!(clean("\u{9b}2J", 0), "2J");
    }

    #[test]
    fn later_lines_are_indented_so_that_they_cannot_look_like_ours() {
        assert_eq!(
            clean("a\nStatus:   completed\r\nb\rc\n", 2),
            "a\n  Status:   completed\n  b\n  c"
        );
    }

    #[test]
    fn an_unfinished_escape_ends_with_the_text() {
        assert_eq!(clean("x\u{1b}[", 0), "x");
        assert_eq!(clean("x\u{1b}]0;never ends", 0), "x");
        assert_eq!(clean("x\u{1b}", 0), "x");
    }

    #[test]
    fn ordinary_text_of_any_language_stays_as_it_is() {
        assert_eq!(clean("Hợp đồng HD-2026-021\tça va 👋🏽", 2), "Hợp đồng HD-2026-021\tça va 👋🏽");
    }
}
