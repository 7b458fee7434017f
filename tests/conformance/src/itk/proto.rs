//! The messages of `itk.Instruction`, with the numbers they have on the wire.

/// What the agent is to do.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Instruction {
    #[prost(oneof = "Step", tags = "1, 2, 3")]
    pub(super) step: Option<Step>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Step {
    #[prost(message, tag = "1")]
    CallAgent(Box<CallAgent>),
    #[prost(message, tag = "2")]
    ReturnResponse(ReturnResponse),
    #[prost(message, tag = "3")]
    Steps(Series),
}

/// Calls another agent, and says what that one said.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CallAgent {
    #[prost(string, tag = "1")]
    pub(super) transport: String,
    #[prost(string, tag = "2")]
    pub(super) agent_card_uri: String,
    /// What that one is to do.
    #[prost(message, optional, boxed, tag = "3")]
    pub(super) instruction: Option<Box<Instruction>>,
    #[prost(bool, tag = "4")]
    pub(super) streaming: bool,
    #[prost(oneof = "Behaviour", tags = "5, 6, 7")]
    pub(super) behaviour: Option<Behaviour>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Behaviour {
    #[prost(message, tag = "5")]
    SendMessage(Nothing),
    #[prost(message, tag = "6")]
    PushNotification(PushNotification),
    #[prost(message, tag = "7")]
    Resubscribe(Nothing),
}

/// A message without fields.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Nothing {}

#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct PushNotification {
    #[prost(string, tag = "1")]
    pub(super) url: String,
}

/// Says something.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct ReturnResponse {
    #[prost(string, tag = "1")]
    pub(super) response: String,
    #[prost(bool, tag = "2")]
    pub(super) hold_task: bool,
}

/// Does one after the other.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Series {
    #[prost(message, repeated, tag = "1")]
    pub(super) instructions: Vec<Instruction>,
}
