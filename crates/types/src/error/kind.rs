//! The one table of errors: every kind in the words of every binding.

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The task does not exist, or not for this caller.
    TaskNotFound,
    /// The task is in a state in which nothing can be canceled.
    TaskNotCancelable,
    /// The agent sends no push notifications.
    PushNotificationNotSupported,
    /// The agent does not do this, or not now.
    UnsupportedOperation,
    /// The agent does not take this media type.
    ContentTypeNotSupported,
    /// The agent's answer does not fit the protocol.
    InvalidAgentResponse,
    /// The card promises an extended card, but there is none.
    ExtendedAgentCardNotConfigured,
    /// The agent requires an extension that the client did not name.
    ExtensionSupportRequired,
    /// The interface does not speak this protocol version.
    VersionNotSupported,
    /// The request is not JSON.
    ParseError,
    /// The request is JSON, but no request.
    InvalidRequest,
    /// Nobody serves this method or path.
    MethodNotFound,
    /// A field of the request is wrong.
    InvalidParams,
    /// We failed.
    Internal,
    /// Nobody knows who is asking.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// The caller asks too often.
    RateLimited,
    /// The request is too large.
    TooLarge,
    /// It cannot be done now, but may be later.
    Unavailable,
    /// The other side failed, or answered with something that is not A2A.
    Remote,
}

/// Which edition of the specification's table to answer by.
///
/// 1.0.1 changed some HTTP and gRPC codes; JSON-RPC codes and reasons are the same in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorTable {
    /// For old peers and the official test kit.
    V1_0_0,
    /// The table in force.
    #[default]
    V1_0_1,
}

/// A gRPC status code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i32)]
pub enum GrpcCode {
    /// No error.
    Ok = 0,
    /// The caller canceled the call.
    Cancelled = 1,
    /// Not known, or of a foreign error space.
    Unknown = 2,
    /// The request is wrong whatever the state.
    InvalidArgument = 3,
    /// It took too long.
    DeadlineExceeded = 4,
    /// It does not exist.
    NotFound = 5,
    /// It exists already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Too often, or too large.
    ResourceExhausted = 8,
    /// The request is wrong in this state.
    FailedPrecondition = 9,
    /// Lost a race.
    Aborted = 10,
    /// Past the end.
    OutOfRange = 11,
    /// Nobody serves this.
    Unimplemented = 12,
    /// We failed.
    Internal = 13,
    /// It cannot be done now.
    Unavailable = 14,
    /// Lost or damaged data.
    DataLoss = 15,
    /// Nobody knows who is asking.
    Unauthenticated = 16,
}

impl GrpcCode {
    /// Every code.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The number on the wire.
    pub fn number(self) -> i32 {
        self as i32
    }

    /// The name, such as `NOT_FOUND`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The code of a number; [`Unknown`](Self::Unknown) for one that gRPC does not define.
    pub fn from_number(number: i32) -> Self {
        Self::ALL.into_iter().find(|code| code.number() == number).unwrap_or(Self::Unknown)
    }

    /// The code of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.name() == name)
    }
}

/// One line of the table.
struct Row {
    kind: ErrorKind,
    jsonrpc: i32,
    http: u16,
    grpc: GrpcCode,
    reason: &'static str,
    message: &'static str,
}

const fn row(
    kind: ErrorKind,
    jsonrpc: i32,
    http: u16,
    grpc: GrpcCode,
    reason: &'static str,
    message: &'static str,
) -> Row {
    Row { kind, jsonrpc, http, grpc, reason, message }
}

