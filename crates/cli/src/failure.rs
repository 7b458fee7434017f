//! Why a command did not succeed: in words, as a code, and as the status the program exits with.

mod of;

use serde::Serialize;
use std::fmt;

/// Which of the two published contracts codes, exit statuses and wrappers follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// What the official command line prints.
    #[default]
    Official,
    /// What its specification says.
    Spec,
}

/// What went wrong, seen by the caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The command line or a setting is wrong.
    Usage,
    /// The agent answered with an error of the protocol.
    Protocol {
        /// The reason of the error table, such as `TASK_NOT_FOUND`.
        reason: String,
        /// The error's name in the specification, such as `TaskNotFoundError`.
        name: String,
    },
    /// The agent wants credentials and got none.
    CredentialsMissing {
        /// The reason of the error table.
        reason: String,
    },
    /// The agent did not accept the credentials.
    AuthFailed {
        /// The reason of the error table.
        reason: String,
    },
    /// The agent could not be reached, or the connection broke.
    Io,
    /// There is no card where one was looked for.
    CardNotFound,
    /// What was found is not an agent card, or none that can be used.
    CardInvalid,
    /// `--timeout` expired.
    Timeout,
    /// Ctrl-C while waiting; what to say was said.
    Interrupted,
    /// Whoever read the output has gone, as `head` does when it has enough.
    Unread,
    /// Everything else.
    Internal,
}

