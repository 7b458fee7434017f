//! The JSON-RPC binding (specification section 9).

use crate::body::{self, RequestBody, Unread};
use crate::call::{self, Asked};
use crate::dispatch::{Reply, Request, Source, dispatch};
use crate::media::{self, Media};
use crate::payload::Payload;
use crate::reply::{self, Refusal};
use crate::served::{Served, Visit};
use crate::sse::Framing;
use futures_util::{StreamExt, stream};
use http::Response;
use sabir_compat::Dialect;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{Error, ErrorKind, Operation, Principal};
use serde_json::value::RawValue;

/// Answers one POST on an agent's base URL.
pub(crate) async fn serve(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
) -> Response<Payload> {
    let parts = visit.parts;
    let asked = Asked::of(parts, &served.config);
    // Until the method is known, the header tells.
    let dialect = if asked.is_v0_3() { Dialect::Kind } else { Dialect::V1_0 };
    let principal = match served.authenticate(parts).await {
        Ok(principal) => principal,
        Err(refusal) => return refusal.dialect(dialect).into_jsonrpc(&Id::NULL),
    };
    let head = asked.check().and_then(|()| match Media::of_body(&parts.headers) {
        Ok(_) => Ok(()),
        Err(found) => Err(media::unsupported(&found, media::JSON)),
    });
    let bytes = match body.read(&parts.headers, &served.config).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal.dialect(dialect).into_jsonrpc(&Id::NULL),
    };
    let caller = Caller { served, visit, principal, asked, dialect };
    match head {
        Ok(()) => answer(caller, &bytes).await,
        // What is wrong with the head goes before what is wrong with the body, but the answer
        // should find its request.
        Err(error) => {
            let id = jsonrpc::Request::decode(&bytes).map_or_else(|e| e.id, |request| request.id);
            Refusal::from(error).dialect(dialect).into_jsonrpc(&id)
        }
    }
}

/// Who calls whom, by the head of the request.
struct Caller<'a> {
    served: &'a Served,
    visit: &'a Visit<'a>,
    principal: Principal,
    asked: Asked<'a>,
    dialect: Dialect,
}

async fn answer(mut caller: Caller<'_>, bytes: &[u8]) -> Response<Payload> {
    let (served, dialect) = (caller.served, caller.dialect);
    // One level more than in HTTP+JSON, for the envelope.
    if let Err(error) = body::check_json(bytes, caller.served.config.json_depth + 1) {
        return Refusal::from(error).dialect(dialect).into_jsonrpc(&Id::NULL);
    }
    let request = match jsonrpc::Request::decode(bytes) {
        Ok(request) => request,
        Err(refused) => {
            return Refusal::from(refused.error).dialect(dialect).into_jsonrpc(&refused.id);
        }
    };
    let id = request.id.clone();
    let (dialect, operation) = called(&request.method, &caller);
    caller.dialect = dialect;
    let outcome = match operation {
        Ok(operation) => run(caller, operation, request).await,
        Err(error) => Err(error),
    };
    outcome.unwrap_or_else(|error| served.refusal(error).dialect(dialect).into_jsonrpc(&id))
}

/// The operation of a method, by the spelling of one version or the other.
fn called(method: &str, caller: &Caller<'_>) -> (Dialect, Result<Operation, Error>) {
    let of =
        |dialect: Dialect, operation| (dialect, caller.asked.check_is(dialect).map(|()| operation));
    if let Some(operation) = Operation::from_name(method) {
        return of(Dialect::V1_0, operation);
    }
    match Operation::from_v0_3_method(method) {
        Some(operation) if caller.served.config.v0_3 => of(Dialect::Kind, operation),
        _ => (caller.dialect, Err(Error::method_not_found(method))),
    }
}

async fn run(
    caller: Caller<'_>,
    operation: Operation,
    request: jsonrpc::Request<'_>,
) -> Result<Response<Payload>, Error> {
    let Caller { served, visit, principal, dialect, .. } = caller;
    let call = call::call(&visit.parts.headers, operation, principal, dialect.version())?;
    let params = Params { params: request.params, dialect };
    let mut reply = match dispatch(served.agent(dialect), &call, operation, &params).await {
        Ok(reply) => reply,
        // Clients of 0.3 look for the error of a stream in the stream.
        Err(error) if operation.streams() && dialect == Dialect::Kind && is_in_stream(&error) => {
            let events = stream::once(std::future::ready(Err(error))).boxed();
            return Ok(served.events(events, Framing::jsonrpc(request.id, dialect)));
        }
        Err(error) => return Err(error),
    };
    served.dress(&mut reply, visit);
    let replayed = reply.is_replayed();
    let mut response = match reply {
        Reply::Events(events) => served.events(events.value, Framing::jsonrpc(request.id, dialect)),
        reply => {
            let mut out = jsonrpc::success_prefix(&request.id, 1 << 10);
            reply.write_json(dialect, &mut out)?;
            out.extend_from_slice(jsonrpc::SUCCESS_SUFFIX);
            reply::json(out, reply::JSON)
        }
    };
    served.finish(&mut response, &call, replayed);
    Ok(response)
}

/// Whether the error is one of A2A, rather than one at which HTTP itself has a say.
fn is_in_stream(error: &Error) -> bool {
    use ErrorKind as K;
    !matches!(error.kind(), K::Unauthenticated | K::Forbidden | K::RateLimited | K::TooLarge)
}

/// The parameters of a request; absent ones are an empty object.
struct Params<'a> {
    params: Option<&'a RawValue>,
    dialect: Dialect,
}

impl Source for Params<'_> {
    fn read<M: Request>(&self) -> Result<M, Error> {
        let params = self.params.map_or("{}", RawValue::get);
        let message: M = self.dialect.read_json(params.as_bytes())?;
        message.check()?;
        Ok(message)
    }
}

/// What stands at the base URL for verbs that it does not take.
pub(crate) fn not_at_base() -> Refusal {
    let hint = "this is an A2A agent: JSON-RPC by POST here, its card by GET";
    Refusal::method_not_allowed("GET, HEAD, POST").message(hint)
}
