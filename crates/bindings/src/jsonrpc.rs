//! The JSON-RPC binding (specification section 9).

use crate::body::{self, RequestBody, Unread};
use crate::call;
use crate::dispatch::{Reply, Request, Source, dispatch};
use crate::media::{self, Media};
use crate::payload::Payload;
use crate::reply::{self, Refusal};
use crate::served::{Served, Visit};
use crate::sse::Framing;
use http::Response;
use http::request::Parts;
use sabir_types::jsonrpc::{self, Id};
use sabir_types::{Error, Operation, Principal, Version, wire};
use serde_json::value::RawValue;

/// Answers one POST on an agent's base URL.
pub(crate) async fn serve(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
) -> Response<Payload> {
    let parts = visit.parts;
    let principal = match served.authenticate(parts).await {
        Ok(principal) => principal,
        Err(refusal) => return refusal.into_jsonrpc(&Id::NULL),
    };
    let version = check_head(parts);
    let bytes = match body.read(&parts.headers, &served.config).await {
        Ok(bytes) => bytes,
        Err(refusal) => return refusal.into_jsonrpc(&Id::NULL),
    };
    match version {
        Ok(version) => answer(served, visit, principal, version, &bytes).await,
        // What is wrong with the head goes before what is wrong with the body, but the answer
        // should find its request.
        Err(error) => {
            let id = jsonrpc::Request::decode(&bytes).map_or_else(|e| e.id, |request| request.id);
            Refusal::from(error).into_jsonrpc(&id)
        }
    }
}

fn check_head(parts: &Parts) -> Result<Version, Error> {
    let version = call::version(parts)?;
    match Media::of_body(&parts.headers) {
        Ok(_) => Ok(version),
        Err(found) => Err(media::unsupported(&found, media::JSON)),
    }
}

async fn answer(
    served: &Served,
    visit: &Visit<'_>,
    principal: Principal,
    version: Version,
    bytes: &[u8],
) -> Response<Payload> {
    // One level more than in HTTP+JSON, for the envelope.
    if let Err(error) = body::check_json(bytes, served.config.json_depth + 1) {
        return Refusal::from(error).into_jsonrpc(&Id::NULL);
    }
    let request = match jsonrpc::Request::decode(bytes) {
        Ok(request) => request,
        Err(refused) => return Refusal::from(refused.error).into_jsonrpc(&refused.id),
    };
    let id = request.id.clone();
    match run(served, visit, principal, version, request).await {
        Ok(response) => response,
        Err(error) => Refusal::from(error).into_jsonrpc(&id),
    }
}

async fn run(
    served: &Served,
    visit: &Visit<'_>,
    principal: Principal,
    version: Version,
    request: jsonrpc::Request<'_>,
) -> Result<Response<Payload>, Error> {
    let operation = Operation::from_name(&request.method)
        .ok_or_else(|| Error::method_not_found(&request.method))?;
    let call = call::call(&visit.parts.headers, operation, principal, version)?;
    let params = Params(request.params);
    let mut reply = dispatch(&*served.agent, &call, operation, &params).await?;
    served.dress(&mut reply, visit);
    let replayed = reply.is_replayed();
    let mut response = match reply {
        Reply::Events(events) => served.events(events.value, Framing::jsonrpc(request.id)),
        reply => {
            let mut out = jsonrpc::success_prefix(&request.id);
            reply.put_json(&mut out)?;
            out.extend_from_slice(jsonrpc::SUCCESS_SUFFIX);
            reply::json(out, reply::JSON)
        }
    };
    served.finish(&mut response, &call, replayed);
    Ok(response)
}

/// The parameters of a request; absent ones are an empty object.
struct Params<'a>(Option<&'a RawValue>);

impl Source for Params<'_> {
    fn read<M: Request>(&self) -> Result<M, Error> {
        let message: M = wire::from_json(self.0.map_or("{}", RawValue::get).as_bytes())?;
        message.check()?;
        Ok(message)
    }
}

/// What stands at the base URL for verbs that it does not take.
pub(crate) fn not_at_base() -> Refusal {
    let hint = "this is an A2A agent: JSON-RPC by POST here, its card by GET";
    Refusal::method_not_allowed("GET, HEAD, POST").message(hint)
}