/// A failed command.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// What went wrong.
    pub(crate) kind: Kind,
    /// What went wrong, in words.
    pub(crate) message: String,
    /// What to do about it.
    pub(crate) hint: Option<String>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), hint: None }
    }

    /// A wrong command line.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// Something that is neither the caller's nor the agent's fault.
    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(Kind::Internal, message)
    }

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Puts what was being done before the message.
    pub(crate) fn during(mut self, doing: impl fmt::Display) -> Self {
        self.message = format!("{doing}: {}", self.message);
        self
    }

    /// Whether whoever reads has been told already.
    pub(crate) fn is_said(&self) -> bool {
        matches!(self.kind, Kind::Interrupted | Kind::Unread)
    }

    /// Whether the same call may succeed a little later.
    pub(crate) fn is_passing(&self) -> bool {
        match &self.kind {
            Kind::Io | Kind::Timeout => true,
            Kind::Protocol { reason, .. } => {
                matches!(&**reason, "UNAVAILABLE" | "RATE_LIMITED" | "INTERNAL_ERROR" | "REMOTE")
            }
            _ => false,
        }
    }

    /// The status the program exits with.
    pub(crate) fn status(&self, shape: Shape) -> u8 {
        match (&self.kind, shape) {
            (Kind::Usage, _) => 2,
            (Kind::Io, _) | (Kind::CardNotFound, Shape::Spec) => 3,
            (Kind::CardNotFound | Kind::CardInvalid, Shape::Official) => 4,
            (Kind::CredentialsMissing { .. } | Kind::AuthFailed { .. }, Shape::Spec) => 4,
            (Kind::Timeout, _) => 5,
            (Kind::Interrupted, _) => 130,
            // As if the signal for it had ended the program.
            (Kind::Unread, _) => 141,
            _ => 1,
        }
    }

    /// The symbol a program recognises the failure by.
    pub(crate) fn code(&self, shape: Shape) -> &str {
        match (&self.kind, shape) {
            (Kind::Usage, _) => "A2ACLI_ERR_USAGE",
            (Kind::Timeout, _) => "A2ACLI_ERR_TIMEOUT",
            (Kind::CardInvalid, _) | (Kind::CardNotFound, Shape::Official) => {
                "A2ACLI_ERR_CARD_INVALID"
            }
            (Kind::Io, Shape::Official) => "A2ACLI_ERR_IO",
            (
                Kind::Protocol { .. } | Kind::CredentialsMissing { .. } | Kind::AuthFailed { .. },
                Shape::Official,
            ) => "A2ACLI_ERR_PROTOCOL",
            (Kind::Protocol { name, .. }, Shape::Spec) => name,
            (Kind::Io, Shape::Spec) => "A2ACLI_ERR_UNREACHABLE",
            (Kind::CardNotFound, Shape::Spec) => "A2ACLI_ERR_CARD_NOT_FOUND",
            (Kind::CredentialsMissing { .. }, Shape::Spec) => "A2ACLI_ERR_CREDENTIALS_MISSING",
            (Kind::AuthFailed { .. }, Shape::Spec) => "A2ACLI_ERR_AUTH_FAILED",
            (Kind::Interrupted | Kind::Unread | Kind::Internal, _) => "A2ACLI_ERR_INTERNAL",
        }
    }

    /// The reason the agent gave, whatever the shape.
    fn a2a_code(&self) -> Option<&str> {
        match &self.kind {
            Kind::Protocol { reason, .. }
            | Kind::CredentialsMissing { reason }
            | Kind::AuthFailed { reason } => Some(reason),
            _ => None,
        }
    }

    /// The failure as the JSON document that stands in place of a result.
    pub(crate) fn document(&self, shape: Shape) -> impl Serialize + '_ {
        Document {
            error: Body {
                code: self.code(shape),
                message: &self.message,
                hint: self.hint.as_deref(),
                a2a_code: self.a2a_code(),
            },
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    error: Body<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    a2a_code: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::{Failure, Kind, Shape};

    fn protocol() -> Failure {
        let kind = Kind::Protocol {
            reason: "UNSUPPORTED_OPERATION".into(),
            name: "UnsupportedOperationError".into(),
        };
        Failure::new(kind, "no").during("failed to send message")
    }

    #[test]
    fn a_protocol_error_is_one_document_with_the_agents_reason() {
        let json = serde_json::to_string(&protocol().document(Shape::Official)).unwrap();
        assert_eq!(
            json,
            r#"{"error":{"code":"A2ACLI_ERR_PROTOCOL","message":"failed to send message: no","a2aCode":"UNSUPPORTED_OPERATION"}}"#
        );
    }

    #[test]
    fn the_spec_shape_names_the_protocol_error() {
        assert_eq!(protocol().code(Shape::Spec), "UnsupportedOperationError");
        assert_eq!(protocol().status(Shape::Spec), 1);
    }

    #[test]
    fn the_shapes_differ_only_where_the_contracts_do() {
        let table = [
            (Kind::Usage, ("A2ACLI_ERR_USAGE", 2), ("A2ACLI_ERR_USAGE", 2)),
            (Kind::Io, ("A2ACLI_ERR_IO", 3), ("A2ACLI_ERR_UNREACHABLE", 3)),
            (Kind::CardNotFound, ("A2ACLI_ERR_CARD_INVALID", 4), ("A2ACLI_ERR_CARD_NOT_FOUND", 3)),
            (Kind::CardInvalid, ("A2ACLI_ERR_CARD_INVALID", 4), ("A2ACLI_ERR_CARD_INVALID", 1)),
            (
                Kind::CredentialsMissing { reason: String::new() },
                ("A2ACLI_ERR_PROTOCOL", 1),
                ("A2ACLI_ERR_CREDENTIALS_MISSING", 4),
            ),
            (
                Kind::AuthFailed { reason: String::new() },
                ("A2ACLI_ERR_PROTOCOL", 1),
                ("A2ACLI_ERR_AUTH_FAILED", 4),
            ),
            (Kind::Timeout, ("A2ACLI_ERR_TIMEOUT", 5), ("A2ACLI_ERR_TIMEOUT", 5)),
            (Kind::Internal, ("A2ACLI_ERR_INTERNAL", 1), ("A2ACLI_ERR_INTERNAL", 1)),
        ];
        for (kind, official, spec) in table {
            let failure = Failure::new(kind, "x");
            assert_eq!((failure.code(Shape::Official), failure.status(Shape::Official)), official);
            assert_eq!((failure.code(Shape::Spec), failure.status(Shape::Spec)), spec);
        }
    }
}
