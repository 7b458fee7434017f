//! The gRPC binding (specification section 10).
//!
//! A gRPC call is an HTTP/2 request, so all that stands before a binding stands before this one as
//! well: `Host`, the authenticator, the version, the limits of the body. Only the form is written
//! here. Requests and answers are the protobuf of the same types.
//!
//! Events have no place for their sequence, since they are the specification's messages. A stream
//! takes `last-event-id` as metadata like the others, and tells the sequence of its last event by
//! that name in its trailers, also when the server closes. After a connection that broke without
//! trailers, a subscription begins with the task as it is.

mod descriptor;
mod events;
mod frame;
mod known;
pub(crate) mod standard;
mod status;
mod timeout;

pub(crate) use events::Events;
pub(crate) use frame::Unary;
pub(crate) use status::Status;

use crate::body::{RequestBody, Unread};
use crate::call::{self, Asked};
use crate::config::ServerConfig;
use crate::dispatch::{Reply, Request, Source, dispatch};
use crate::media;
use crate::payload::Payload;
use crate::reply::Refusal;
use crate::served::{Served, Visit};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Response};
use sabir_compat::{Dialect, proto};
use sabir_types::{Error, ErrorKind, Operation};
use tokio::time::Instant;

/// The media type of requests and answers.
const GRPC: &str = "application/grpc";

/// Whether a request is a gRPC call.
pub(crate) fn is_call(parts: &Parts) -> bool {
    parts.method == Method::POST
        && parts.headers.get(CONTENT_TYPE).is_some_and(|value| is_grpc(value.as_bytes()))
}

/// `application/grpc`, also with a suffix or parameters, but not `application/grpc-web`.
fn is_grpc(media_type: &[u8]) -> bool {
    let Some((name, rest)) = media_type.split_at_checked(GRPC.len()) else { return false };
    name.eq_ignore_ascii_case(GRPC.as_bytes()) && matches!(rest.first(), None | Some(b'+' | b';'))
}

/// Answers one call below an agent's base URL.
pub(crate) async fn serve(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
) -> Response<Payload> {
    match answer(served, visit, body).await {
        Ok(response) => response,
        Err(refusal) => {
            let asked = operation(visit.path, &served.config);
            let refusal = refusal.dialect(asked.map_or(Dialect::V1_0, |(dialect, _)| dialect));
            refusal.into_grpc(served.config.error_table)
        }
    }
}

async fn answer(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
) -> Result<Response<Payload>, Refusal> {
    let parts = visit.parts;
    let deadline = timeout::deadline(&parts.headers)?;
    let answering = in_time(served, visit, body, deadline);
    match deadline {
        None => answering.await,
        // The call ends, its work does not.
        Some(due) => match tokio::time::timeout_at(due, answering).await {
            Ok(answer) => answer,
            Err(_) => Ok(Status::deadline_exceeded().into_response()),
        },
    }
}

async fn in_time(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
    deadline: Option<Instant>,
) -> Result<Response<Payload>, Refusal> {
    let parts = visit.parts;
    let principal = served.authenticate(parts).await?;
    let (dialect, operation) =
        operation(visit.path, &served.config).ok_or_else(|| not_found(visit.path))?;
    Asked::of(parts, &served.config).check_is(dialect)?;
    check_media(parts)?;
    let body = body.read(&parts.headers, &served.config).await?;
    let call = call::call(&parts.headers, operation, principal, dialect.version())?;
    let message = Protobuf { message: frame::only_message(body)?, dialect };
    let mut reply = dispatch(served.agent(dialect), &call, operation, &message).await?;
    served.dress(&mut reply, visit);
    let replayed = reply.is_replayed();
    let payload = match reply {
        Reply::Events(events) => Payload::GrpcEvents(Box::new(Events::new(
            events.value,
            dialect,
            served.config.error_table,
            deadline,
            served.closing.clone(),
        ))),
        reply => Payload::GrpcUnary(Box::new(Unary::new(reply, dialect)?)),
    };
    let mut response = head(payload);
    served.finish(&mut response, &call, replayed);
    Ok(response)
}

/// The operation of a path: a method of our service, or of that of 0.3.
fn operation(path: &str, config: &ServerConfig) -> Option<(Dialect, Operation)> {
    let (service, method) = path.strip_prefix('/')?.split_once('/')?;
    match service {
        Operation::GRPC_SERVICE => Some((Dialect::V1_0, Operation::from_name(method)?)),
        proto::GRPC_SERVICE if config.v0_3 => {
            let dialect = Dialect::Proto(config.v0_3_file_bytes);
            Some((dialect, Operation::from_v0_3_rpc(method)?))
        }
        _ => None,
    }
}

/// A path that is no method of the service.
pub(crate) fn not_found(path: &str) -> Error {
    Error::new(ErrorKind::MethodNotFound, format!("there is no gRPC method {path:?}"))
}

/// Only protobuf is spoken.
fn check_media(parts: &Parts) -> Result<(), Error> {
    let media = parts.headers.get(CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    let name = media.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    match name.get(GRPC.len()..).unwrap_or_default() {
        b"" | b"+proto" => Ok(()),
        _ => Err(media::unsupported(&String::from_utf8_lossy(media), GRPC)),
    }
}

/// The head of an answer of 200, as all are.
pub(crate) fn head(payload: Payload) -> Response<Payload> {
    let mut response = Response::new(payload);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(GRPC));
    response
}

/// A request message in protobuf.
struct Protobuf {
    message: Bytes,
    dialect: Dialect,
}

impl Source for Protobuf {
    fn read<M: Request>(&self) -> Result<M, Error> {
        let message: M = self.dialect.read_protobuf(self.message.clone())?;
        message.check()?;
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::{is_grpc, operation};
    use crate::config::ServerConfig;
    use sabir_compat::Dialect;
    use sabir_types::Operation;

    #[test]
    fn grpc_is_told_from_what_only_begins_like_it() {
        for good in ["application/grpc", "Application/gRPC+proto", "application/grpc;x=1"] {
            assert!(is_grpc(good.as_bytes()), "{good}");
        }
        for bad in ["application/grpc-web", "application/grp", "application/json", ""] {
            assert!(!is_grpc(bad.as_bytes()), "{bad}");
        }
    }

    #[test]
    fn every_operation_is_a_method_of_the_service_and_nothing_else_is() {
        let config = ServerConfig::default();
        for each in Operation::ALL {
            assert_eq!(operation(&each.grpc_path(), &config), Some((Dialect::V1_0, each)));
        }
        for bad in ["/lf.a2a.v1.A2AService/sendMessage", "/a2a.v1.A2AService/SendMessage", "/", ""]
        {
            assert_eq!(operation(bad, &config), None, "{bad}");
        }
    }
}