/// The table of 1.0.1 (§5.4), the kinds of JSON-RPC, and those of our own, in the order of the enum.
/// Our JSON-RPC codes start at -32051, clear of those that A2A gives out.
#[rustfmt::skip]
static TABLE: [Row; 20] = {
    use ErrorKind as K;
    use GrpcCode as G;
    [
        row(K::TaskNotFound, -32001, 404, G::NotFound, "TASK_NOT_FOUND", "task not found"),
        row(K::TaskNotCancelable, -32002, 400, G::FailedPrecondition, "TASK_NOT_CANCELABLE", "task cannot be canceled"),
        row(K::PushNotificationNotSupported, -32003, 400, G::FailedPrecondition, "PUSH_NOTIFICATION_NOT_SUPPORTED", "push notifications are not supported"),
        row(K::UnsupportedOperation, -32004, 400, G::FailedPrecondition, "UNSUPPORTED_OPERATION", "this operation is not supported"),
        row(K::ContentTypeNotSupported, -32005, 400, G::InvalidArgument, "CONTENT_TYPE_NOT_SUPPORTED", "content type not supported"),
        row(K::InvalidAgentResponse, -32006, 500, G::Internal, "INVALID_AGENT_RESPONSE", "the agent gave an invalid response"),
        row(K::ExtendedAgentCardNotConfigured, -32007, 400, G::FailedPrecondition, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "no extended agent card is configured"),
        row(K::ExtensionSupportRequired, -32008, 400, G::FailedPrecondition, "EXTENSION_SUPPORT_REQUIRED", "the client must support a required extension"),
        row(K::VersionNotSupported, -32009, 400, G::FailedPrecondition, "VERSION_NOT_SUPPORTED", "this protocol version is not supported"),
        row(K::ParseError, -32700, 400, G::InvalidArgument, "PARSE_ERROR", "invalid JSON payload"),
        row(K::InvalidRequest, -32600, 400, G::InvalidArgument, "INVALID_REQUEST", "request payload validation error"),
        row(K::MethodNotFound, -32601, 404, G::Unimplemented, "METHOD_NOT_FOUND", "method not found"),
        row(K::InvalidParams, -32602, 400, G::InvalidArgument, "INVALID_PARAMS", "invalid parameters"),
        row(K::Internal, -32603, 500, G::Internal, "INTERNAL_ERROR", "internal error"),
        row(K::Unauthenticated, -32051, 401, G::Unauthenticated, "UNAUTHENTICATED", "authentication required"),
        row(K::Forbidden, -32052, 403, G::PermissionDenied, "FORBIDDEN", "not allowed"),
        row(K::RateLimited, -32053, 429, G::ResourceExhausted, "RATE_LIMITED", "too many requests"),
        row(K::TooLarge, -32054, 413, G::ResourceExhausted, "TOO_LARGE", "the request is too large"),
        row(K::Unavailable, -32055, 503, G::Unavailable, "UNAVAILABLE", "unavailable, try again later"),
        row(K::Remote, -32056, 502, G::Unknown, "REMOTE", "the remote agent failed"),
    ]
};

impl ErrorKind {
    /// Every kind, in the order of the table.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        TABLE.iter().map(|row| row.kind)
    }

    fn row(self) -> &'static Row {
        // In the order of the enum; a test holds it to that.
        &TABLE[self as usize]
    }

    /// The code in JSON-RPC.
    pub fn jsonrpc_code(self) -> i32 {
        self.row().jsonrpc
    }

    /// The status in HTTP.
    pub fn http_status(self, table: ErrorTable) -> u16 {
        match (table, self) {
            (ErrorTable::V1_0_0, Self::TaskNotCancelable) => 409,
            (ErrorTable::V1_0_0, Self::ContentTypeNotSupported) => 415,
            (ErrorTable::V1_0_0, Self::InvalidAgentResponse) => 502,
            (ErrorTable::V1_0_0 | ErrorTable::V1_0_1, _) => self.row().http,
        }
    }

    /// The code in gRPC.
    pub fn grpc_code(self, table: ErrorTable) -> GrpcCode {
        match (table, self) {
            (
                ErrorTable::V1_0_0,
                Self::PushNotificationNotSupported
                | Self::UnsupportedOperation
                | Self::VersionNotSupported,
            ) => GrpcCode::Unimplemented,
            (ErrorTable::V1_0_0 | ErrorTable::V1_0_1, _) => self.row().grpc,
        }
    }

    /// The `reason` of the `ErrorInfo`, which is the same in every binding.
    pub fn reason(self) -> &'static str {
        self.row().reason
    }

    /// The message when nothing better is known.
    pub fn default_message(self) -> &'static str {
        self.row().message
    }

    /// The kind of a `reason`.
    pub fn from_reason(reason: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.reason == reason).map(|row| row.kind)
    }

    /// The kind of a code that JSON-RPC or A2A defines. Ours are not among them: another server may
    /// mean something else by them.
    pub fn from_jsonrpc_code(code: i32) -> Option<Self> {
        let row = TABLE.iter().find(|row| row.jsonrpc == code)?;
        (!row.kind.is_ours()).then_some(row.kind)
    }

    /// Whether the kind stands outside the tables of the specification and of JSON-RPC.
    fn is_ours(self) -> bool {
        self >= Self::Unauthenticated
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(self) -> bool {
        matches!(self, Self::RateLimited | Self::Unavailable)
    }

    /// Whether the request was wrong, rather than that we failed.
    pub fn is_refusal(self) -> bool {
        !matches!(
            self,
            Self::InvalidAgentResponse | Self::Internal | Self::Unavailable | Self::Remote
        )
    }
}
