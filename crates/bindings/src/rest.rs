//! The HTTP+JSON binding (specification section 11).

mod in_path;
pub(crate) mod query;
mod route;

pub(crate) use in_path::InPath;

use crate::body::{self, RequestBody, Unread};
use crate::call::{self, Asked};
use crate::config::ServerConfig;
use crate::dispatch::{Reply, Request, Source, dispatch};
use crate::media::{self, Media};
use crate::payload::Payload;
use crate::reply::{self, Refusal};
use crate::served::{Served, Visit};
use crate::sse::Framing;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use in_path::place;
use route::{Found, Route};
use sabir_compat::{Dialect, kind};
use sabir_types::{Error, ErrorKind};

/// Answers one request below an agent's base URL.
pub(crate) async fn serve(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
) -> Response<Payload> {
    let asked = Asked::of(visit.parts, &served.config);
    let dialect = dialect(visit, &asked, &served.config);
    match answer(served, visit, body, &asked, dialect).await {
        Ok(response) => response,
        Err(refusal) => refusal.dialect(dialect).into_http_json(served.config.error_table),
    }
}

/// `/v1/…` is 0.3, unless the request says that it is of another version: then `v1` is a tenant.
pub(crate) fn dialect(visit: &Visit<'_>, asked: &Asked<'_>, config: &ServerConfig) -> Dialect {
    if asked.is_v0_3() && visit.path.starts_with("/v1/") {
        Dialect::Proto(config.v0_3_file_bytes)
    } else {
        Dialect::V1_0
    }
}

async fn answer(
    served: &Served,
    visit: &Visit<'_>,
    body: Unread<impl RequestBody>,
    asked: &Asked<'_>,
    dialect: Dialect,
) -> Result<Response<Payload>, Refusal> {
    let parts = visit.parts;
    let principal = served.authenticate(parts).await?;
    let route = match route::find(&parts.method, visit.path, dialect.version()) {
        Found::Route(route) => route,
        Found::OtherVerbs(allow) => return Err(Refusal::method_not_allowed(&allow)),
        Found::Nothing => return Err(not_found(visit.path)),
    };
    asked.check_is(dialect)?;
    let (body, media) = if parts.method == Method::POST {
        read(parts, body, served, dialect).await?
    } else {
        (Bytes::new(), Media::accepted(&parts.headers))
    };
    let call = call::call(&parts.headers, route.operation, principal, dialect.version())?;
    let input = Input { route: &route, parts, body: &body, dialect };
    let mut reply = dispatch(served.agent(dialect), &call, route.operation, &input)
        .await
        .map_err(|error| served.refusal(error))?;
    served.dress(&mut reply, visit);
    // 0.3 has one media type.
    let media = if dialect == Dialect::V1_0 { media } else { Media::Json };
    let answered = Answered { reply, dialect, media, method: &parts.method };
    respond(served, answered, &call)
}

/// Where the request message of a route is: its body or its query, and its path.
struct Input<'a> {
    route: &'a Route<'a>,
    parts: &'a Parts,
    body: &'a [u8],
    dialect: Dialect,
}

impl Source for Input<'_> {
    fn read<M: Request>(&self) -> Result<M, Error> {
        let parameters = query::merged(self.parts.uri.query().unwrap_or_default())?;
        let mut message: M;
        if self.parts.method == Method::POST {
            let body = if self.body.is_empty() { b"{}" } else { self.body };
            // What the prose of 0.3 shows, though its kits speak another dialect here.
            let is_kind = self.dialect != Dialect::V1_0 && kind::is_spoken(body);
            message = if is_kind { Dialect::Kind } else { self.dialect }.read_json(body)?;
            if let Some((_, tenant)) = parameters.iter().find(|(name, _)| name == "tenant") {
                place(&mut message, "tenant", tenant)?;
            }
        } else {
            message = self.dialect.read_query(parameters)?;
        }
        for (name, value) in &self.route.fields {
            place(&mut message, name, value)?;
        }
        message.check()?;
        Ok(message)
    }
}

/// The body of a POST, and the media type to answer in. No body needs no type.
async fn read(
    parts: &Parts,
    body: Unread<impl RequestBody>,
    served: &Served,
    dialect: Dialect,
) -> Result<(Bytes, Media), Refusal> {
    let mut media = Media::of_body(&parts.headers);
    if dialect != Dialect::V1_0 && !parts.headers.contains_key(CONTENT_TYPE) {
        // Clients of 0.3 do not always say it of bodies that say nothing.
        media = Ok(Media::Json);
    }
    if let (Err(found), Some(1..)) = (&media, body::announced(&parts.headers)) {
        return Err(wrong_type(found));
    }
    let mut bytes = body.read(&parts.headers, &served.config).await?;
    if dialect != Dialect::V1_0 && bytes.trim_ascii() == b"null" {
        bytes.clear();
    }
    body::check_json(&bytes, served.config.json_depth)?;
    match media {
        Ok(media) => Ok((bytes, media)),
        Err(_) if bytes.is_empty() => Ok((bytes, Media::accepted(&parts.headers))),
        Err(found) => Err(wrong_type(&found)),
    }
}

/// What the agent answered, and how it is written.
struct Answered<'a> {
    reply: Reply,
    dialect: Dialect,
    media: Media,
    method: &'a Method,
}

fn respond(
    served: &Served,
    answered: Answered<'_>,
    call: &sabir_engine::Call,
) -> Result<Response<Payload>, Refusal> {
    let Answered { reply, dialect, media, method } = answered;
    let replayed = reply.is_replayed();
    let mut response = match reply {
        Reply::Events(events) => {
            served.events(events.value, Framing::HttpJson(dialect, served.config.error_table))
        }
        reply => {
            let mut out = Vec::with_capacity(1 << 10);
            reply.write_json(dialect, &mut out)?;
            let mut response = reply::json(out, media.header());
            if method == Method::GET {
                // What one caller reads now is nothing for others or for later.
                response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            }
            response
        }
    };
    served.finish(&mut response, call, replayed);
    Ok(response)
}

/// A path that leads nowhere.
pub(crate) fn not_found(path: &str) -> Refusal {
    let error = Error::new(ErrorKind::MethodNotFound, format!("there is nothing at {path:?}"));
    Refusal::from(error).status(StatusCode::NOT_FOUND)
}

fn wrong_type(found: &str) -> Refusal {
    Refusal::from(media::unsupported(found, media::JSON)).status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}
