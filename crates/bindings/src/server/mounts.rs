//! Which agent, or which other router, a path belongs to.

use crate::config::{Binding, ServerConfig};
use crate::grpc::standard;
use crate::host;
use crate::payload::Payload;
use crate::reply::{Form, Refusal};
use crate::rest;
use crate::served::{CARD, OLDER_CARD, Served, Visit};
use axum::Router;
use axum::extract::ConnectInfo;
use http::request::Parts;
use http::{Request, Response};
use hyper::body::Incoming;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower_service::Service;

/// All that is served, by path.
pub(super) struct Mounts {
    /// The longest path first, so that the first that fits is the nearest.
    all: Vec<(String, Mount)>,
    origin_card: Option<(String, Arc<Served>)>,
    /// Health and reflection, where gRPC is served.
    standard: Option<Router>,
    config: Arc<ServerConfig>,
    loopback: bool,
}

enum Mount {
    Agent(Arc<Served>),
    Router(Router),
}

impl Mounts {
    pub(super) fn new(
        config: Arc<ServerConfig>,
        bound_to_loopback: bool,
        closing: &CancellationToken,
    ) -> Self {
        let loopback = config.loopback_only.unwrap_or(bound_to_loopback);
        let standard = config.serves(Binding::Grpc).then(|| standard::services(closing));
        Self { all: Vec::new(), origin_card: None, standard, config, loopback }
    }

    pub(super) fn add_agent(&mut self, path: &str, agent: Arc<Served>) -> io::Result<()> {
        self.add(path, |_| Mount::Agent(agent))
    }

    pub(super) fn add_router(&mut self, path: &str, router: Router) -> io::Result<()> {
        self.add(path, |path| {
            Mount::Router(match path {
                "" => router,
                path => Router::new().nest_service(path, router),
            })
        })
    }

    fn add(&mut self, path: &str, mount: impl FnOnce(&str) -> Mount) -> io::Result<()> {
        let path = checked(path)?;
        if self.all.iter().any(|(taken, _)| taken == path) {
            return Err(invalid(format!("two things are served at {path:?}")));
        }
        self.all.push((path.to_owned(), mount(path)));
        self.all.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Ok(())
    }

    pub(super) fn set_origin_card(&mut self, path: &str) -> io::Result<()> {
        let path = checked(path)?;
        let agent = self.all.iter().find_map(|(mounted, mount)| match mount {
            Mount::Agent(agent) if mounted == path => Some(agent.clone()),
            _ => None,
        });
        let agent = agent.ok_or_else(|| invalid(format!("no agent is served at {path:?}")))?;
        self.origin_card = Some((path.to_owned(), agent));
        Ok(())
    }

    /// Answers one request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Response<Payload> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path();
        let form = Form::of(&parts, false);
        let visit = |mount, path| {
            let at_origin = self.is_at_origin(mount);
            Visit { parts: &parts, mount, path, peer: Some(peer), at_origin }
        };
        if let (Form::Grpc, Some(router)) = (form, &self.standard)
            && standard::is_theirs(path)
        {
            return Box::pin(self.route(router.clone(), parts, body, peer)).await;
        }
        let (visit, agent) = match (self.find(path), &self.origin_card) {
            (_, Some((mount, agent))) if matches!(path, CARD | OLDER_CARD) => {
                (visit(mount, path), agent)
            }
            (Some((mount, Mount::Agent(agent))), _) => (visit(mount, &path[mount.len()..]), agent),
            (Some((_, Mount::Router(router))), _) => {
                return Box::pin(self.route(router.clone(), parts, body, peer)).await;
            }
            (None, Some((mount, agent))) if form == Form::Grpc => (visit(mount, path), agent),
            (None, _) => return rest::not_found(path).into_form(form, self.config.error_table),
        };
        // Awaited in one place, because the whole future is moved for each request.
        agent.handle(&visit, body).await
    }

    /// Whether gRPC at the origin leads to what is mounted here.
    fn is_at_origin(&self, mount: &str) -> bool {
        let has_root = || self.all.iter().any(|(path, _)| path.is_empty());
        let shows_card = || self.origin_card.as_ref().is_some_and(|(path, _)| path == mount);
        mount.is_empty() || (shows_card() && !has_root())
    }

    fn find(&self, path: &str) -> Option<(&str, &Mount)> {
        let found = self.all.iter().find(|(mount, _)| {
            path.strip_prefix(mount.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        found.map(|(mount, what)| (mount.as_str(), what))
    }

    async fn route(
        &self,
        mut router: Router,
        mut parts: Parts,
        body: Incoming,
        peer: SocketAddr,
    ) -> Response<Payload> {
        if let Err(error) = host::check(&parts, &self.config, self.loopback) {
            let form = Form::of(&parts, false);
            return Refusal::from(error).into_form(form, self.config.error_table);
        }
        parts.extensions.insert(ConnectInfo(peer));
        match router.call(Request::from_parts(parts, body)).await {
            Ok(response) => response.map(Payload::Other),
            Err(never) => match never {},
        }
    }
}

/// A path without the slash at its end.
fn checked(path: &str) -> io::Result<&str> {
    let path = path.trim_end_matches('/');
    let odd = |c: char| !c.is_ascii_graphic() || "?#{}*\"<>\\^`|".contains(c);
    if (path.is_empty() || path.starts_with('/')) && !path.contains("//") && !path.contains(odd) {
        Ok(path)
    } else {
        Err(invalid(format!("{path:?} is not a path to serve at: it must be as in a URL")))
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}
