//! Which script a message selects.

use super::script::{Script, script};
use super::{events, faults, kit, questions, stubborn};

/// The words.
pub(super) const WORDS: &[Script] = &[
    script!(Word "echo" => events::echo),
    script!(Word "parts" => events::parts),
    script!(Word "msg" => events::msg),
    script!(Word "slow" => events::slow),
    script!(Word "ticks" => events::ticks),
    script!(Word "burst" => events::burst),
    script!(Word "chunks" => events::chunks),
    script!(Word "blob" => events::blob),
    script!(Word "ask" => questions::ask),
    script!(Word "auth" => questions::auth),
    script!(Word "reject" => questions::reject),
    script!(Word "fail-before" => faults::fail_before),
    script!(Word "fail-after" => faults::fail_after),
    script!(Word "panic" => faults::panic),
    script!(Word "late" => faults::late),
    script!(Word "detach" => events::detach),
    script!(Word "stubborn" => stubborn::stubborn),
    Script { counts: false, ..script!(Word "count" => questions::count) },
];

/// What anything else is: its text, given back.
pub(super) const ECHO: &Script = &WORDS[0];

/// The script that the beginning of a message id selects; the longest one that is known.
pub(super) fn by_id(message_id: &str) -> Option<&'static Script> {
    let known = kit::IDS.iter().filter(|script| message_id.starts_with(script.trigger.name()));
    known.max_by_key(|script| script.trigger.name().len())
}

/// The script for a message, and what of the text is left for it: the longest beginning of the id
/// that is known, else the first word, else an echo of it all.
pub(super) fn pick<'a>(message_id: &str, text: &'a str) -> (&'static Script, &'a str) {
    if let Some(script) = by_id(message_id) {
        return (script, text);
    }
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match WORDS.iter().find(|script| script.trigger.name() == word) {
        Some(script) => (script, rest),
        None => (ECHO, text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::HELP;
    use super::{WORDS, pick};

    fn picked<'a>(id: &str, text: &'a str) -> (&'static str, &'a str) {
        let (script, rest) = pick(id, text);
        (script.trigger.name(), rest)
    }

    #[test]
    fn the_first_word_selects_and_the_rest_is_kept_as_it_is() {
        assert_eq!(picked("m", "slow 3"), ("slow", "3"));
        assert_eq!(picked("m", "echo  a  b "), ("echo", " a  b "));
        assert_eq!(picked("m", "ask"), ("ask", ""));
    }

    #[test]
    fn anything_else_is_echoed_as_a_whole() {
        for text in ["hello there", "", " echo x", "Echo x", "slowly 3", "echo\nx"] {
            assert_eq!(picked("m", text), ("echo", text));
        }
    }

    #[test]
    fn the_longest_beginning_of_a_message_id_wins_over_the_text() {
        assert_eq!(picked("tck-artifact-file-0123abcd", "ask"), ("tck-artifact-file", "ask"));
        assert_eq!(picked("tck-artifact-file-url-0123abcd", "").0, "tck-artifact-file-url");
        assert_eq!(picked("tck-send-003-0123abcd", "hello"), ("echo", "hello"));
    }

    #[test]
    fn the_help_has_a_line_for_every_word_and_for_nothing_else() {
        let lines = HELP.lines().filter_map(|line| line.strip_prefix("  "));
        let documented: Vec<_> = lines
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| line.split_whitespace().next())
            .collect();
        let words: Vec<_> = WORDS.iter().map(|script| script.trigger.name()).collect();
        assert_eq!(documented, words);
    }
}
