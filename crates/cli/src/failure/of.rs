//! Reads failures from what the client and the agent report.

use super::{Failure, Kind};
use sabir_client::Failure as ClientFailure;
use sabir_types::{Error, ErrorKind};

impl Failure {
    /// A failure of an operation: what the agent answered, or what happened on the way.
    pub(crate) fn of(error: &Error, credentials: bool) -> Self {
        let kind = match ClientFailure::of(error) {
            Some(failure) => on_the_way(failure, error.kind(), credentials),
            None => of_agent(error.kind(), credentials),
        };
        let failure = Self::new(kind, error.message());
        match hint(&failure.kind) {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }

    /// A failure to make a client of an agent's card.
    pub(crate) fn of_client(failure: &ClientFailure) -> Self {
        let doing = "failed to create a client";
        match failure {
            ClientFailure::NoInterface { offered, wanted, .. } => {
                let kind = Kind::Protocol {
                    reason: ErrorKind::VersionNotSupported.reason().to_owned(),
                    name: name(ErrorKind::VersionNotSupported.reason()),
                };
                let told = Self::new(kind, failure.to_string()).during(doing);
                if offered.contains(" 0.3") && !wanted.contains("0.3") {
                    return told.hint("to speak A2A 0.3 with it, add --a2a-version 0.3");
                }
                told
            }
            _ => Self::new(Kind::Usage, failure.to_string()).during(doing),
        }
    }

    /// A failure to find an agent's card.
    pub(crate) fn of_card(failure: &ClientFailure) -> Self {
        let message = failure.to_string();
        let (kind, hint) = match failure {
            ClientFailure::Reference { .. } | ClientFailure::Setup(_) => (Kind::Usage, None),
            ClientFailure::Unreachable { .. }
            | ClientFailure::Tls { .. }
            | ClientFailure::Cut { .. } => {
                (Kind::Io, Some("check that the agent is running and that --agent-card is right"))
            }
            ClientFailure::Timeout { .. } => (Kind::Timeout, hint(&Kind::Timeout)),
            ClientFailure::CardNotFound { .. } | ClientFailure::File { .. } => {
                (Kind::CardNotFound, Some(CARD))
            }
            _ => (Kind::CardInvalid, Some(CARD)),
        };
        let failure = Self::new(kind, message).during("failed to resolve agent card");
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

const CARD: &str = "check --agent-card: a host, an origin, the URL of a card, or a file";

fn on_the_way(failure: &ClientFailure, kind: ErrorKind, credentials: bool) -> Kind {
    match failure {
        ClientFailure::Reference { .. } | ClientFailure::Setup(_) => Kind::Usage,
        ClientFailure::Unreachable { .. }
        | ClientFailure::Tls { .. }
        | ClientFailure::Cut { .. } => Kind::Io,
        ClientFailure::Timeout { .. } => Kind::Timeout,
        ClientFailure::Status { .. } | ClientFailure::Answer { .. } => of_agent(kind, credentials),
        _ => Kind::Internal,
    }
}

fn of_agent(kind: ErrorKind, credentials: bool) -> Kind {
    let reason = kind.reason().to_owned();
    match kind {
        ErrorKind::Unauthenticated if !credentials => Kind::CredentialsMissing { reason },
        ErrorKind::Unauthenticated | ErrorKind::Forbidden => Kind::AuthFailed { reason },
        _ => Kind::Protocol { name: name(&reason), reason },
    }
}

/// The specification's name of an error: `TASK_NOT_FOUND` is `TaskNotFoundError`.
fn name(reason: &str) -> String {
    let mut name = String::new();
    for word in reason.split('_') {
        let mut letters = word.chars();
        name.extend(letters.next());
        name.push_str(&letters.as_str().to_ascii_lowercase());
    }
    if !name.ends_with("Error") {
        name.push_str("Error");
    }
    name
}

fn hint(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Io => Some("check that the agent is running and can be reached"),
        Kind::Timeout => {
            Some("give a longer --timeout, or start the task with --async and follow it later")
        }
        Kind::CredentialsMissing { .. } => Some("give --bearer, --api-key or --auth"),
        Kind::AuthFailed { .. } => Some("check --bearer, --api-key or --auth"),
        Kind::Protocol { reason, .. } if reason == "TASK_NOT_FOUND" => {
            Some("check the id and the credentials; --debug shows what was asked and answered")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::name;
    use crate::failure::{Failure, Kind};
    use sabir_types::{Error, ErrorKind};

    #[test]
    fn errors_have_the_names_of_the_specification() {
        assert_eq!(name("TASK_NOT_FOUND"), "TaskNotFoundError");
        assert_eq!(name("INTERNAL_ERROR"), "InternalError");
        assert_eq!(
            name("EXTENDED_AGENT_CARD_NOT_CONFIGURED"),
            "ExtendedAgentCardNotConfiguredError"
        );
    }

    #[test]
    fn a_refusal_depends_on_whether_credentials_were_given() {
        let error = Error::from(ErrorKind::Unauthenticated);
        assert!(matches!(Failure::of(&error, false).kind, Kind::CredentialsMissing { .. }));
        assert!(matches!(Failure::of(&error, true).kind, Kind::AuthFailed { .. }));
    }

    #[test]
    fn every_kind_of_error_is_a_protocol_failure_with_its_reason() {
        for kind in ErrorKind::all() {
            let failure = Failure::of(&Error::from(kind), true);
            let json = serde_json::to_value(failure.document(crate::failure::Shape::Official));
            assert_eq!(json.unwrap()["error"]["a2aCode"], kind.reason());
        }
    }
}
