//! Says what is wrong with a command line, in the words and the form of every other failure.

use crate::failure::Failure;
use crate::output::{Format, Output};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;

/// Prints help, the version, or what is wrong, and gives the status to exit with.
pub(crate) fn refuse(name: &str, error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // If stdout is gone there is nobody to help.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => {
            let failure = failure(name, error);
            let arguments: Vec<String> = std::env::args().skip(1).collect();
            let format = wanted_format(&arguments);
            Output { format, ..Output::default() }.failure(&failure);
            ExitCode::from(failure.status(crate::failure::Shape::Official))
        }
    }
}

fn failure(name: &str, error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    // The usage and the pointer to --help that follow are in the hint.
    let message = text.split("\n\n").next().unwrap_or(text);
    let message: Vec<&str> = message.lines().map(str::trim).collect();
    let hint = meant(error).map_or_else(
        || format!("`{name} --help` and `{name} COMMAND --help` say what there is"),
        |meant| format!("did you mean `{meant}`?"),
    );
    Failure::usage(message.join(" ")).hint(hint)
}

/// What the parser thinks was meant.
fn meant(error: &clap::Error) -> Option<String> {
    let kinds =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    kinds.into_iter().find_map(|kind| match error.get(kind)? {
        ContextValue::String(one) => Some(one.clone()),
        ContextValue::Strings(several) => several.first().cloned(),
        _ => None,
    })
}

/// The format asked for on a command line that cannot be read as a whole.
fn wanted_format(arguments: &[String]) -> Format {
    let variable = std::env::var("A2ACLI_OUTPUT").ok();
    let mut wanted = variable.as_deref();
    for (at, argument) in arguments.iter().enumerate() {
        match argument.as_str() {
            "--" => break,
            "-o" | "--output" => wanted = arguments.get(at + 1).map(String::as_str),
            other => {
                let value = other
                    .strip_prefix("--output=")
                    .or_else(|| other.strip_prefix("-o="))
                    .or_else(|| other.strip_prefix("-o"));
                wanted = value.or(wanted);
            }
        }
    }
    match wanted {
        Some("json") => Format::Json,
        Some("jsonl") => Format::Jsonl,
        _ => Format::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::{failure, wanted_format};
    use crate::output::Format;

    fn said(line: &str) -> crate::failure::Failure {
        let error = crate::args::command("a2a").try_get_matches_from(line.split(' ')).unwrap_err();
        failure("a2a", &error)
    }

    #[test]
    fn a_typing_error_is_one_line_with_what_was_meant() {
        let failure = said("a2a send --strem hi");
        assert_eq!(failure.message, "unexpected argument '--strem' found");
        assert_eq!(failure.hint.as_deref(), Some("did you mean `--stream`?"));
        let failure = said("a2a sned hi");
        assert_eq!(failure.message, "unrecognized subcommand 'sned'");
        assert_eq!(failure.hint.as_deref(), Some("did you mean `send`?"));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(said("a2a task get").message.contains("<TASK_ID>"));
        assert!(said("a2a server").message.contains("--puppet"), "{}", said("a2a server").message);
        assert!(said("a2a send --stream --async x").message.contains("--async"));
    }

    #[test]
    fn the_format_is_found_in_a_broken_line() {
        let of = |line: &str| {
            wanted_format(&line.split(' ').map(str::to_owned).collect::<Vec<String>>())
        };
        assert_eq!(of("send --nope -o json"), Format::Json);
        assert_eq!(of("send --output=jsonl --nope"), Format::Jsonl);
        assert_eq!(of("send -ojson --nope"), Format::Json);
        assert_eq!(of("send -- -o json"), Format::Text);
    }
}
