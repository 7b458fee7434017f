//! The flags that build a message's parts, in the order in which they stand.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// What a part flag carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Text,
    File,
    Data,
}

/// One part flag with the media type that follows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartFlag {
    pub(crate) kind: PartKind,
    pub(crate) value: String,
    pub(crate) media_type: Option<String>,
}

/// The part flags in order. The derive cannot tell the order of different flags, so this is by
/// hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartFlags(pub(crate) Vec<PartFlag>);

/// Kind, name, alias, value and help of each flag.
const FLAGS: [(PartKind, &str, &str, &str, &str); 3] = [
    (PartKind::Text, "text-part", "text", "TEXT", "A text part"),
    (
        PartKind::File,
        "file-part",
        "file",
        "PATH|URL",
        "A file: sent along, or only named if it is a URL; `-` reads stdin",
    ),
    (
        PartKind::Data,
        "data-part",
        "data",
        "PATH|JSON",
        "A data part: JSON, or a file of it; `-` reads stdin",
    ),
];
const MEDIA_TYPE: &str = "media-type";

impl Args for PartFlags {
    fn augment_args(command: Command) -> Command {
        let command = FLAGS.into_iter().fold(command, |command, (_, name, alias, value, help)| {
            let flag = Arg::new(name).long(name).visible_alias(alias).value_name(value).help(help);
            command.arg(flag.allow_hyphen_values(true).action(ArgAction::Append))
        });
        let media_type = Arg::new(MEDIA_TYPE).long(MEDIA_TYPE).value_name("TYPE");
        command
            .arg(media_type.help("The media type of the part before it").action(ArgAction::Append))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for PartFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut found: Vec<(usize, Option<PartKind>, String)> = Vec::new();
        let kinds = FLAGS.iter().map(|(kind, name, ..)| (Some(*kind), *name));
        for (kind, name) in kinds.chain([(None, MEDIA_TYPE)]) {
            let values = matches.get_many::<String>(name).into_iter().flatten();
            let places = matches.indices_of(name).into_iter().flatten();
            found.extend(places.zip(values).map(|(place, value)| (place, kind, value.clone())));
        }
        found.sort_by_key(|(place, ..)| *place);
        let mut parts: Vec<PartFlag> = Vec::new();
        for (_, kind, value) in found {
            match (kind, parts.last_mut()) {
                (Some(kind), _) => parts.push(PartFlag { kind, value, media_type: None }),
                (None, Some(part)) if part.media_type.is_none() => part.media_type = Some(value),
                (None, _) => {
                    let message = "--media-type must follow a --text-part, --file-part or \
                                   --data-part, once each";
                    return Err(Error::raw(ErrorKind::ArgumentConflict, message));
                }
            }
        }
        Ok(Self(parts))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{PartFlags, PartKind};
    use clap::{Args, Command, FromArgMatches};

    fn parse(line: &str) -> Result<PartFlags, clap::Error> {
        let command = PartFlags::augment_args(Command::new("t").no_binary_name(true));
        PartFlags::from_arg_matches(&command.try_get_matches_from(line.split(' '))?)
    }

    #[test]
    fn parts_keep_the_order_of_their_flags() {
        let line = "--data {} --text a --file=x.png --media-type image/png --text-part b";
        let parts = parse(line).unwrap().0;
        let kinds: Vec<PartKind> = parts.iter().map(|part| part.kind).collect();
        assert_eq!(kinds, [PartKind::Data, PartKind::Text, PartKind::File, PartKind::Text]);
        assert_eq!(parts[2].media_type.as_deref(), Some("image/png"));
        assert_eq!(parts[3].value, "b");
    }

    #[test]
    fn a_media_type_belongs_to_the_part_before_it() {
        assert!(parse("--media-type text/html --text a").is_err());
        assert!(parse("--text a --media-type x/y --media-type x/z").is_err());
    }
}
